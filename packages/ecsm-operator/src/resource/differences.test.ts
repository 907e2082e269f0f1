/** What counts as a difference between the desired and the actual service, and how it is described. */
import type { ServiceBody, ServiceDetail } from '@ecsm/client';
import { describe, expect, it } from 'vitest';
import { fullService, smallService } from '../apis/service.kit.ts';
import { differences as differencesOf, isOfNodes, isOfSize } from './differences.ts';
import { rendered } from './platform.kit.ts';

const differences = (...args: Parameters<typeof differencesOf>) => differencesOf(...args).map(({ line }) => line);

const body = rendered(fullService);

/** The service as a platform returns it that stores exactly what was sent. */
function shownOf({ prepull: _, ...wanted }: ServiceBody): ServiceDetail {
  const image = { ...wanted.image, config: { ...wanted.image.config } };
  return { id: 's-1', status: 'complete', updatedTime: 't', policy: 'static', ...wanted, image };
}

const actual = shownOf(body);
const withImage = (image: object) => ({ ...actual, image: { ...actual.image, ...image } });
const withConfig = (config: object) => withImage({ config: { ...body.image.config, ...config } });
const withVsoa = (vsoa: object) => withImage({ vsoa: { ...body.image.vsoa, ...vsoa } });
const env: string[] = Object(body.image.config.process).env;
const withEnv = (lines: unknown) => withConfig({ process: { args: ['/apps/telemetry'], env: lines } });

describe('there is no difference', () => {
  it.each<[what: string, actual: ServiceDetail]>([
    ['in what was asked for', actual],
    [
      'where the platform adds fields of its own',
      withConfig({ more: 1, root: { path: 'rootfs', readonly: false, x: 1 } }),
    ],
    ['where numbers are texts', { ...withVsoa({ healthTimeout: '3000' }), factor: '3' }],
    ['where truths are numbers', withConfig({ root: { path: 'rootfs', readonly: 0 } })],
    ['in the order of nodes', { ...actual, node: { names: ['node-3', 'node-1', 'node-2', 'node-2'] } }],
    [
      'where nodes are only listed',
      { ...actual, node: null, nodeList: ['1', '2', '3'].map((n) => ({ nodeName: `node-${n}` })) },
    ],
    ['in the order of variables', withEnv([...env].reverse())],
    ['in a port that the platform chose', withVsoa({ port: 31_000 })],
    ['in what cannot be seen', { ...actual, prepull: true } as ServiceDetail],
    [
      'in lists that are empty or missing',
      withConfig({ sylixos: { ...(body.image.config.sylixos as object), devices: null, commands: undefined } }),
    ],
  ])('%s', (_, one) => {
    expect(differences(body, one)).toEqual([]);
  });

  it('in the factor of a static service', () => {
    const fixed = rendered(smallService({ deploymentStrategy: { type: 'Static', nodes: ['node-1'] } }));
    expect(differences({ ...fixed, factor: 3 }, { ...shownOf(fixed), factor: 9 })).toEqual([]);
  });
});

describe('a difference is reported', () => {
  it.each<[actual: ServiceDetail, lines: string[]]>([
    [withImage({ ref: 'telemetry@0.9.0#sylixos' }), ['image.ref: telemetry@0.9.0#sylixos → telemetry@1.0.0#sylixos']],
    [{ ...actual, factor: 2 }, ['factor: 2 → 3']],
    [{ ...actual, factor: null }, ['factor: none → 3']],
    [{ ...actual, policy: 'static', factor: 1 }, ['policy: static → dynamic', 'factor: 1 → 3']],
    [{ ...actual, name: 'other' }, ['name: other → telemetry']],
    [{ ...actual, node: { names: ['node-1'] } }, ['node.names: ["node-1"] → ["node-1","node-2","node-3"]']],
    [withEnv(env.map((line) => line.replace('=10', '=20'))), ['image.config.process.env[RATE]: differs (not shown)']],
    [withEnv(env.slice(1)), ['image.config.process.env[RATE]: none → <hidden>']],
    [withEnv([...env, 'DEBUG=1']), ['image.config.process.env[DEBUG]: <hidden> → none']],
    [withEnv([...env, 'RATE=20']), ['image.config.process.env[RATE, again]: <hidden> → none']],
    [withConfig({ hostname: undefined }), ['image.config.hostname: none → telemetry']],
    [withConfig({ root: { path: 'rootfs', readonly: true } }), ['image.config.root.readonly: true → false']],
    [
      withConfig({ mounts: [{ destination: '/etc/lic', source: '/etc/lic', options: ['rw'] }] }),
      ['image.config.mounts[/etc/lic].options: ["rw"] → ["ro"]'],
    ],
    [
      withConfig({ mounts: [] }),
      [
        'image.config.mounts[/etc/lic].destination: none → /etc/lic',
        'image.config.mounts[/etc/lic].source: none → /etc/lic',
        'image.config.mounts[/etc/lic].options: [] → ["ro"]',
      ],
    ],
    [withVsoa({ healthTimeout: 1 }), ['image.vsoa.healthTimeout: differs (not shown)']],
  ])('%#', (one, lines) => {
    expect(differences(body, one)).toEqual(lines);
  });

  it('for all fields if there is no image', () => {
    expect(differences(rendered(smallService()), { ...shownOf(rendered(smallService())), image: null })).toHaveLength(
      6,
    );
  });

  it('in a short text for a long value', () => {
    const [line = ''] = differences(body, withConfig({ hostname: 'x'.repeat(10_000) }));
    expect(line.length).toBeLessThan(200);
    const same = 'x'.repeat(1000);
    const long = rendered(smallService({ template: { image: 'worker@1.0.0', hostname: `${same}1`.slice(0, 253) } }));
    const other = { ...long.image.config, hostname: `${same}2`.slice(0, 252) };
    const seen = shownOf(long);
    expect(differences(long, { ...seen, image: { ...seen.image, config: other } })).toEqual([
      'image.config.hostname: differs (not shown)',
    ]);
  });
});

