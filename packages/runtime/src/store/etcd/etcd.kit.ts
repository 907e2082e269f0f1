/** A real etcd server on loopback for tests and benchmarks, that can be killed, stopped and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface StartEtcdOptions {
  /** Kept after `stop()`. Default: a new temporary one, removed by `stop()`. */
  readonly dataDir?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Files in PEM; the server then uses TLS and requires client certificates of the same authority. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
  /** More of etcd's own options, such as `--quota-backend-bytes=…`. */
  readonly flags?: readonly string[];
}

export interface EtcdServer {
  /** `127.0.0.1:port`. */
  readonly endpoint: string;
  readonly port: number;
  /** Of the process that runs now; `restart()` changes it. */
  readonly pid: number;
  /** Sends the signal; for those that end a process, waits until it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends what still runs, and starts again on the same port and data. */
  restart(): Promise<void>;
  /** Ends the server and removes its temporary data. */
  stop(): Promise<void>;
}

type EtcdAvailability = { readonly path: string } | { readonly path: undefined; readonly reason: string };

const repository = fileURLToPath(new URL('../../../../../', import.meta.url));
const startMsMax = 120_000;
const startAttemptsMax = 3;

/** Where etcd is: `ETCD_BIN` (a path, or a name to look for), the PATH, or what `make test` has unpacked. */
export function etcdAvailable(): EtcdAvailability {
  const name = process.env['ETCD_BIN'] ?? 'etcd';
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = isAbsolute(name)
    ? [name]
    : [...folders.map((folder) => join(folder, name)), join(repository, '.tools', 'usr', 'bin', 'etcd')];
  const path = candidates.find(isExecutable);
  return path === undefined
    ? {
        path,
        reason: `no etcd server: "${name}" is neither on the PATH nor in .tools/usr/bin (Debian package etcd-server)`,
      }
    : { path };
}

/**
 * Whether to skip tests that need etcd, with the reason printed. With CI=true nothing is skipped: without a server the
 * tests then fail.
 */
export function skipWithoutEtcd(): boolean {
  const found = etcdAvailable();
  if (found.path !== undefined || process.env['CI'] === 'true') return false;
  process.stderr.write(`etcd tests skipped: ${found.reason}\n`);
  return true;
}

export async function startEtcd(options: StartEtcdOptions = {}): Promise<EtcdServer> {
  const found = etcdAvailable();
  if (found.path === undefined) throw new Error(found.reason);
  const { path } = found;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'ecsm-etcd-')));
  let port = 0;
  let peerPort = 0;
  let healthPort = 0;
  let child: ChildProcess | undefined;
  const launch = async () => {
    const flags = [...flagsFor(dataDir, port, peerPort, healthPort, options.tls), ...(options.flags ?? [])];
    child = spawn(path, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
    await untilHealthy(child, healthPort);
  };
  // A port that was free just before may be taken by another test file that starts a server at the same time.
  for (let attempt = 1; ; attempt++) {
    [port, peerPort, healthPort] = await freePorts();
    port = options.port ?? port;
    try {
      await launch();
      break;
    } catch (error) {
      await end(child);
      if (options.port !== undefined || attempt >= startAttemptsMax) throw error;
    }
  }
  const endWithUs = () => child?.kill('SIGKILL');
  process.once('exit', endWithUs);
  return {
    endpoint: `127.0.0.1:${port}`,
    port,
    get pid() {
      return child?.pid ?? -1;
    },
    async kill(signal) {
      if (!child || hasEnded(child)) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      if (['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT'].includes(signal)) await ended;
    },
    async restart() {
      await end(child);
      await launch();
    },
    async stop() {
      process.off('exit', endWithUs);
      await end(child);
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function flagsFor(
  dataDir: string,
  port: number,
  peerPort: number,
  healthPort: number,
  tls: StartEtcdOptions['tls'],
): readonly string[] {
  const client = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    '--name=default',
    `--data-dir=${dataDir}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    // A single member elects itself after one election time.
    '--heartbeat-interval=10',
    '--election-timeout=100',
    '--logger=zap',
    '--log-level=error',
    '--log-outputs=stderr',
    // Health has its own port, which needs no certificate.
    `--listen-metrics-urls=http://127.0.0.1:${healthPort}`,
    ...(tls
      ? [`--trusted-ca-file=${tls.ca}`, `--cert-file=${tls.cert}`, `--key-file=${tls.key}`, '--client-cert-auth']
      : []),
  ];
}

async function untilHealthy(child: ChildProcess, port: number): Promise<void> {
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2_000);
  });
  const startedMs = performance.now();
  while (performance.now() - startedMs < startMsMax) {
    if (hasEnded(child)) throw new Error(`etcd ended immediately (${child.exitCode ?? child.signalCode}): ${output}`);
    const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(1_000) })
      .then((response) => response.text())
      .catch(() => '');
    if (/"health":\s*"true"/.test(answer)) return;
    await sleep(20);
  }
  throw new Error(`etcd is not healthy after ${startMsMax} ms: ${output}`);
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** All together, so that they differ. */
async function freePorts(): Promise<[number, number, number]> {
  const servers = [createServer(), createServer(), createServer()];
  const [client = 0, peer = 0, health = 0] = await Promise.all(
    servers.map(async (server) => {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      return typeof address === 'object' && address ? address.port : 0;
    }),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return [client, peer, health];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
