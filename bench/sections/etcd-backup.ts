/**
 * A backup onto a volume and back, by the agent of the etcd operator, beside etcd's own tools in alternating order: time and
 * memory for databases of 10 MB and 1 GB. BACKUP_SIZES_MB=10,100 measures other sizes. What each side does:
 *
 * - backup: streams the snapshot, hashes it, writes and flushes it, verifies every page of it, compares its hash with that of
 *   the member, and writes a manifest. `etcdctl snapshot save`: streams, writes and flushes it.
 * - check, before a restore changes anything: reads the manifest, and hashes the snapshot where it is. `etcdutl snapshot
 *   status`: computes another hash, of all keys and values. There is no bar for it.
 * - fetch and restore, while the members are stopped: reads the manifest, compares the end of the snapshot with the one that
 *   was checked, then `etcdutl snapshot restore`. `etcdutl snapshot restore`: hashes and restores a file that is there already.
 *
 * A start of Node.js alone, which is printed too, takes a good part of the time of etcd's tools on a small database, so the
 * times are also printed without the starts of the processes: that of an agent that has nothing to do, and that of a tool that
 * prints its version. As etcdctl verifies nothing, the backup is also printed beside `etcdctl snapshot save` and `etcdutl
 * snapshot status` together. Memory is compared with that of an agent that has nothing to do.
 *
 * All processes have the environment of a container: PATH alone. With NODE_EXTRA_CA_CERTS, which a machine may have, Node.js
 * reads all certificates of that file before its first line, and etcd's tools do not.
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

/** Of a large database. What takes less time is repeated more often. */
const roundsMin = 5;
const smallMb = 100;
const roundsOfSmall = 15;
const valueBytes = 10_240;
const valuesPerMb = 100;
const ratioMax = 1.2;
const growthMbMax = 30;
const pollMs = 10;
const agentProgram = fileURLToPath(new URL('../../../bin/etcd-agent', import.meta.url));
const sizesMb = (process.env['BACKUP_SIZES_MB'] ?? '10,1000').split(',').map(Number);
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Ran {
  readonly seconds: number;
  /** On all CPUs: less noisy than the time if the machine has other work. */
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

const runs = [
  'backup',
  'save',
  'check',
  'status',
  'fetch',
  'fetchAndRestore',
  'restore',
  'node',
  'idleAgent',
  'idleTool',
] as const;
type Run = (typeof runs)[number];

/** Runs a program to its end; its peak is read while it runs. */
async function run(file: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const startMs = performance.now();
  const child = spawn(file, argv, { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-2_000);
  });
  let endMs = 0;
  const exited = once(child, 'exit').then(([code]) => {
    endMs = performance.now();
    if (code !== 0) throw new Error(`${file} ${argv.join(' ')} exited with ${code}: ${errors}`);
  });
  let [peakMb, cpuSeconds] = [0, 0];
  const watch = async () => {
    for (; endMs === 0; await sleep(pollMs)) {
      peakMb = Math.max(peakMb, peakMbOf(child));
      cpuSeconds = Math.max(cpuSeconds, cpuSecondsOf(child));
    }
  };
  await Promise.all([exited, watch()]);
  return { seconds: (endMs - startMs) / 1_000, cpuSeconds, peakMb };
}

const ticksPerSecond = 100;

