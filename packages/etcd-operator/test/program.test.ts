/** `etcd-operator` as a real process against our API server: what it prints, and its exit codes. */
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcessNode } from '@ecsm/process-node';
import { readManifests } from '@ecsm/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { etcdBinaries, skipWithoutRelease } from '../src/client/etcd/binaries.kit.ts';
import { EtcdCluster } from '../src/index.ts';
import { definitions, installation } from '../src/program/manifests.ts';
import { openSite, runProgram, startProgram } from './program.kit.ts';

const timeoutMs = 600_000;
const one = { metadata: { name: 'main' }, spec: { size: 1, version: 'v3.5.16' } };

describe('etcd-operator --once', () => {
  it('ends with 0 if there is nothing to do', async () => {
    const { kubeconfig } = await openSite();
    const { code, out, err } = await runProgram(['--once', '--kubeconfig', kubeconfig]);
    expect(code, err).toBe(0);
    expect(out).toBe('every cluster is as its spec says\n');
  });

  it('ends with 1 after its timeout, and names the clusters with the reasons', async () => {
    const { kubeconfig, registry } = await openSite();
    await registry.resource(EtcdCluster).create(one);
    const { code, out, err } = await runProgram(['--once', '--timeout-seconds', '4'], { KUBECONFIG: kubeconfig });
    expect(err).toContain('etcd-operator: timed out after 4 s: clusters that are not as their spec says:\n');
    expect(err).toMatch(/^ {2}default\/main: \S.*\n$/m);
    expect(out).toBe('');
    expect(code).toBe(1);
  });

  it('looks only at the clusters of its namespace', async () => {
    const { kubeconfig, registry } = await openSite();
    await registry.resource(EtcdCluster).create(one);
    const argv = ['--once', '-n', 'databases', '--timeout-seconds', '30', '--kubeconfig', kubeconfig];
    expect(await runProgram(argv)).toMatchObject({ code: 0, out: 'every cluster is as its spec says\n' });
    expect((await registry.resource(EtcdCluster).get('main')).status).toBeUndefined();
  });

  it('ends with 1 when it is interrupted', async () => {
    const { kubeconfig, registry } = await openSite();
    await registry.resource(EtcdCluster).create(one);
    const { child, until, ended, err } = startProgram(['--once', '--kubeconfig', kubeconfig]);
    await until(/applyObjects/);
    child.kill('SIGINT');
    expect(await ended).toBe(1);
    expect(err()).toContain('etcd-operator: interrupted: clusters that are not as their spec says:\n  default/main: ');
  });

  it.skipIf(skipWithoutRelease('3.5'))('ends with 0 when a cluster is ready', { timeout: timeoutMs }, async () => {
    const { kubeconfig, registry } = await openSite();
    const node = await startProcessNode({ registry, binaries: () => etcdBinaries('3.5').directory });
    onTestFinished(() => node.stop());
    await registry.resource(EtcdCluster).create(one);
    const { code, out, err } = await runProgram(['--once', '--timeout-seconds', '180', '--kubeconfig', kubeconfig]);
    expect(code, err).toBe(0);
    expect(out).toBe('every cluster is as its spec says\n');
    const { status } = await registry.resource(EtcdCluster).get('main');
    expect(status).toMatchObject({ phase: 'Running', readyReplicas: 1 });
  });
});

describe('etcd-operator run', () => {
  it('serves health and metrics until SIGTERM, and ends with 0', async () => {
    const { kubeconfig } = await openSite();
    const argv = ['--listen', '127.0.0.1:0', '--kubeconfig', kubeconfig];
    const { child, until, ended, err } = startProgram(argv);
    await until(/health server listening url=\S+\n/);
    const url = /health server listening url=(\S+)/.exec(err())?.[1];
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('# TYPE etcd_cluster_has_leader gauge');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(err()).toContain('operator stopped');
  });
});

describe('without a usable kubeconfig', () => {
  it.each([
    ['no file', '', 1, 'there is no kubeconfig: set KUBECONFIG, create ~/.kube/config, or run in a pod of Kubernetes'],
    ['a missing file', '--kubeconfig /no/such', 2, '--kubeconfig: there is no file "/no/such"'],
    ['a missing context', '--kubeconfig FILE --context site-7', 1, 'there is no context "site-7"'],
    ['a file that is not YAML', '--kubeconfig BAD', 1, 'not valid YAML'],
  ])('%s is reported in one line', async (_what, line, expected, message) => {
    const { directory, kubeconfig } = await openSite();
    const bad = join(directory, 'bad.kubeconfig');
    writeFileSync(bad, 'clusters: [\n');
    const words = line.replace('FILE', kubeconfig).replace('BAD', bad).split(' ');
    const { code, err } = await runProgram(['--once', ...words.filter((word) => word !== '')]);
    expect(err).toMatch(/^etcd-operator: .*\n(Try: etcd-operator --help\n)?$/);
    expect(err).toContain(message);
    expect(code).toBe(expected);
  });

  it('a server that does not answer is reported after the timeout', async () => {
    const { directory } = await openSite();
    const file = join(directory, 'dead.kubeconfig');
    const cluster = { name: 'a', cluster: { server: 'http://127.0.0.1:1' } };
    const context = { name: 'a', context: { cluster: 'a' } };
    writeFileSync(file, JSON.stringify({ 'current-context': 'a', clusters: [cluster], contexts: [context] }));
    const { code, err } = await runProgram(['--once', '--timeout-seconds', '1', '--kubeconfig', file]);
    expect(err).toContain('etcd-operator: http://127.0.0.1:1 is unavailable: connection refused (ECONNREFUSED)\n');
    expect(code).toBe(1);
  });
});

describe('commands for an installation', () => {
  const printed = async (...argv: string[]) => {
    const { code, out } = await runProgram(argv);
    expect(code).toBe(0);
    return (await readManifests(Buffer.from(out), { file: 'out' })).map(({ object }) => object);
  };

  it('crd prints the definitions', async () => {
    expect(await printed('crd')).toEqual(definitions());
  });

  it('manifests prints everything, with a default image and namespace', async () => {
    expect(await printed('manifests')).toEqual(
      installation({ image: 'etcd-operator:latest', namespace: 'etcd-operator' }),
    );
  });

  it('a wrong flag is a usage error', async () => {
    const { code, err } = await runProgram(['manifests', '--namespce', 'x']);
    expect(err).toContain('unknown flag --namespce');
    expect(code).toBe(2);
  });
});

it('etcd-operator backup fetch ends in one line when it is interrupted, and leaves no file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'etcd-operator-fetch-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'large.db');
  writeFileSync(file, '');
  truncateSync(file, 4e9);
  const { child, ended, err } = startProgram(['backup', 'fetch', file, join(directory, 'copy.db')]);
  const isWriting = () => readdirSync(directory).some((name) => name.endsWith('.part'));
  await expect.poll(isWriting, { interval: 5 }).toBe(true);
  child.kill('SIGINT');
  expect(await ended, err()).toBe(1);
  expect(err()).toBe('etcd-operator: interrupted\n');
  expect(readdirSync(directory)).toEqual(['large.db']);
});
