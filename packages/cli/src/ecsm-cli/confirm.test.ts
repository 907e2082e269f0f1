/** Confirmation of changes of the operator's services and of irreversible changes. */

import { runProgram } from '@ecsm/command-line';
import { testTerminal } from '@ecsm/command-line/testing';
import { describe, expect, test } from 'vitest';
import { createService, type Kit, markOf, serviceBody, simulated } from './platform.kit.ts';
import { ecsmCli } from './program.ts';

const terminal = { columns: 80, rows: 24 };

async function owned(): Promise<Kit> {
  const kit = await simulated();
  await createService(kit, 'orbit.telemetry', { factor: 2, env: markOf('orbit', 'telemetry') });
  await createService(kit, 'mine', { factor: 2 });
  return kit;
}

const stateOf = (kit: Kit) => JSON.stringify([kit.simulator.platform.services(), kit.simulator.writes]);

async function withFiles(kit: Kit, argv: readonly string[], answers: readonly string[] = []) {
  const service = serviceBody('orbit.telemetry', { factor: 1, env: markOf('orbit', 'telemetry') });
  const test = testTerminal({
    terminal,
    answers,
    clock: kit.clock,
    env: { ECSMCLI_URL: kit.url },
    files: { 'x.yaml': JSON.stringify(service) },
  });
  const code = await runProgram(ecsmCli, argv, test.terminal);
  return { code, questions: test.questions, err: kit.shown(test.err.text), out: test.out.text };
}

const changes: readonly (readonly [line: string, instead: string])[] = [
  ['scale orbit.telemetry --replicas 3', 'ecsmctl scale ecsmservice telemetry -n orbit --replicas 3'],
  ['stop orbit.telemetry', 'ecsmctl scale ecsmservice telemetry -n orbit --replicas 0'],
  ['start orbit.telemetry', 'ecsmctl describe ecsmservice telemetry -n orbit, which shows why it does not run'],
  ['restart orbit.telemetry mine', 'ecsmctl rollout restart ecsmservice telemetry -n orbit'],
  ['pause orbit.telemetry', 'ecsmctl scale ecsmservice telemetry -n orbit --replicas 0'],
  ['unpause orbit.telemetry', 'ecsmctl describe ecsmservice telemetry -n orbit, which shows why it does not run'],
  ['redeploy orbit.telemetry', 'ecsmctl rollout restart ecsmservice telemetry -n orbit'],
  ['rollback orbit.telemetry --to RECORD', 'ecsmctl rollout undo ecsmservice telemetry -n orbit'],
  ['stop container CONTAINER', 'ecsmctl scale ecsmservice telemetry -n orbit --replicas 0'],
  ['update service -f x.yaml', 'ecsmctl edit ecsmservice telemetry -n orbit'],
  ['delete orbit.telemetry', 'ecsmctl delete ecsmservice telemetry -n orbit'],
  ['create service -f x.yaml', 'remove ECSM_OWNER and ECSM_REVISION from its environment'],
];

describe.each(changes)('%s', (line, instead) => {
  const wordsFor = (kit: Kit) => {
    const { platform } = kit.simulator;
    const id = platform.serviceNamed('orbit.telemetry')?.id ?? '';
    return line
      .replace('RECORD', platform.recordsOf(id)[0]?.id ?? '')
      .replace('CONTAINER', platform.containersOfService(id)[0]?.name ?? '')
      .split(' ');
  };
  const warning = `service "orbit.telemetry" is owned by ECSMService orbit/telemetry: the operator will revert this change. Instead: ${instead}`;

  test('is refused without a terminal, with the command to use instead', async () => {
    const kit = await owned();
    const before = stateOf(kit);
    const files = { 'x.yaml': JSON.stringify(serviceBody('orbit.telemetry', { env: markOf('orbit', 'telemetry') })) };
    const { code, out, err } = await kit.run(wordsFor(kit), { files });
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: `ecsm-cli: ${warning}. To make it anyway, add --yes\n`,
    });
    expect(stateOf(kit)).toBe(before);
  });

  test('asks for confirmation on a terminal and changes nothing after no', async () => {
    const kit = await owned();
    const before = stateOf(kit);
    const { code, questions, err } = await withFiles(kit, wordsFor(kit), ['n']);
    expect(questions).toEqual([`Warning: ${warning}\nContinue? [y/N]`]);
    expect({ code, err }).toEqual({ code: 1, err: 'ecsm-cli: nothing was changed\n' });
    expect(stateOf(kit)).toBe(before);
  });
});

