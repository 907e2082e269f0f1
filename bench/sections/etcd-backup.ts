/**
 * A backup onto a volume and back, by the agent of the etcd operator, beside etcd's own tools in alternating rounds: time and
 * peak memory for databases of 10 MB and 1 GB. BACKUP_SIZES_MB=10,100 measures other sizes. The agent verifies every page and
 * keeps a second copy meanwhile; etcdctl only writes the file.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { etcdDirectory } from '../etcd/binaries.ts';
import { deliver, type Measurement, median } from '../report.ts';

const rounds = 3;
const valueBytes = 10_240;
const valuesPerMb = 100;
const ratioMax = 1.2;
const extraMbMax = 30;
const pollMs = 10;
const operator = fileURLToPath(new URL('../../../bin/etcd-operator', import.meta.url));
const sizesMb = (process.env['BACKUP_SIZES_MB'] ?? '10,1000').split(',').map(Number);
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Ran {
  readonly seconds: number;
  readonly peakMb: number;
}

/** Runs a program to its end; its peak is read while it runs. */
async function run(file: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const startMs = performance.now();
  const child = spawn(file, argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-2_000);
  });
  let endMs = 0;
  const exited = once(child, 'exit').then(([code]) => {
    endMs = performance.now();
    if (code !== 0) throw new Error(`${file} ${argv.join(' ')} exited with ${code}: ${errors}`);
  });
  let peakMb = 0;
  const watch = async () => {
    for (; endMs === 0; await sleep(pollMs)) peakMb = Math.max(peakMb, peakMbOf(child));
  };
  await Promise.all([exited, watch()]);
  return { seconds: (endMs - startMs) / 1_000, peakMb };
}

function peakMbOf({ pid }: ChildProcess): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Random values in transactions of 1 MB, four at a time. */
async function fill(address: string, totalMb: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const put = (number: number) =>
    new Promise<void>((resolve, reject) => {
      const success = Array.from({ length: valuesPerMb }, (_, index) => ({
        requestPut: { key: base64(`/data/${number}/${index}`), value: randomBytes(valueBytes).toString('base64') },
      }));
      const options = { host: address, port: 2379, path: '/v3/kv/txn', method: 'POST', agent };
      const sent = request(options, (response) => {
        response.resume();
        response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error('etcd refused a write'))));
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ success }));
    });
  let next = 0;
  const writer = async () => {
    while (next < totalMb) await put(next++);
  };
  await Promise.all([writer(), writer(), writer(), writer()]);
  agent.destroy();
}

async function measure(directory: string, etcd: string, sizeMb: number): Promise<readonly Measurement[]> {
  const address = `127.${[...randomBytes(2)].map((byte) => 1 + (byte % 254)).join('.')}.1`;
  const url = (port: number) => `http://${address}:${port}`;
  const server = spawn(
    join(etcd, 'etcd'),
    [
      `--data-dir=${join(directory, 'data')}`,
      `--listen-client-urls=${url(2379)}`,
      `--advertise-client-urls=${url(2379)}`,
      `--listen-peer-urls=${url(2380)}`,
      `--initial-advertise-peer-urls=${url(2380)}`,
      `--initial-cluster=default=${url(2380)}`,
      '--quota-backend-bytes=8589934592',
      '--log-level=error',
    ],
    { stdio: 'ignore' },
  );
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const file = (name: string) => join(directory, name);
  const results = { backup: [] as Ran[], save: [] as Ran[], fetchAndRestore: [] as Ran[], restore: [] as Ran[] };
  try {
    for (let tries = 0; ; tries++) {
      const isUp = await run(join(etcd, 'etcdctl'), [`--endpoints=${url(2379)}`, 'endpoint', 'health']).then(
        () => true,
        () => false,
      );
      if (isUp) break;
      if (tries === 100) throw new Error('etcd does not start');
      await sleep(200);
    }
    await fill(address, sizeMb);
    mkdirSync(file('scratch'));
    mkdirSync(file('volume'));
    for (let round = 0; round < rounds; round++) {
      const destination = { type: 'Volume', directory: file('volume') };
      const agent = (job: { readonly do: string }) =>
        run(operator, ['agent', job.do, '--progress-port', 'off'], {
          AGENT_JOB: JSON.stringify(job),
          AGENT_RESULT_FILE: file('result'),
        });
      results.save.push(
        await run(join(etcd, 'etcdctl'), [`--endpoints=${url(2379)}`, 'snapshot', 'save', file('saved.db')]),
      );
      const source = {
        namespace: 'a',
        cluster: 'b',
        clusterUid: 'c',
        clusterId: '',
        backup: 'd',
        backupUid: `${round}`,
      };
      results.backup.push(
        await agent({
          do: 'backup',
          endpoints: [{ host: 'localhost', address, port: 2379 }],
          tls: false,
          destination,
          keyBase: `a/b/${round}`,
          compression: 'none',
          isEncrypted: false,
          scratch: file('scratch'),
          source,
        } as { readonly do: string }),
      );
      const restore = (from: string, to: string) =>
        run(join(etcd, 'etcdutl'), ['snapshot', 'restore', from, `--data-dir=${to}`]);
      results.restore.push(await restore(file('saved.db'), file('restored')));
      const fetched = await agent({
        do: 'fetch',
        destination,
        key: `a/b/${round}.manifest.json`,
        etcdVersion: '3.5.16',
        into: file('fetched.db'),
        isEncrypted: false,
        freeFactor: 2,
      } as { readonly do: string });
      const restored = await restore(file('fetched.db'), file('restored-fetched'));
      results.fetchAndRestore.push({
        seconds: fetched.seconds + restored.seconds,
        peakMb: Math.max(fetched.peakMb, restored.peakMb),
      });
      for (const name of ['saved.db', 'fetched.db', 'restored', 'restored-fetched', 'volume/a']) {
        rmSync(file(name), { recursive: true, force: true });
      }
    }
  } finally {
    process.off('exit', kill);
    const ended = once(server, 'exit');
    kill();
    await ended;
  }
  const size = sizeMb >= 1_000 ? `${sizeMb / 1_000} GB` : `${sizeMb} MB`;
  return [
    ...compared(`etcd backup of ${size} onto a volume`, results.backup, 'etcdctl snapshot save', results.save),
    ...compared(
      `etcd fetch and restore of ${size}`,
      results.fetchAndRestore,
      'etcdutl snapshot restore',
      results.restore,
    ),
  ];
}

function compared(
  name: string,
  ours: readonly Ran[],
  besideName: string,
  theirs: readonly Ran[],
): readonly Measurement[] {
  const [seconds, besideSeconds] = [ours, theirs].map((all) => median(all.map((one) => one.seconds))) as [
    number,
    number,
  ];
  const [peakMb, besideMb] = [ours, theirs].map((all) => median(all.map((one) => one.peakMb))) as [number, number];
  return [
    {
      name,
      value: seconds,
      unit: 's',
      beside: { name: besideName, value: besideSeconds },
      bar: { text: `at most ${ratioMax} times`, met: seconds <= ratioMax * besideSeconds },
    },
    {
      name: `${name}: peak memory`,
      value: peakMb,
      unit: 'MB',
      beside: { name: besideName, value: besideMb },
      bar: { text: `at most ${extraMbMax} MB more`, met: peakMb <= besideMb + extraMbMax },
    },
  ];
}

const etcd = etcdDirectory();
const measurements: Measurement[] = [];
for (const sizeMb of etcd === undefined ? [] : sizesMb) {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-bench-backup-'));
  try {
    measurements.push(...(await measure(directory, etcd ?? '', sizeMb)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
deliver(measurements);
