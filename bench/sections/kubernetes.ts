/**
 * `ecsm-apiserver` beside kube-apiserver and etcd: the same ConfigMaps of 2 KB, the same load from this process. Both run
 * during the whole measurement, and rounds alternate between them, so that other load on the machine affects both.
 *
 * Both flush every write to the same disk. Rounds are measured after each program has done the same calls before: ours
 * compiles its code while it runs. The processor time of this process is reported, too: a load generator that is busy all
 * the time would measure itself.
 *
 * The many watchers are also those of a server of Node.js that sends them a text and does nothing else: no server on Node.js
 * takes less time or memory.
 */
import { join } from 'node:path';
import { type ApiServerProcess, findKubernetes, startBare, startKubernetes, startOurs } from '../api-servers.ts';
import { configMapText as configMap, mapName as name, patchText, configMaps as path } from '../config-map.ts';
import { deliver, type Measurement, median, percentile } from '../report.ts';
import { inScratch, rate } from '../thing.ts';
import { Wire } from '../wire.ts';

const concurrency = 64;
const watchersMax = 1_000;
const restMs = 5_000;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Peer {
  readonly process: ApiServerProcess;
  readonly wire: Wire;
  /** Of the next object, and of the next value of a patch. */
  created: number;
  patched: number;
}

async function peerOf(process: ApiServerProcess): Promise<Peer> {
  return { process, wire: await Wire.open(process.endpoint, concurrency), created: 0, patched: 0 };
}

/** Ours first, then theirs if it is at hand. */
type Values = readonly number[];
let peers: readonly Peer[] = [];
const measurements: Measurement[] = [];

async function alternate(rounds: number, work: (peer: Peer) => Promise<number>): Promise<Values> {
  const values = peers.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, peer] of peers.entries()) values[index]?.push(await work(peer));
  }
  return values.map(median);
}

interface Bar {
  readonly text: string;
  isMet(ours: number, theirs: number): boolean;
}

const atLeast = (factor: number): Bar => ({
  text: `at least ${factor} times theirs`,
  isMet: (ours, theirs) => ours >= factor * theirs,
});
const atMost = (part: number): Bar => ({
  text: `at most ${part === 2 ? 'half' : 'a sixth'} of theirs`,
  isMet: (ours, theirs) => ours * part <= theirs,
});