/** Of the process so far, in user and kernel mode. */
function cpuSecondsOf({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return 0;
  }
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
  const results = Object.fromEntries(runs.map((name) => [name, []])) as unknown as Record<Run, Ran[]>;
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
    for (let round = 0; round < (sizeMb < smallMb ? roundsOfSmall : roundsMin); round++) {
      const destination = { type: 'Volume', directory: file('volume') };
      const agent = (job: { readonly do: string; readonly [field: string]: unknown }) =>
        run(agentProgram, [job.do, '--progress-port', 'off'], {
          AGENT_JOB: JSON.stringify(job),
          AGENT_RESULT_FILE: file('result'),
        });
      results.idleAgent.push(await agent({ do: 'prune', destination, keys: [] }));
      results.node.push(await run(process.execPath, ['-e', '0']));
      results.idleTool.push(await run(join(etcd, 'etcdutl'), ['version']));
      const source = {
        namespace: 'a',
        cluster: 'b',
        clusterUid: 'c',
        clusterId: '',
        backup: 'd',
        backupUid: `${round}`,
      };
      const save = async () => {
        const argv = [`--endpoints=${url(2379)}`, 'snapshot', 'save', file('saved.db')];
        results.save.push(await run(join(etcd, 'etcdctl'), argv));
      };
      const backup = async () => {
        const made = await agent({
          do: 'backup',
          endpoints: [{ host: 'localhost', address, port: 2379 }],
          tls: false,
          destination,
          keyBase: `a/b/${round}`,
          compression: 'none',
          isEncrypted: false,
          scratch: file('scratch'),
          source,
        });
        results.backup.push(made);
      };
      const fetch = (into: string, checked: object = {}) =>
        agent({
          do: 'fetch',
          destination,
          key: `a/b/${round}.manifest.json`,
          etcdVersion: '3.5.16',
          into: file(into),
          isEncrypted: false,
          freeFactor: 2,
          mayLink: true,
          ...checked,
        });
      const check = async () => {
        rmSync(file('result'));
        results.check.push(await fetch('checked.db'));
      };
      const status = async () => {
        results.status.push(await run(join(etcd, 'etcdutl'), ['snapshot', 'status', file('saved.db')]));
      };
      const restoreFile = (from: string, to: string) =>
        run(join(etcd, 'etcdutl'), ['snapshot', 'restore', file(from), `--data-dir=${file(to)}`]);
      const restore = async () => {
        results.restore.push(await restoreFile('saved.db', 'restored'));
      };
      const fetchAndRestore = async () => {
        const { databaseSha256 } = JSON.parse(readFileSync(file('result'), 'utf8'));
        const fetched = await fetch('fetched.db', { databaseSha256 });
        const restored = await restoreFile('fetched.db', 'restored-fetched');
        results.fetch.push(fetched);
        const cpuSeconds = fetched.cpuSeconds + restored.cpuSeconds;
        results.fetchAndRestore.push({ seconds: fetched.seconds + restored.seconds, cpuSeconds, peakMb: 0 });
      };
      for (const pair of [
        [save, backup],
        [status, check],
        [restore, fetchAndRestore],
      ]) {
        for (const one of round % 2 === 0 ? pair : pair.reverse()) await one();
      }
      for (const name of ['saved.db', 'checked.db', 'fetched.db', 'restored', 'restored-fetched', 'volume/a']) {
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
  const cpu = (of: Run) => median(results[of].map((one) => one.cpuSeconds));
  const seconds = (of: Run) => median(results[of].map((one) => one.seconds));
  const grownMb = (of: Run) =>
    median(results[of].map(({ peakMb }, round) => peakMb - (results.idleAgent[round]?.peakMb ?? 0)));
  const [agentStart, toolStart] = [seconds('idleAgent'), seconds('idleTool')];
  const [back, there] = [`etcd backup of ${size} onto a volume`, `etcd fetch and restore of ${size}`];
  return [
    used(`start of Node.js alone (${size})`, seconds('node'), 'etcdctl snapshot save', seconds('save')),
    used(`start of the agent (${size})`, agentStart, 'Node.js alone', seconds('node')),
    timed(back, seconds('backup'), 'etcdctl snapshot save', seconds('save')),
    timed(`${back}: without starts`, seconds('backup') - agentStart, 'etcdctl', seconds('save') - toolStart),
    used(
      `${back}: beside equal work`,
      seconds('backup'),
      'etcdctl snapshot save, etcdutl snapshot status',
      seconds('save') + seconds('status'),
    ),
    used(`${back}: CPU time`, cpu('backup'), 'etcdctl', cpu('save')),
    grown(`${back}: growth of memory`, grownMb('backup')),
    used(`etcd check of a backup of ${size}`, seconds('check'), 'etcdutl snapshot status', seconds('status')),
    timed(there, seconds('fetchAndRestore'), 'etcdutl snapshot restore', seconds('restore')),
    timed(
      `${there}: without starts`,
      seconds('fetchAndRestore') - agentStart - toolStart,
      'etcdutl',
      seconds('restore') - toolStart,
    ),
    used(`${there}: CPU time`, cpu('fetchAndRestore'), 'etcdutl', cpu('restore')),
    grown(`${there}: growth of memory`, grownMb('fetch')),
  ];
}

function timed(name: string, seconds: number, besideName: string, besideSeconds: number): Measurement {
  return {
    name,
    value: seconds,
    unit: 's',
    beside: { name: besideName, value: besideSeconds },
    bar: { text: `at most ${ratioMax} times`, met: seconds <= ratioMax * besideSeconds },
  };
}

function used(name: string, seconds: number, besideName: string, besideSeconds: number): Measurement {
  return { name, value: seconds, unit: 's', beside: { name: besideName, value: besideSeconds } };
}

function grown(name: string, megabytes: number): Measurement {
  return {
    name,
    value: megabytes,
    unit: 'MB',
    bar: { text: `at most ${growthMbMax} MB`, met: megabytes <= growthMbMax },
  };
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
