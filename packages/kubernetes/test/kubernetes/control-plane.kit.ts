/** A real kube-apiserver on an etcd of its own, on loopback, that can be killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { etcdAvailable, startEtcd } from '../../../runtime/src/store/etcd/etcd.kit.ts';

export interface ControlPlane {
  readonly url: string;
  /** Files. */
  readonly kubeconfig: string;
  readonly ca: string;
  readonly token: string;
  /** Kills the API server. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const startMsMax = 120_000;
const logCharactersMax = 4_000;

/** Why it cannot run; undefined if it can. `make test-kubernetes` sets `KUBE_BIN`. */
function controlPlaneProblem(): string | undefined {
  const path = process.env['KUBE_BIN'];
  if (path === undefined) return 'KUBE_BIN does not name the program that scripts/kubernetes/build.sh builds';
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return `KUBE_BIN: ${path} is not a program`;
  }
  const etcd = etcdAvailable();
  return etcd.path === undefined ? etcd.reason : undefined;
}

export interface ControlPlaneOptions {
  /** More of them for the API server. */
  readonly flags?: readonly string[];
}

export async function startControlPlane({ flags = [] }: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const problem = controlPlaneProblem();
  if (problem !== undefined) throw new Error(problem);
  const directory = await mkdtemp(join(tmpdir(), 'ecsm-kube-'));
  const file = (name: string) => join(directory, name);
  const token = randomBytes(24).toString('hex');
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(file('sa.key'), keys.privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  await writeFile(file('sa.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
  await writeFile(file('tokens.csv'), `${token},admin,1,"system:masters"\nnobody-token,nobody,2\n`, { mode: 0o600 });
  await writeFile(file('token'), token, { mode: 0o600 });
  const etcd = await startEtcd({ flags: ['--unsafe-no-fsync'] });
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const certificates = file('certificates');
  const ca = join(certificates, 'apiserver.crt');
  await writeFile(
    file('kubeconfig'),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority': 'certificates/apiserver.crt' } }],
      users: [
        { name: 'admin', user: { tokenFile: 'token' } },
        { name: 'nobody', user: { token: 'nobody-token' } },
        { name: 'wrong', user: { token: 'wrong-token' } },
      ],
      contexts: [
        { name: 'test', context: { cluster: 'test', user: 'admin' } },
        { name: 'nobody', context: { cluster: 'test', user: 'nobody' } },
        { name: 'wrong', context: { cluster: 'test', user: 'wrong' } },
      ],
    }),
    { mode: 0o600 },
  );
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(
      process.env['KUBE_BIN'] ?? '',
      [
        'kube-apiserver',
        `--etcd-servers=http://${etcd.endpoint}`,
        '--bind-address=127.0.0.1',
        '--advertise-address=127.0.0.1',
        `--secure-port=${port}`,
        `--cert-dir=${certificates}`,
        `--token-auth-file=${file('tokens.csv')}`,
        '--authorization-mode=RBAC',
        '--anonymous-auth=false',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${file('sa.pub')}`,
        `--service-account-signing-key-file=${file('sa.key')}`,
        '--service-cluster-ip-range=10.96.0.0/16',
        '--endpoint-reconciler-type=none',
        // Its lease would be written while tests compare versions of the whole server.
        '--feature-gates=APIServerIdentity=false',
        '--profiling=false',
        '-v=0',
        ...flags,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await untilReady(child, url, ca, token);
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const endWithUs = () => child?.kill('SIGKILL');
  process.once('exit', endWithUs);
  const stop = async () => {
    process.off('exit', endWithUs);
    await kill();
    await etcd.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, kubeconfig: file('kubeconfig'), ca, token: file('token'), kill, start, stop };
}

async function untilReady(child: ChildProcess, url: string, ca: string, token: string): Promise<void> {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-logCharactersMax);
  });
  const startedMs = performance.now();
  while (performance.now() - startedMs < startMsMax) {
    if (child.exitCode !== null) throw new Error(`kube-apiserver ended (${child.exitCode}): ${log}`);
    if (await isReady(url, ca, token)) return;
    await sleep(100);
  }
  throw new Error(`kube-apiserver is not ready after ${startMsMax} ms: ${log}`);
}

function isReady(url: string, ca: string, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const options = {
        ca: readFileSync(ca),
        headers: { authorization: `Bearer ${token}` },
        agent: false,
        timeout: 2_000,
      };
      const request = get(`${url}/readyz`, options, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(false));
    } catch {
      // The certificate is created at the first start.
      resolve(false);
    }
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
