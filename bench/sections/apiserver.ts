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
/** Encoding 2 KB would cost the load generator more than sending them. */
const template = JSON.stringify(thing('NAME'));
const textOf = (name: string) => template.replaceAll('NAME', name);
const name = (n: number) => `thing-${n % objects}`;

interface Rates {
  readonly create: number;
  readonly get: number;
  readonly patch: number;
  readonly listMs: number;
  readonly cpuMsPerGet: number;
}

interface Calls {
  create(name: string): Promise<unknown>;
  get(name: string): Promise<unknown>;
  patch(name: string, replicas: number): Promise<unknown>;
  remove(name: string): Promise<unknown>;
  list(): Promise<unknown>;
  cpuMs(): Promise<number>;
}

/** With other objects, which are deleted: a program that has just started is slow until its code is compiled. */
async function warmUp({ create, get, patch, remove }: Calls): Promise<void> {
  const other = (n: number) => `other-${n}`;
  await rate(objects, concurrency, (n) => create(other(n)));
  await rate(objects, concurrency, (n) => get(other(n)));
  await rate(objects, concurrency, (n) => patch(other(n), n + 2));
  await rate(objects, concurrency, (n) => remove(other(n)));
}

async function measure(api: Calls): Promise<Rates> {
  await warmUp(api);
  const create = await rate(objects, concurrency, (n) => api.create(name(n)));
  await rate(calls / 5, concurrency, (n) => api.get(name(n)));
  const beforeMs = await api.cpuMs();
  const get = await rate(calls, concurrency, (n) => api.get(name(n)));
  const cpuMsPerGet = ((await api.cpuMs()) - beforeMs) / calls;
  const patch = await rate(calls / 5, concurrency, (n) => api.patch(name(n), n));
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await api.list();
    times.push(performance.now() - start);
  }
  return { create, get, patch, listMs: median(times), cpuMsPerGet };
}

async function direct(url: string): Promise<Rates> {
  const registry = await openRegistry(url, { kinds: [Thing] });
  const resource = registry.resource(Thing);
  const rates = await measure({
    create: (name) => resource.create(thing(name)),
    get: (name) => resource.get(name),
    patch: (name, replicas) => resource.patch(name, { spec: { replicas } }),
    remove: (name) => resource.delete(name),
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
  cpuMs(): Promise<number>;
  residentMb(): Promise<number>;
  close(): Promise<void>;
}

async function startServer(url: string, directory: string): Promise<Server> {
  const worker = fileURLToPath(new URL('../workers/apiserver.js', import.meta.url));
  const child = fork(worker, [url, directory], { execArgv: ['--expose-gc'] });
  const [{ port, barePort, ca }] = (await once(child, 'message')) as [{ port: number; barePort: number; ca: string }];
  const wire = await Wire.open({ port, ca }, concurrency);
  const bare = await Wire.open({ port: barePort, ca }, concurrency);
  const ask = async (message: 'cpu' | 'memory') => {
    child.send(message);
    const [usage] = (await once(child, 'message')) as [Usage];
    return usage;
  };
  return {
    wire,
    bare,
    cpuMs: async () => (await ask('cpu')).cpuMs,
    residentMb: async () => (await ask('memory')).residentMb,
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
      wire.send('PATCH', `${things}/${name(n)}`, `{"spec":{"replicas":${calls + n}}}`),
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
    const emptyMb = await server.residentMb();
    const served = await measure({
      create: (name) => wire.send('POST', things, textOf(name)),
      get: (name) => wire.send('GET', `${things}/${name}`),
      patch: (name, replicas) => wire.send('PATCH', `${things}/${name}`, `{"spec":{"replicas":${replicas}}}`),
      remove: (name) => wire.send('DELETE', `${things}/${name}`),
      list: () => wire.send('GET', things),
      cpuMs: server.cpuMs,
    });
    await rate(calls / 5, concurrency, () => plain.send('GET', '/'));
    const beforeMs = await server.cpuMs();
    const bare = await rate(calls, concurrency, () => plain.send('GET', '/'));
    const bareCpuMs = ((await server.cpuMs()) - beforeMs) / calls;
    const latencies = await watchLatencies(wire);
    const fullMb = await server.residentMb();
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
      { name: 'API server: resident with 0 objects', value: emptyMb, unit: 'MB' },
      { name: 'API server: resident with 1,000 objects, after the calls', value: fullMb, unit: 'MB' },
    ];
  }),
);
