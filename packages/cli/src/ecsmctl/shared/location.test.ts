/**
 * Goal: no command uses or creates a registry that its user does not know of. Method: real files and a real server, with
 * `KUBECONFIG` set to a cluster that serves our kinds, to a foreign one, or to one that does not answer.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { nodeFiles } from '@ecsm/command-line';
import { systemClock } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kitPool } from './history.kit.ts';
import { type RegistryKit, usedByOperator } from './registry.kit.ts';

const kits = kitPool(16);
const manifest = `apiVersion: ecsm.sh/v1
kind: ECSMService
metadata: { name: telemetry }
spec:
  deploymentStrategy: { type: Dynamic, replicas: 1, nodePool: [node-1] }
  template: { image: telemetry@1.0.0#sylixos }
`;

let server: Server;
let serves = '';
let isServing = true;
const requested: string[] = [];
beforeAll(async () => {
  server = createServer(({ method = '', url = '' }, response) => {
    requested.push(`${method} ${url.split('?')[0]}`);
    const isGroup = url === '/apis/ecsm.sh/v1';
    const isList = url.startsWith('/apis/ecsm.sh/v1/') && method === 'GET';
    const code = isServing && (isGroup || isList) ? 200 : 404;
    const list = { apiVersion: 'ecsm.sh/v1', kind: 'ECSMServiceList', metadata: { resourceVersion: '7' }, items: [] };
    const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'NotFound', message: 'none', code };
    const group = { apiVersion: 'v1', kind: 'APIResourceList', groupVersion: 'ecsm.sh/v1', resources: [] };
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(code === 404 ? status : isGroup ? group : list));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  serves = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function kubeconfig(address: string): string {
  return JSON.stringify({
    'current-context': 'site-7',
    contexts: ['site-7', 'site-8'].map((name) => ({ name, context: { cluster: 'one', user: 'jane' } })),
    clusters: [{ name: 'one', cluster: { server: address } }],
    users: [{ name: 'jane', user: { token: 'secret' } }],
  });
}

/** A user without settings, in the home directory of the kit. `address`: the server of `KUBECONFIG`. */
function userOf(kit: RegistryKit, address: string | undefined) {
  const file = join(kit.directory, 'cluster.yaml');
  if (address !== undefined) writeFileSync(file, kubeconfig(address));
  writeFileSync(join(kit.directory, 'telemetry.yaml'), manifest);
  const env = { ECSM_REGISTRY: '', ECSM_HOME: kit.directory, KUBECONFIG: address === undefined ? '' : file };
  const files = nodeFiles({ here: kit.directory, home: kit.directory });
  return async (line: string, more: Readonly<Record<string, string>> = {}) => {
    requested.length = 0;
    const options = { env: { ...env, ...more }, nodeFiles: files, clock: systemClock };
    const { code, out, err } = await kit.run(line, options);
    return { code, out, err };
  };
}

const unreachable = 'http://127.0.0.1:1';

describe('with KUBECONFIG and without a local registry', () => {
  it('reads use the current context, if it serves our kinds', async () => {
    const run = userOf(kits(), serves);
    expect(await run('get services')).toEqual({ code: 0, out: '', err: 'No resources found in default namespace.\n' });
    expect(requested.slice(0, 2)).toEqual([
      'GET /apis/ecsm.sh/v1',
      'GET /apis/ecsm.sh/v1/namespaces/default/ecsmservices',
    ]);
    expect((await run('config view')).out).toMatch(/registry +kubernetes: +KUBECONFIG/);
  });

  it('writes name the context once', async () => {
    const run = userOf(kits(), serves);
    for (const line of [
      'apply -f telemetry.yaml',
      'delete service telemetry',
      'scale service telemetry --replicas 2',
    ]) {
      const { err } = await run(line);
      expect(err).toContain(`using context "site-7" (${serves}) of KUBECONFIG\n`);
      expect(err.match(/using context/g)).toHaveLength(1);
      expect(err).not.toContain('created the registry');
    }
  });

  it.each([
    ['does not serve ecsm.sh/v1', false],
    ['cannot be used: ', undefined],
  ])('reads exit with 2 and name both choices if it %s', async (why, isThere) => {
    const kit = kits();
    const run = userOf(kit, isThere === undefined ? unreachable : serves);
    isServing = false;
    const { code, out, err } = await run('get services');
    isServing = true;
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`ecsmctl: there is no registry: the current context of KUBECONFIG, "site-7"`);
    expect(err).toContain(why);
    expect(err).toContain(
      `and there is none at sqlite:${kit.directory}/registry: name a registry with --registry, --context or ECSM_REGISTRY, or create that one with "ecsmctl apply"\n`,
    );
  });

  it.each([
    ['has no current context', '{}'],
    ['is not a kubeconfig', 'clusters: 7'],
    ['does not exist', undefined],
  ])('reads exit with 2 if the file %s', async (_what, content) => {
    const kit = kits();
    const run = userOf(kit, unreachable);
    const file = join(kit.directory, 'other.yaml');
    if (content !== undefined) writeFileSync(file, content);
    const { code, err } = await run('get services', { KUBECONFIG: file });
    expect([code, err]).toEqual([2, expect.stringContaining(`KUBECONFIG (${file})`)]);
  });

  it('apply creates the local registry, and says why', async () => {
    const kit = kits();
    const run = userOf(kit, unreachable);
    const { code, out, err } = await run('apply -f telemetry.yaml');
    expect({ code, out }).toEqual({ code: 0, out: 'ecsmservice/telemetry created\n' });
    const start = `created the registry sqlite:${kit.directory}/registry: the current context of KUBECONFIG, "site-7"`;
    expect(err.startsWith(start)).toBe(true);
    expect(err).toContain('warning: no operator has ever used this registry');
  });

  it('dry runs create nothing', async () => {
    const run = userOf(kits(), unreachable);
    expect(await run('apply -f telemetry.yaml --dry-run')).toMatchObject({ code: 0, err: '' });
    expect(await run('get services')).toMatchObject({ code: 2 });
  });
});