test('makes the change after yes', async () => {
  const kit = await owned();
  const { code, out } = await withFiles(kit, ['scale', 'orbit.telemetry', '--replicas', '3'], ['y']);
  expect({ code, out }).toEqual({ code: 0, out: 'service/orbit.telemetry scaled\n' });
  expect(kit.simulator.platform.serviceNamed('orbit.telemetry')?.factor).toBe(3);
});

test('makes the change with --yes, with a warning', async () => {
  const kit = await owned();
  const { code, out, err } = await kit.run('scale orbit.telemetry --replicas 3 --yes');
  expect({ code, out }).toEqual({ code: 0, out: 'service/orbit.telemetry scaled\n' });
  expect(err).toMatch(/^Warning: service "orbit.telemetry" is owned by ECSMService orbit\/telemetry/);
});

test('changes a service without an owner without confirmation', async () => {
  const kit = await owned();
  const { code, questions } = await withFiles(kit, ['scale', 'mine', '--replicas', '3']);
  expect({ code, questions }).toEqual({ code: 0, questions: [] });
});

test('asks before a deletion and refuses it at the end of the input', async () => {
  const kit = await owned();
  const before = stateOf(kit);
  const { code, questions, err } = await withFiles(kit, ['delete', 'service', 'mine']);
  expect(questions).toEqual(['Delete service "mine"? [y/N]']);
  expect({ code, err }).toEqual({
    code: 1,
    err: 'ecsm-cli: delete service "mine" needs confirmation: add --yes\n',
  });
  expect(stateOf(kit)).toBe(before);
  const node = await withFiles(kit, ['node', 'remove', 'node-3'], ['no']);
  expect(node).toMatchObject({
    code: 1,
    questions: ['Remove node "node-3"? [y/N]'],
    err: 'ecsm-cli: nothing was changed\n',
  });
});

test('asks once about owned services, and again if others are deleted too', async () => {
  const kit = await owned();
  const alone = await withFiles(kit, ['delete', 'orbit.telemetry'], ['y']);
  expect(alone.questions).toEqual([expect.stringMatching(/Continue\? \[y\/N\]$/)]);
  expect(alone.out).toBe('service/orbit.telemetry deleted\n');

  const both = await owned();
  const more = await withFiles(both, ['delete', 'orbit.telemetry', 'mine'], ['y', 'n']);
  expect(more.questions).toEqual([
    expect.stringMatching(/Continue\? \[y\/N\]$/),
    'Delete 2 services "orbit.telemetry", "mine"? [y/N]',
  ]);
  expect(more).toMatchObject({ code: 1, out: '' });
});

test('accepts the output of get with settings that are null, and with fields of a newer platform', async () => {
  const kit = await simulated();
  await createService(kit, 'telemetry', { factor: 2 });
  const { out } = await kit.run('get service telemetry -o yaml');
  expect(out).toContain('vsoa: null');
  const nulls = out.replace(/pullPolicy: .*/, 'pullPolicy: null').replace('factor: 2', 'factor: 1');
  expect(await kit.run('update service -f -', { input: nulls })).toMatchObject({ code: 0, err: '' });
  expect(kit.simulator.platform.serviceNamed('telemetry')?.factor).toBe(1);
  const unknown = await kit.run('update service -f -', { input: `${out}polcy: static\n` });
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('a service has no field "polcy". Did you mean "policy"?');
});