/** `least` is that of Node.js alone. */
function report(what: string, unit: string, [ours = Number.NaN, theirs]: Values, bar?: Bar, least?: number): void {
  measurements.push({
    name: `ecsm-apiserver: ${what}`,
    value: ours,
    unit,
    ...(theirs === undefined ? {} : { beside: { name: 'kube-apiserver', value: theirs } }),
    ...(bar && theirs !== undefined ? { bar: { text: bar.text, met: bar.isMet(ours, theirs) } } : {}),
  });
  if (least === undefined) return;
  const beside = theirs === undefined ? {} : { beside: { name: 'kube-apiserver', value: theirs } };
  measurements.push({ name: `HTTP and TLS of Node.js alone: ${what}`, value: least, unit, ...beside });
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Calls per second, and the processor time of the servers, and of this process, for each call. */
async function calls(
  what: string,
  count: number,
  rounds: number,
  bar: Bar,
  call: (peer: Peer, n: number) => Promise<unknown>,
) {
  const cpu = peers.map((): number[] => []);
  const own = peers.map((): number[] => []);
  const rates = await alternate(rounds, async (peer) => {
    const [beforeMs, ownBeforeMs] = [peer.process.cpuMs(), ownCpuMs()];
    const value = await rate(count, concurrency, (n) => call(peer, n));
    cpu[peers.indexOf(peer)]?.push((peer.process.cpuMs() - beforeMs) / count);
    own[peers.indexOf(peer)]?.push((ownCpuMs() - ownBeforeMs) / count);
    return value;
  });
  report(`${what}, 64 at once`, 'per second', rates, bar);
  report(
    `${what}, processor time`,
    'µs',
    cpu.map((times) => median(times) * 1_000),
  );
  report(
    `${what}, processor time of the load generator`,
    'µs',
    own.map((times) => median(times) * 1_000),
  );
}

const create = ({ wire }: Peer, n: number) => wire.send('POST', path, configMap(n));
const patch = (peer: Peer, n: number) => peer.wire.send('PATCH', `${path}/${name(n)}`, patchText(peer.patched++));

async function list(objects: number, rounds: number): Promise<void> {
  const cpuBeforeMs = peers.map(({ process }) => process.cpuMs());
  const times = await alternate(rounds, async ({ wire }) => {
    const startMs = performance.now();
    await wire.send('GET', path);
    return performance.now() - startMs;
  });
  const what = `list of ${objects.toLocaleString('en')}`;
  report(what, 'ms', times, objects === 1_000 ? atMost(2) : undefined);
  const cpuMs = peers.map(({ process }, index) => (process.cpuMs() - (cpuBeforeMs[index] ?? 0)) / rounds);
  report(`${what}, processor time`, 'ms', cpuMs);
}

/** From the start of a write until each of the watchers has its event. */
async function watch(watchers: number, writes: number, others: readonly Peer[] = []): Promise<void> {
  const p50: number[] = [];
  const p99: number[] = [];
  const cpuMs: number[] = [];
  const residentMb: number[] = [];
  for (const peer of [...peers, ...others]) {
    const page = (await peer.wire.send('GET', `${path}?limit=1`)).toString();
    const version = /"resourceVersion":"(\d+)"/.exec(page)?.[1];
    const query = `${path}?watch=1&resourceVersion=${version}`;
    const times: number[] = [];
    let startMs = 0;
    let missing = 0;
    let arrived = () => {};
    const onEvent = () => {
      times.push(performance.now() - startMs);
      if (--missing === 0) arrived();
    };
    const stops: (() => void)[] = [];
    for (let n = 0; n < watchers; n++) stops.push(await peer.wire.watch(query, onEvent));
    let cpuBeforeMs = 0;
    for (let n = 0; n < writes + warmUpWrites; n++) {
      if (n === warmUpWrites) {
        times.length = 0;
        cpuBeforeMs = peer.process.cpuMs();
      }
      missing = watchers;
      startMs = performance.now();
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      await Promise.all([patch(peer, n), arrival]);
    }
    cpuMs.push((peer.process.cpuMs() - cpuBeforeMs) / writes);
    p50.push(percentile(times, 50));
    p99.push(percentile(times, 99));
    await sleep(restMs);
    residentMb.push(peer.process.residentMb());
    for (const stop of stops) stop();
  }
  const who = watchers === 1 ? 'a watcher' : `each of ${watchers.toLocaleString('en')} watchers`;
  const add = (what: string, unit: string, values: Values, bar?: Bar) =>
    report(what, unit, values.slice(0, peers.length), bar, values[peers.length]);
  add(`write to ${who}, p50`, 'ms', p50);
  add(`write to ${who}, p99`, 'ms', p99, atMost(2));
  add(`write to ${who}, processor time`, 'ms', cpuMs);
  if (watchers > 1) add(`resident with ${watchers.toLocaleString('en')} watchers`, 'MB', residentMb, atMost(6));
}

const warmUpWrites = 5;

async function resident(objects: number): Promise<void> {
  await sleep(restMs);
  const values = peers.map(({ process }) => process.residentMb());
  report(`resident with ${objects.toLocaleString('en')} objects`, 'MB', values, atMost(6));
}

/**
 * With other objects, which are deleted: a program that has just started is slow until its code is compiled. The same for
 * both, as many calls as the code of the verb needs for that.
 */
async function warmUp(): Promise<void> {
  for (const peer of peers) {
    const each = (calls: number, call: (n: number) => Promise<unknown>) =>
      rate(calls, concurrency, (n) => call(otherFrom + (n % warmUpObjects)));
    await each(warmUpObjects, (n) => create(peer, n));
    await each(2 * warmUpObjects, (n) => peer.wire.send('GET', `${path}/${name(n)}`));
    await each(warmUpObjects, (n) => patch(peer, n));
    for (let n = 0; n < warmUpLists; n++) await peer.wire.send('GET', `${path}?limit=1000`);
    await each(warmUpObjects, (n) => peer.wire.send('DELETE', `${path}/${name(n)}`));
  }
}

const warmUpObjects = 4_000;
const warmUpLists = 20;
const otherFrom = 100_000;

/** Deletes the objects that were created last, until there are so many. */
async function empty(objects: number): Promise<void> {
  for (const peer of peers) {
    const excess = peer.created - objects;
    await rate(excess, concurrency, (n) => peer.wire.send('DELETE', `${path}/${name(objects + n)}`));
    peer.created = objects;
  }
}

async function fill(objects: number): Promise<void> {
  for (const peer of peers) {
    const from = peer.created;
    await rate(objects - from, concurrency, (n) => create(peer, from + n));
    peer.created = objects;
  }
}

await inScratch(async (directory) => {
  const kubernetes = findKubernetes();
  const processes = [await startOurs(directory)];
  if (kubernetes) processes.push(await startKubernetes(kubernetes, join(directory, 'kubernetes')));
  peers = await Promise.all(processes.map(peerOf));
  report(
    'start to ready',
    'ms',
    processes.map(({ readyMs }) => readyMs),
  );
  await resident(0);
  await warmUp();
  await calls('create', 1_000, 5, atLeast(4), (peer) => create(peer, peer.created++));
  await empty(1_000);
  await calls('get', 2_000, 5, atLeast(3), ({ wire }, n) => wire.send('GET', `${path}/${name(n % 1_000)}`));
  await calls('patch', 1_000, 5, atLeast(4), patch);
  await list(1_000, 21);
  await resident(1_000);
  await watch(1, 300);
  await fill(10_000);
  await list(10_000, 3);
  await resident(10_000);
  // Last: what is left of 1,000 connections is not the memory of objects.
  const bare = await peerOf(await startBare(directory, `${configMap(0)}\n`));
  await watch(watchersMax, 60, [bare]);
  for (const { process, wire } of [...peers, bare]) {
    wire.close();
    await process.stop();
  }
});
deliver(measurements);
