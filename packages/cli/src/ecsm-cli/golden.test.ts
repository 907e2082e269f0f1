/**
 * Transcripts of sessions: each command in each format, in a pipe and in terminals of several widths, with ASCII and
 * Chinese names. They are compared with the files in `golden/`; a difference is a user-visible change.
 */

import { nodeFiles } from '@ecsm/command-line';
import { expectGolden } from '@ecsm/command-line/testing';
import { describe, expect, test } from 'vitest';
import { createService, type Kit, markOf, simulated, type TranscriptLine, transcript } from './platform.kit.ts';
import { ecsmCli } from './program.ts';

const narrow = { columns: 48, rows: 20 };
const normal = { columns: 80, rows: 24 };
const broad = { columns: 200, rows: 50 };

const inTerminal = (line: string, terminal = normal): TranscriptLine => ({ line, terminal });

/** Three nodes and one with a Chinese name, services with and without an owner, one of them with a failed deployment. */
async function fleet(): Promise<Kit> {
  const kit = await simulated();
  const { platform } = kit.simulator;
  platform.addNode({ name: '三号机', ip: '10.0.0.20', port: 1112, password: 'x', type: 'linux', arch: 'x86-64' });
  await createService(kit, 'telemetry', {
    factor: 2,
    env: ['RATE=10', 'DB_PASSWORD=hunter2'],
    vsoa: { password: 'x' },
  });
  await createService(kit, '遥测网关', { image: 'gateway@1.0.0#linux', nodes: ['三号机'] });
  await createService(kit, 'orbit.camera', { image: 'camera@1.0.0#sylixos', env: markOf('orbit', 'camera') });
  platform.failDeployments({ service: 'thermal', message: '磁盘空间不足', count: 1 });
  await createService(kit, 'thermal', { image: 'thermal@1.0.0#sylixos', nodes: ['node-2', 'node-3'] });
  await kit.clock.advance(95_000);
  platform.cutNode(platform.nodeNamed('node-3')?.id ?? '');
  await kit.clock.advance(1_000);
  return kit;
}

const formats = [
  'table',
  'wide',
  'yaml',
  'json',
  'name',
  "jsonpath='{.items[*].name}'",
  'custom-columns=N:.name,ID:.id',
];

