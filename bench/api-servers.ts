/**
 * Our API server, kube-apiserver with its etcd if they are at hand, and HTTP and TLS of Node.js alone, each as a real process.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cpuMsOf, residentMbOf } from './processes.ts';
import { type Endpoint, Wire } from './wire.ts';

export interface ApiServerProcess {
  readonly endpoint: Endpoint;
  /** From the start of the first process until /readyz succeeds. */
  readonly readyMs: number;
  residentMb(): number;
  cpuMs(): number;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const startMsMax = 120_000;

export async function startOurs(directory: string): Promise<ApiServerProcess> {
  const startMs = performance.now();
  const argv = ['--serve', '127.0.0.1:0', '--registry', `sqlite:${join(directory, 'registry')}`];
  const env = { PATH: process.env['PATH'], HOME: directory, NO_COLOR: '1' };
  const child = spawn(join(root, 'bin', 'ecsm-apiserver'), argv, {
    cwd: directory,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kubeconfig = await kubeconfigOf(child);
  return started([child], endpointOf(kubeconfig), startMs);
}

/** A server of Node.js that answers with this text: what no server on Node.js can be faster than. */
export async function startBare(directory: string, text: string): Promise<ApiServerProcess> {
  const startMs = performance.now();
  const worker = fileURLToPath(new URL('./workers/https.js', import.meta.url));
  const file = join(directory, 'response');
  writeFileSync(file, text);
  const child = fork(worker, [join(directory, 'bare'), file], { execArgv: [] });
  const [endpoint] = (await once(child, 'message')) as [Endpoint];
  return started([child], endpoint, startMs);
}

/** Of a kubeconfig that one of our servers has written. */
export function endpointOf(kubeconfig: string): Endpoint {
  const text = readFileSync(kubeconfig, 'utf8');
  const field = (name: string) => new RegExp(`${name}: (\\S+)`).exec(text)?.[1] ?? '';
  const pem = (name: string) => Buffer.from(field(name), 'base64');
  return {
    port: Number(/:(\d+)$/.exec(field('server'))?.[1]),
    ca: pem('certificate-authority-data'),
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
  };
}

async function kubeconfigOf(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('the API server has no output');
  for await (const line of createInterface(child.stderr)) {
    const found = /serving the Kubernetes API .*kubeconfig=(\S+)/.exec(line)?.[1];
    if (found === undefined) continue;
    child.stderr.resume();
    return found;
  }
  throw new Error('the API server ended before it was serving');
}

/** Where `make test-kubernetes` has put it. Undefined, with the reason on the error output, if it is not there. */
export function findKubernetes(): { readonly kube: string; readonly etcd: string } | undefined {
  const tools =
    process.env['ECSM_TOOLS'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ecsm-operator', 'tools');
  const versions = existsSync(tools) ? readdirSync(tools).filter((name) => name.startsWith('kubernetes-')) : [];
  const kube = [process.env['KUBE_BIN'] ?? '', ...versions.map((name) => join(tools, name, 'kube'))].find(isFile);
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), join(root, '.tools', 'usr', 'bin')];
  const etcd = [process.env['ETCD_BIN'] ?? '', ...folders.map((folder) => join(folder, 'etcd'))].find(isFile);
  if (kube !== undefined && etcd !== undefined) return { kube, etcd };
  const missing = kube === undefined ? 'kube-apiserver, which make test-kubernetes builds' : 'etcd';
  process.stderr.write(`measured alone: there is no ${missing}\n`);
  return undefined;
}

function isFile(path: string): boolean {
  return path !== '' && existsSync(path);
}

export async function startKubernetes(
  { kube, etcd }: { readonly kube: string; readonly etcd: string },
  directory: string,
): Promise<ApiServerProcess> {
  mkdirSync(directory, { recursive: true });
  const file = (name: string) => join(directory, name);
  const token = randomBytes(24).toString('hex');
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(file('sa.key'), keys.privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  writeFileSync(file('sa.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(file('tokens.csv'), `${token},admin,1,"system:masters"\n`, { mode: 0o600 });
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
  const url = (at: number) => `http://127.0.0.1:${at}`;
  const startMs = performance.now();
  const stdio = 'ignore';
  const store = spawn(
    etcd,
    [
      `--data-dir=${file('etcd')}`,
      `--listen-client-urls=${url(client)}`,
      `--advertise-client-urls=${url(client)}`,
      `--listen-peer-urls=${url(peer)}`,
      `--initial-advertise-peer-urls=${url(peer)}`,
      `--initial-cluster=default=${url(peer)}`,
    ],
    { stdio },
  );
  const server = spawn(
    kube,
    [
      'kube-apiserver',
      `--etcd-servers=${url(client)}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${file('certificates')}`,
      `--token-auth-file=${file('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${file('sa.pub')}`,
      `--service-account-signing-key-file=${file('sa.key')}`,
      '--service-cluster-ip-range=10.96.0.0/16',
      '--endpoint-reconciler-type=none',
      '--profiling=false',
      '-v=0',
    ],
    { stdio },
  );
  const certificate = file('certificates/apiserver.crt');
  while (!existsSync(certificate)) await pause(startMs, server);
  await pause(startMs, server);
  return started([server, store], { port, ca: readFileSync(certificate), token }, startMs);
}

async function started(
  children: readonly ChildProcess[],
  endpoint: Endpoint,
  startMs: number,
): Promise<ApiServerProcess> {
  const pids = children.map(({ pid }) => pid ?? 0);
  const kill = () => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.once('exit', kill);
  while (!(await isReady(endpoint))) await pause(startMs, children[0]);
  return {
    endpoint,
    readyMs: performance.now() - startMs,
    residentMb: () => residentMbOf(...pids),
    cpuMs: () => cpuMsOf(...pids),
    async stop() {
      process.off('exit', kill);
      for (const child of children) {
        const ended = once(child, 'exit');
        // What it has stored is removed anyway.
        child.kill('SIGKILL');
        await ended;
      }
    },
  };
}

async function isReady(endpoint: Endpoint): Promise<boolean> {
  try {
    const wire = await Wire.open(endpoint, 1);
    try {
      await wire.send('GET', '/readyz');
      return true;
    } finally {
      wire.close();
    }
  } catch {
    return false;
  }
}

async function pause(startMs: number, child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode !== null) throw new Error(`the API server exited with ${child?.exitCode}`);
  if (performance.now() - startMs > startMsMax) throw new Error('the API server is not ready');
  await new Promise((resolve) => setTimeout(resolve, 5));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
