/** `ecsm-apiserver` as a real process, read over HTTPS with the credentials of the administrator's kubeconfig. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRegistry } from '@ecsm/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ECSMService } from '../apis/ecsm-service.ts';
import { root, run, type Started, start, telemetry } from './process.kit.ts';

const file = join(root, 'bin', 'ecsm-apiserver');
const serving = /serving the Kubernetes API url=(\S+) kubeconfig=(\S+)/;

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-apiserver-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** With the default registry, which is below the home directory. */
function startServer(directory: string, ...argv: string[]): Started {
  const started = start(['--serve', '127.0.0.1:0', ...argv], { file, cwd: directory });
  onTestFinished(async () => {
    started.child.kill('SIGKILL');
    await started.ended;
  });
  return started;
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

function send(kubeconfig: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const text = readFileSync(kubeconfig, 'utf8');
  const field = (name: string) => new RegExp(`${name}: (\\S+)`).exec(text)?.[1] ?? '';
  const pem = (name: string) => Buffer.from(field(name), 'base64');
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, field('server')),
      {
        method,
        ca: pem('certificate-authority-data'),
        cert: pem('client-certificate-data'),
        key: pem('client-key-data'),
        headers: { 'content-type': 'application/json' },
        agent: false,
      },
      (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          received += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, body: received }));
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const services = '/apis/ecsm.sh/v1/namespaces/default/ecsmservices';

describe('ecsm-apiserver', () => {
  it('serves a registry to the administrator, and exits with 0 at a signal', async () => {
    const directory = newDirectory();
    const { until, child, ended, output } = startServer(directory);
    const [, , kubeconfig = ''] = await until(serving);
    expect(kubeconfig).toBe(join(directory, '.ecsm', 'pki', 'admin.kubeconfig'));
    expect(await send(kubeconfig, 'POST', services, telemetry())).toMatchObject({ status: 201 });
    const { status, body } = await send(kubeconfig, 'GET', `${services}/telemetry`);
    expect({ status, name: JSON.parse(body).metadata.name }).toEqual({ status: 200, name: 'telemetry' });
    expect(await send(kubeconfig, 'GET', '/api/v1/pods')).toMatchObject({ status: 404 });
    child.kill('SIGTERM');
    expect(await ended, output()).toBe(0);
    expect(output()).toContain('API server stopped');
    const registry = await openRegistry(`sqlite:${join(directory, '.ecsm', 'registry')}`, { kinds: [ECSMService] });
    expect((await registry.resource(ECSMService).get('telemetry')).metadata.name).toBe('telemetry');
    await registry.close();
  });

  it('deletes what is in a deleted namespace, and objects whose owner was deleted', async () => {
    const directory = newDirectory();
    const { until } = startServer(directory, '--leader-elect');
    const [, , kubeconfig = ''] = await until(serving);
    await until(/leader election: leading/);
    const get = async (path: string) => (await send(kubeconfig, 'GET', path)).status;
    const configMap = (name: string, more: object = {}) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ...more },
    });
    const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

    const orbit = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'orbit' } };
    expect(await send(kubeconfig, 'POST', '/api/v1/namespaces', orbit)).toMatchObject({ status: 201 });
    expect(await send(kubeconfig, 'POST', maps('orbit'), configMap('a'))).toMatchObject({ status: 201 });
    await send(kubeconfig, 'DELETE', '/api/v1/namespaces/orbit');
    await expect.poll(() => get('/api/v1/namespaces/orbit')).toBe(404);
    expect(await get(`${maps('orbit')}/a`)).toBe(404);

    const owner = JSON.parse((await send(kubeconfig, 'POST', maps('default'), configMap('owner'))).body);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
    const owned = configMap('owned', { ownerReferences });
    expect(await send(kubeconfig, 'POST', maps('default'), owned)).toMatchObject({ status: 201 });
    await send(kubeconfig, 'DELETE', `${maps('default')}/owner`);
    await expect.poll(() => get(`${maps('default')}/owned`)).toBe(404);
  });

  it('shares the work of the leader with an operator that serves the same registry', async () => {
    const directory = newDirectory();
    const server = startServer(directory, '--leader-elect');
    await server.until(/leader election: leading lease=default\/ecsm-apiserver/);
    const argv = [
      '--leader-elect',
      '--serve',
      '127.0.0.1:0',
      '--listen',
      '127.0.0.1:0',
      '--ecsm',
      'http://127.0.0.1:1',
    ];
    const operator = start(argv, { cwd: directory });
    onTestFinished(async () => {
      operator.child.kill('SIGKILL');
      await operator.ended;
    });
    await operator.until(/leader election: leading lease=default\/ecsm-operator/);
    expect(operator.output()).not.toContain('leading lease=default/ecsm-apiserver');
    server.child.kill('SIGTERM');
    expect(await server.ended, server.output()).toBe(0);
    await operator.until(/leader election: leading lease=default\/ecsm-apiserver/);
    operator.child.kill('SIGTERM');
    expect(await operator.ended, operator.output()).toBe(0);
  });

  it.each([
    [['--registry', 'etcd://'], '--registry: registry URL "etcd://": it has to be etcd://host:2379[,host:2379]/prefix'],
    [['--serve', 'here'], '--serve has to be HOST:PORT, as in 127.0.0.1:3001 or [::1]:3001, not "here"'],
    [['--ecsm', 'http://x'], 'unknown flag --ecsm.'],
  ])('exits with 2 for %j', async (argv, message) => {
    const { code, output } = await run(argv, { file, cwd: newDirectory() });
    expect({ code, line: output.split('\n')[0] }).toEqual({ code: 2, line: `ecsm-apiserver: ${message}` });
  });

  it('has a help that names its own variables', async () => {
    const { code, output } = await run(['--help'], { file });
    expect(code).toBe(0);
    expect(output).toContain('ECSM_APISERVER_SERVE');
    expect(output).not.toContain('ECSM_OPERATOR');
  });
});