describe('with KUBECONFIG', () => {
  it('a local registry is used as without it, and no server is asked', async () => {
    const kit = kits();
    await usedByOperator(await kit.open());
    const run = userOf(kit, serves);
    expect(await run('apply -f telemetry.yaml')).toEqual({ code: 0, out: 'ecsmservice/telemetry created\n', err: '' });
    expect(await run('get services -o name')).toEqual({ code: 0, out: 'ecsmservice/telemetry\n', err: '' });
    expect(requested).toEqual([]);
  });

  it.each([
    ['ECSM_REGISTRY', (url: string) => ({ ECSM_REGISTRY: url }), ''],
    ['--registry', () => ({}), ' --registry URL'],
    ['the config file', () => ({}), ''],
  ])('a registry named by %s is used, and no server is asked', async (what, variables, flags) => {
    const kit = kits();
    const url = `sqlite:${join(kit.directory, 'named')}`;
    if (what === 'the config file') writeFileSync(join(kit.directory, '.ecsmctl.yaml'), `registry: ${url}\n`);
    const run = userOf(kit, serves);
    const { code, err } = await run(`apply -f telemetry.yaml${flags.replace('URL', url)}`, variables(url));
    expect([code, err]).toEqual([0, expect.stringContaining(`created the registry ${url}\n`)]);
    expect(requested).toEqual([]);
  });
});

it('~/.kube/config is not used unasked', async () => {
  const kit = kits();
  mkdirSync(join(kit.directory, '.kube'));
  writeFileSync(join(kit.directory, '.kube', 'config'), kubeconfig(serves));
  const run = userOf(kit, undefined);
  expect(await run('get services')).toMatchObject({ code: 1, err: expect.stringContaining('there is no registry at') });
  expect(requested).toEqual([]);
  expect(await run('get services --context site-7')).toMatchObject({ code: 0 });
});

describe('config use-context', () => {
  it('is what the next command uses, if KUBECONFIG selects the registry', async () => {
    const run = userOf(kits(), serves);
    expect(await run('config use-context site-8')).toEqual({
      code: 0,
      out: 'Switched to context "site-8".\n',
      err: '',
    });
    expect((await run('delete service telemetry')).err).toContain('using context "site-8"');
  });

  it('says that ecsmctl uses another registry', async () => {
    const kit = kits();
    await usedByOperator(await kit.open());
    const run = userOf(kit, serves);
    const remedy = 'To use it: --context site-8, or ECSM_REGISTRY=kubernetes: for the current context\n';
    expect(await run('config use-context site-8')).toEqual({
      code: 0,
      out: 'Switched to context "site-8".\n',
      err: `ecsmctl does not use it: its registry is ${kit.url}. ${remedy}`,
    });
    const named = await run('config use-context site-8', { ECSM_REGISTRY: 'kubernetes:site-7' });
    expect(named.err).toBe(`ecsmctl does not use it: its registry is kubernetes:site-7 (ECSM_REGISTRY). ${remedy}`);
    expect((await run('config use-context site-8', { ECSM_REGISTRY: 'kubernetes:' })).err).toBe('');
  });
});