test('never puts another value in the place of a secret, and keeps no text that was edited around one', async () => {
  const kit = await simulated();
  const body = serviceBody('telemetry');
  const process = {
    args: ['run', '--password', 'hunter2', '--mode', 'fast'],
    env: ['DB=postgres://admin:hunter2@db/main'],
  };
  const data = JSON.stringify({ ...body, image: { ...body.image, config: { process } } });
  await kit.run(['raw', 'POST', '/service', '-d', data]);
  const { out } = await kit.run('get service telemetry -o yaml');
  const update = (input: string) => kit.run('update service -f -', { input });
  const config = () => kit.simulator.platform.serviceNamed('telemetry')?.image.config;
  expect(await update(out.replace('- run\n', '- run\n        - --verbose\n        - -x\n'))).toMatchObject({ code: 0 });
  const args = ['run', '--verbose', '-x', '--password', 'hunter2', '--mode', 'fast'];
  expect(config()).toEqual({ process: { ...process, args } });
  const moved = await update(out.replace('@db/main', '@db2/main'));
  expect(moved.code).toBe(2);
  expect(moved.err).toContain(
    'image.config.process.env[0] contains "<hidden>", a placeholder for a secret, and is not the present value: write the real value',
  );
  expect(config()).toEqual({ process: { ...process, args } });
});

const jwtOf = (word: string) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N${word}`;

test.each([
  [
    'one that was moved to a new flag',
    ['--password', 'hunter2', '--token', 't0k3n'],
    ['--api-token', '<hidden>', '--password', '<hidden>'],
  ],
  ['one of two, if the other was removed', ['run', ...['one', 'two'].map(jwtOf)], ['run', '<hidden>']],
])('does not guess which secret is meant: %s', async (_, args, edited) => {
  const kit = await simulated();
  const body = serviceBody('telemetry');
  const config = { process: { args } };
  const data = JSON.stringify({ ...body, image: { ...body.image, config } });
  await kit.run(['raw', 'POST', '/service', '-d', data]);
  const { out } = await kit.run('get service telemetry -o json');
  const shown = JSON.parse(out);
  expect(JSON.stringify(shown)).not.toContain(args.at(-1));
  const image = { ...shown.image, config: { process: { args: edited } } };
  const { code, err } = await kit.run('update service -f -', { input: JSON.stringify({ ...shown, image }) });
  expect([code, err]).toEqual([2, expect.stringContaining('image.config.process.args[1] is "<hidden>"')]);
  expect(kit.simulator.platform.serviceNamed('telemetry')?.image.config).toEqual(config);
});

test('deletes all services when the output is closed, and none after Ctrl-C', async () => {
  const kit = await simulated();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await createService(kit, name);
  const names = () => kit.simulator.platform.services().map(({ name }) => name);
  const unheard = kit.start(['delete', 'a', 'b', 'c', '--yes']);
  unheard.out.isClosed = true;
  expect([await unheard.exit, names()]).toEqual([0, ['d', 'e']]);
  const stopped = kit.start(['delete', 'd', 'e', '--yes']);
  const write = stopped.out.write;
  stopped.out.write = (text) => {
    write.call(stopped.out, text);
    stopped.interrupt();
  };
  expect([await stopped.exit, names()]).toEqual([130, ['e']]);
});

test('keeps secrets when the output of get is edited and sent back', async () => {
  const kit = await simulated();
  const env = ['RATE=10', 'DB_PASSWORD=hunter2'];
  await createService(kit, 'telemetry', { factor: 2, env, vsoa: { password: 'hunter3' } });
  const { out } = await kit.run('get service telemetry -o yaml');
  expect(out).not.toContain('hunter');
  const edited = out.replace('RATE=10', 'RATE=20').replace('factor: 2', 'factor: 1');
  const { code, err } = await kit.run('update service -f -', { input: edited });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const service = kit.simulator.platform.serviceNamed('telemetry');
  expect(service?.factor).toBe(1);
  expect(service?.image.config).toEqual({ process: { args: ['/apps/x'], env: ['RATE=20', 'DB_PASSWORD=hunter2'] } });
  expect(service?.image.vsoa).toEqual({ password: 'hunter3' });
});
