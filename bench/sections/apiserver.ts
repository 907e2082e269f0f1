/** The API server over TLS, in a process of its own, beside the same calls on the registry itself. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRegistry } from '@ecsm/runtime';
import { deliver, type Measurement, median, percentile } from '../report.ts';
import { inScratch, rate, Thing, thing } from '../thing.ts';
import { Wire } from '../wire.ts';
import type { Usage } from '../workers/apiserver.ts';

const objects = 1_000;
const calls = 5_000;
const concurrency = 64;
const rounds = 9;
const watched = 300;
const things = '/apis/bench.ecsm.sh/v1/namespaces/default/things';
const name = (n: number) => `thing-${n % objects}`;

interface Rates {
  readonly create: number;
  readonly get: number;
  readonly patch: number;
  readonly listMs: number;
  readonly cpuMsPerGet: number;
}

interface Calls {
  create(n: number): Promise<unknown>;
  get(n: number): Promise<unknown>;
  patch(n: number): Promise<unknown>;
  list(): Promise<unknown>;
  cpuMs(): Promise<number>;
}

async function measure({ create, get, patch, list, cpuMs }: Calls): Promise<Rates> {
  const created = await rate(objects, concurrency, create);
  await rate(calls / 5, concurrency, get);
  const beforeMs = await cpuMs();
  const got = await rate(calls, concurrency, get);
  const cpuMsPerGet = ((await cpuMs()) - beforeMs) / calls;
  const patched = await rate(calls / 5, concurrency, patch);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await list();
    times.push(performance.now() - start);
  }
  return { create: created, get: got, patch: patched, listMs: median(times), cpuMsPerGet };
}

async function direct(url: string): Promise<Rates> {
  const registry = await openRegistry(url, { kinds: [Thing] });
  const resource = registry.resource(Thing);
  const rates = await measure({
    create: (n) => resource.create(thing(name(n))),
    get: (n) => resource.get(name(n)),
    patch: (n) => resource.patch(name(n), { spec: { replicas: n } }),
    list: () => resource.list(),
    cpuMs: async () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
  });
  await registry.close();
  return rates;
}

interface Server {
  readonly wire: Wire;
  /** To a server that does nothing else than answer. */
  readonly bare: Wire;
  usage(): Promise<Usage>;
  close(): Promise<void>;
}

async function startServer(url: string, directory: string): Promise<Server> {
  const worker = fileURLToPath(new URL('../workers/apiserver.js', import.meta.url));
  const child = fork(worker, [url, directory], { execArgv: ['--expose-gc'] });
  const [{ port, barePort, ca }] = (await once(child, 'message')) as [{ port: number; barePort: number; ca: string }];
  const wire = await Wire.open({ port, ca }, concurrency);
  const bare = await Wire.open({ port: barePort, ca }, concurrency);
  return {
    wire,
    bare,
    usage: async () => {
      child.send('usage');
      const [usage] = (await once(child, 'message')) as [Usage];
      return usage;
    },
    close: async () => {
      wire.close();
      bare.close();
      child.send('close');
      await once(child, 'exit');
    },
  };
}

async function watchLatencies(wire: Wire): Promise<readonly number[]> {
  const page = (await wire.send('GET', `${things}?limit=1`)).toString();
  const version = /"resourceVersion":"(\d+)"/.exec(page)?.[1];
  let arrived = () => {};
  const stop = await wire.watch(`${things}?watch=1&resourceVersion=${version}`, () => arrived());
  const times: number[] = [];
  for (let n = 0; n < watched; n++) {
    const start = performance.now();
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await Promise.all([
      wire.send('PATCH', `${things}/${name(n)}`, { spec: { replicas: calls + n } }),
      arrival.then(() => times.push(performance.now() - start)),
    ]);
  }
  stop();
  return times;
}

deliver(
  await inScratch(async (directory): Promise<Measurement[]> => {
    const alone = await direct(`sqlite:${join(directory, 'direct')}`);
    const server = await startServer(`sqlite:${join(directory, 'served')}`, join(directory, 'certificates'));
    const { wire, bare: plain } = server;
    const empty = await server.usage();
    const served = await measure({
      create: (n) => wire.send('POST', things, thing(name(n))),
      get: (n) => wire.send('GET', `${things}/${name(n)}`),
      patch: (n) => wire.send('PATCH', `${things}/${name(n)}`, { spec: { replicas: n } }),
      list: () => wire.send('GET', things),
      cpuMs: async () => (await server.usage()).cpuMs,
    });
    await rate(calls / 5, concurrency, () => plain.send('GET', '/'));
    const beforeMs = (await server.usage()).cpuMs;
    const bare = await rate(calls, concurrency, () => plain.send('GET', '/'));
    const bareCpuMs = ((await server.usage()).cpuMs - beforeMs) / calls;
    const latencies = await watchLatencies(wire);
    const full = await server.usage();
    await server.close();
    const beside = (value: number) => ({ name: 'the registry itself', value });
    const perSecond = (verb: 'create' | 'get' | 'patch'): Measurement => ({
      name: `API server: ${verb}, 64 at once`,
      value: served[verb],
      unit: 'per second',
      beside: beside(alone[verb]),
      ...(verb === 'get' && {
        bar: { text: 'at most 3 times the cost of the read', met: served.get * 3 >= alone.get },
      }),
    });
    return [
      perSecond('create'),
      perSecond('get'),
      {
        name: 'API server: processor time of a get',
        value: served.cpuMsPerGet * 1_000,
        unit: 'µs',
        beside: beside(alone.cpuMsPerGet * 1_000),
      },
      {
        name: 'HTTP and TLS of Node.js alone: get, 64 at once',
        value: bare,
        unit: 'per second',
        beside: beside(alone.get),
      },
      {
        name: 'HTTP and TLS of Node.js alone: processor time of a get',
        value: bareCpuMs * 1_000,
        unit: 'µs',
        beside: beside(alone.cpuMsPerGet * 1_000),
      },
      perSecond('patch'),
      { name: 'API server: list of 1,000', value: served.listMs, unit: 'ms', beside: beside(alone.listMs) },
      { name: 'API server: start of a patch to a watcher, p50', value: percentile(latencies, 50), unit: 'ms' },
      { name: 'API server: start of a patch to a watcher, p99', value: percentile(latencies, 99), unit: 'ms' },
      { name: 'API server: resident with 0 objects', value: empty.residentMb, unit: 'MB' },
      { name: 'API server: resident with 1,000 objects, after the calls', value: full.residentMb, unit: 'MB' },
    ];
  }),
);
