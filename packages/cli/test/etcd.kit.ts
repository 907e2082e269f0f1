/** A real etcd server on loopback, for the few tests of the tools that need one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface Etcd {
  /** `127.0.0.1:port`. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

const startMsMax = 120_000;
const unpacked = fileURLToPath(new URL('../../../.tools/usr/bin/etcd', import.meta.url));

/** `ETCD_BIN`, the PATH, or what `make test` has unpacked. */
function etcdPath(): string | undefined {
  const name = process.env['ETCD_BIN'] ?? 'etcd';
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = isAbsolute(name) ? [name] : [...folders.map((folder) => join(folder, name)), unpacked];
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Whether there is no etcd, with the reason printed. With CI=true the tests fail instead. */
export function skipWithoutEtcd(): boolean {
  if (etcdPath() !== undefined || process.env['CI'] === 'true') return false;
  process.stderr.write('etcd tests skipped: there is no etcd server on the PATH or in .tools/usr/bin\n');
  return true;
}

export async function startEtcd(): Promise<Etcd> {
  const path = etcdPath();
  if (path === undefined) throw new Error('there is no etcd server on the PATH or in .tools/usr/bin');
  const directory = mkdtempSync(join(tmpdir(), 'ecsmctl-etcd-'));
  const [port, peerPort] = await Promise.all([freePort(), freePort()]);
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const flags = [
    '--name=default',
    `--data-dir=${directory}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--heartbeat-interval=10',
    '--election-timeout=100',
    '--log-level=error',
  ];
  const child = spawn(path, flags, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const stop = async () => {
    process.off('exit', endWithUs);
    child.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  const endMs = Date.now() + startMsMax;
  while (!(await isHealthy(client))) {
    if (Date.now() > endMs || child.exitCode !== null) {
      await stop();
      throw new Error('etcd did not become healthy');
    }
    await pause(20);
  }
  return { endpoint: `127.0.0.1:${port}`, stop };
}

function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/health`, { signal: AbortSignal.timeout(1_000) })
    .then((response) => response.text())
    .then(
      (text) => /"health":\s*"true"/.test(text),
      () => false,
    );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