describe('golden', () => {
  test.each(['nodes', 'services', 'containers', 'images', 'records'])('get %s', async (kind) => {
    const kit = await fleet();
    const filter = kind === 'records' ? ' --service telemetry' : kind === 'images' ? ' --name camera' : '';
    const line = (format: string) => `ecsm-cli get ${kind}${filter} -o ${format}`;
    const text = await transcript(kit, [
      ...formats.map(line),
      inTerminal(line('table')),
      inTerminal(line('table'), narrow),
      inTerminal(line('wide'), broad),
      `ecsm-cli get ${kind}${filter} --no-headers --limit 1`,
    ]);
    expectGolden(new URL(`golden/get-${kind}.txt`, import.meta.url), text);
  });

  test('get by name, by id, by filter', async () => {
    const kit = await fleet();
    const id = kit.simulator.platform.serviceNamed('telemetry')?.id ?? '';
    const text = await transcript(kit, [
      'ecsm-cli get service telemetry 遥测网关',
      `ecsm-cli get svc/${id} no/三号机`,
      'ecsm-cli get service telemetry -o yaml',
      'ecsm-cli get node node-3 -o json',
      'ecsm-cli get service camera -n orbit',
      'ecsm-cli get services -n orbit',
      'ecsm-cli get services -n default',
      'ecsm-cli get services -n nowhere',
      'ecsm-cli get services --node node-3',
      'ecsm-cli get services --image gateway@1.0.0#linux',
      'ecsm-cli get services --name metr',
      'ecsm-cli get services --label /nothing',
      'ecsm-cli get containers --service 遥测网关',
      'ecsm-cli get containers --node node-1',
      'ecsm-cli get containers -n orbit',
      'ecsm-cli get containers --key camera',
      'ecsm-cli get nodes --basic --name node',
      'ecsm-cli get images --os linux --author admin --sort-by .size',
      'ecsm-cli get nodes,services --sort-by .name --no-headers',
      'ecsm-cli get nodes,services -o name',
      'ecsm-cli get images --limit 2',
    ]);
    expectGolden(new URL('golden/get-some.txt', import.meta.url), text);
  });

  test('describe', async () => {
    const kit = await fleet();
    const { platform } = kit.simulator;
    const container = platform.containersOfService(platform.serviceNamed('telemetry')?.id ?? '')[0]?.name;
    await kit.run(['stop', 'container', container ?? '']);
    await kit.clock.advance(5_000);
    const record = platform.recordsOf(platform.serviceNamed('telemetry')?.id ?? '')[0]?.id;
    const text = await transcript(kit, [
      'ecsm-cli describe service telemetry',
      inTerminal('ecsm-cli describe service orbit.camera thermal', narrow),
      inTerminal('ecsm-cli describe node node-1'),
      'ecsm-cli describe node/三号机 node/node-3',
      `ecsm-cli describe container ${container}`,
      'ecsm-cli describe image gateway@1.0.0',
      `ecsm-cli describe record ${record}`,
      { line: 'ecsm-cli describe service camera -n orbit', terminal: normal, coloured: true },
    ]);
    expectGolden(new URL('golden/describe.txt', import.meta.url), text);
  });

  test('top', async () => {
    const kit = await fleet();
    const { platform } = kit.simulator;
    platform.setLoad(platform.serviceNamed('telemetry')?.id ?? '', { cpuPercent: 90, memoryBytes: 1_900_000_000 });
    await kit.clock.advance(60_000);
    const text = await transcript(kit, [
      'ecsm-cli top nodes',
      'ecsm-cli top nodes -o wide --no-headers',
      'ecsm-cli top nodes -o json --name node-1',
      inTerminal('ecsm-cli top nodes --once'),
      { line: 'ecsm-cli top nodes --once', terminal: normal, env: { LANG: 'C' } },
      inTerminal('ecsm-cli top nodes --once', narrow),
      'ecsm-cli top containers',
      'ecsm-cli top containers --service telemetry -o yaml',
      'ecsm-cli top containers --node node-1 --sort-by .memoryBytes',
      inTerminal('ecsm-cli top containers -n orbit --once', broad),
      { line: 'ecsm-cli top containers --once', terminal: normal, coloured: true },
    ]);
    expectGolden(new URL('golden/top.txt', import.meta.url), text);
  });

  test('changes', async () => {
    const kit = await fleet();
    const files = nodeFiles({
      here: new URL('../../../../examples/ecsm-cli', import.meta.url).pathname,
      home: '/nowhere',
    });
    const id = () => kit.simulator.platform.serviceNamed('telemetry')?.id ?? '';
    const container = kit.simulator.platform.containersOfService(id())[0]?.name;
    const first = await transcript(kit, [
      { line: 'ecsm-cli create service -f camera.yaml', nodeFiles: files },
      { line: 'ecsm-cli create service -f camera.yaml', nodeFiles: files },
      { line: 'ecsm-cli update service -f telemetry.yaml --wait', nodeFiles: files },
      'ecsm-cli get services --name e',
      'ecsm-cli scale service telemetry --replicas 3 --wait',
      'ecsm-cli stop telemetry --wait',
      'ecsm-cli start service/telemetry --wait',
      `ecsm-cli pause container ${container}`,
      `ecsm-cli unpause container/${container} --wait`,
      'ecsm-cli restart service telemetry camera',
      'ecsm-cli redeploy telemetry',
      'ecsm-cli scale thermal --replicas 3',
      'ecsm-cli delete telemetry',
      'ecsm-cli delete service camera --yes --wait',
      { line: 'ecsm-cli delete telemetry', terminal: normal, answers: ['n'] },
    ]);
    const record = kit.simulator.platform.recordsOf(id())[0]?.id ?? '';
    const second = await transcript(kit, [
      'ecsm-cli rollback telemetry',
      'ecsm-cli rollback telemetry --to 0123',
      `ecsm-cli rollback telemetry --to ${record.slice(0, 8)} --wait`,
      `ecsm-cli delete record ${record} --yes`,
      { line: 'ecsm-cli delete service telemetry', terminal: normal, answers: ['yes'] },
      'ecsm-cli get services',
    ]);
    expectGolden(new URL('golden/changes.txt', import.meta.url), `${first}\n${second}`);
  });

  test('nodes and images', async () => {
    const kit = await fleet();
    const { platform } = kit.simulator;
    const registry = platform.addRegistry({ name: '远程', address: 'http://10.0.0.99:5000', standard: 'ecsm' });
    platform.pushImage({ name: 'radar', tag: '1.0.0', os: 'sylixos', sizeBytes: 5_000_000, registryId: registry.id });
    platform.pushImage({ name: 'radar', tag: '2.0.0', os: 'sylixos', sizeBytes: 5_000_000, registryId: registry.id });
    const node2 = platform.nodeNamed('node-2')?.id ?? '';
    const files = nodeFiles({
      here: new URL('../../../../examples/ecsm-cli', import.meta.url).pathname,
      home: '/nowhere',
    });
    const env = { ECSMCLI_NODE_PASSWORD: 'hunter2' };
    const first = await transcript(kit, [
      'ecsm-cli node check',
      inTerminal('ecsm-cli node check node-3', narrow),
      'ecsm-cli node check node-1 -o json',
      { line: 'ecsm-cli node add 九号机 --address 10.0.0.9:1112 --tls', env },
      { line: 'ecsm-cli node add node-1 --address 10.0.0.8:1112', env },
      { line: 'ecsm-cli node add node-8 --address 10.0.0.9:1112 --tls', env },
      'ecsm-cli node remove 九号机',
      { line: 'ecsm-cli node remove 九号机', terminal: normal, answers: ['y'] },
      'ecsm-cli node remove node-1 node-2 --yes',
      'ecsm-cli image list --name camera',
      'ecsm-cli image list nginx -o name',
      { line: 'ecsm-cli image upload radar.tar --description radar@1.0.0#sylixos --wait', nodeFiles: files },
      { line: 'ecsm-cli image upload radar.tar', nodeFiles: files },
      `ecsm-cli image list --registry ${registry.id}`,
      `ecsm-cli image sync radar --registry ${registry.id}`,
      `ecsm-cli image sync radar@2.0.0 --registry ${registry.id}`,
    ]);
    await kit.clock.advance(1_000);
    platform.setNodeTrueType(node2, 'linux');
    const second = await transcript(kit, [
      'ecsm-cli image list --name radar',
      'ecsm-cli node check node-2',
      'ecsm-cli node check node-2 --refresh',
    ]);
    const text = `${first}\n${second}`.replaceAll(registry.id, 'REGISTRY');
    expectGolden(new URL('golden/nodes-and-images.txt', import.meta.url), text);
  });

  test('raw, config, version', async () => {
    const kit = await fleet();
    const files = { '.ecsm-cli.yaml': 'timeout: 1m\nheader: ["Authorization: Bearer x"]\n', 'body.json': '{"ids":[]}' };
    const text = await transcript(kit, [
      'ecsm-cli raw GET /service/summary',
      'ecsm-cli raw get /api/v1/service/summary -o yaml',
      "ecsm-cli raw GET '/node?pageNum=1&pageSize=2' -o jsonpath='{.data.list[*].password}'",
      "ecsm-cli raw GET '/service?pageNum=1&pageSize=9&name=%E9%81%A5' -o jsonpath='{.data.list[*].name}'",
      { line: 'ecsm-cli raw POST /service/start/ids -d @body.json', files },
      { line: 'ecsm-cli raw POST /service/start/ids -d @-', input: '{"ids":[]}' },
      'ecsm-cli raw GET /service/nobody',
      'ecsm-cli raw GET /nothing',
      { line: 'ecsm-cli config view --port 3002', files, env: { ECSMCLI_URL: '', ECSMCLI_HOST: 'ecsm.site' } },
      { line: 'ecsm-cli config view -o json', files },
      { line: 'ecsm-cli config view', terminal: narrow, env: { ECSMCLI_ZONE: '+08:00' } },
      { line: 'ecsm-cli version', nodeFiles: nodeFiles({ here: '/', home: '/' }) },
      'ecsm-cli -v get services --name telemetry',
    ]);
    expectGolden(new URL('golden/raw-config-version.txt', import.meta.url), text);
  });

  test('help of every command', async () => {
    const kit = await simulated();
    const paths = ecsmCli.commands.flatMap(({ name, commands = [] }) => [
      name,
      ...commands.map((sub) => `${name} ${sub.name}`),
    ]);
    const text = await transcript(kit, ['ecsm-cli --help', ...paths.map((path) => `ecsm-cli help ${path}`)]);
    // The flags of every command are the same everywhere.
    expectGolden(
      new URL('golden/help.txt', import.meta.url),
      text.replace(/\nFlags of every command:\n[\s\S]*?print help and exit\n/g, ''),
    );
    for (const line of text.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80);
  });
});