describe('a secret is not shown', () => {
  const secrets = ['hunter2', 'swordfish'];
  const input = smallService({
    template: {
      image: 'nginx@1.0.0#linux',
      command: ['nginx', '--password', 'hunter2'],
      env: [
        { name: 'DB_PASSWORD', value: 'hunter2' },
        { name: 'SECRET.A', value: 'hunter2' },
        { name: 'S3_ACCESS_KEY', value: 'hunter2' },
        { name: 'AWS_ACCESS_KEY_ID', value: 'hunter2' },
        { name: 'DB_PASS', value: 'hunter2' },
        { name: 'DSN', value: 'Server=db;Pwd=hunter2' },
      ],
      vsoa: { password: 'hunter2' },
      platformSpecific: {
        linux: { login: { token: 'hunter2' }, variables: [{ name: 'API_TOKEN', value: 'hunter2' }] },
      },
    },
  });

  it('only that it differs', () => {
    const wanted = rendered(input);
    const changed: ServiceBody = JSON.parse(JSON.stringify(wanted).replaceAll('hunter2', 'swordfish'));
    const lines = differences(wanted, shownOf(changed));
    expect(lines.map((line) => line.slice(0, line.indexOf(': '))).sort()).toEqual([
      'image.config.cmd',
      'image.config.env[AWS_ACCESS_KEY_ID]',
      'image.config.env[DB_PASSWORD]',
      'image.config.env[DB_PASS]',
      'image.config.env[DSN]',
      'image.config.env[S3_ACCESS_KEY]',
      'image.config.env[SECRET.A]',
      'image.config.login.token',
      'image.config.variables',
      'image.vsoa.password',
    ]);
    for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret);
    expect(lines).toContain('image.vsoa.password: differs (not shown)');
  });

  it('whatever its variable is called and whatever it looks like', () => {
    const names = ['ADMIN_PIN', 'TOTP_SEED', 'HASH_SALT', 'SNMP_COMMUNITY', 'MNEMONIC', 'ENABLED', 'EMPTY'];
    const values = ['4711', 'JBSWY3DP', 'pepper', 'public', 'witch collapse', 'true', ''];
    for (const os of ['sylixos', 'linux']) {
      const template = {
        image: `worker@1.0.0#${os}`,
        command: ['/apps/worker', 'swordfish'],
        env: names.map((name, index) => ({ name, value: values[index] ?? '' })),
        vsoa: { port: 4001, password: 'true', healthCheck: { path: '/health-4711' } },
        ...(os === 'linux' && { platformSpecific: { linux: { entrypoint: ['/bin/swordfish'], cmd: ['x4711'] } } }),
      };
      const wanted = rendered(smallService({ template }));
      const others = rendered(
        smallService({
          template: {
            ...template,
            command: ['/apps/worker', 'other-4711'],
            env: names.map((name) => ({ name, value: `other-${name.length}` })),
            vsoa: { port: 4002, password: 'other-4711', healthCheck: { path: '/other-4711' } },
            ...(os === 'linux' && { platformSpecific: { linux: { entrypoint: 'other-4711', cmd: 'other-4711' } } }),
          },
        }),
      );
      const lines = differences(wanted, shownOf(others)).join('\n');
      for (const name of [...names, 'vsoa.password', 'vsoa.port']) expect(lines).toContain(name);
      expect(lines).not.toMatch(/4711|JBSWY|pepper|public|witch|swordfish|other|: true|400[12]/);
    }
  });

  it('only that it is missing', () => {
    const wanted = rendered(input);
    const bare = shownOf(wanted);
    const lines = differences(wanted, { ...bare, image: { ...bare.image, vsoa: null } });
    expect(lines).toEqual([expect.stringMatching(/^image\.vsoa\.password: none → /)]);
    expect(lines.join()).not.toContain('hunter2');
  });
});

it('distinguishes the size of a service from its template by path', () => {
  const kinds = (detail: ServiceDetail) => differencesOf(body, detail).map((one) => [isOfSize(one), isOfNodes(one)]);
  expect(kinds({ ...actual, factor: 9 })).toEqual([[true, false]]);
  expect(kinds({ ...actual, node: { names: ['node-9'] } })).toEqual([[true, true]]);
  expect(kinds(withConfig({ hostname: 'factor: 3' }))).toEqual([[false, false]]);
});
