/**
 * `ecsm-apiserver` over TLS, as a process of its own, beside the same calls on a registry in this process. A GET is compared
 * with the registry's read of the same object, decoded, and with a server of Node.js that does nothing else than answer
 * with the same text. Rounds alternate between them, so that other load on the machine affects all.
 */
import { join } from 'node:path';
import { ConfigMap } from '@ecsm/apiserver';
import { openRegistry } from '@ecsm/runtime';
import { startBare, startOurs } from '../api-servers.ts';
import { configMapInput, configMaps, configMapText, mapName, patchText } from '../config-map.ts';
import { deliver, type Measurement, median, percentile } from '../report.ts';
import { inScratch, rate } from '../thing.ts';
import { Wire } from '../wire.ts';

const objects = 1_000;
/** With so many, kube-apiserver and etcd were measured for the bar. */
const objectsMax = 4_300;
const residentMbMax = 116;
/** In one round: the processor time of another process is known to 10 ms. */
const gets = 6_000;
const rounds = 5;
const lists = 9;
const concurrency = 64;
const watched = 300;
const restMs = 5_000;

interface Calls {
  create(n: number): Promise<unknown>;
  get(n: number): Promise<unknown>;
  patch(n: number, value: number): Promise<unknown>;
  remove(n: number): Promise<unknown>;
  list(): Promise<unknown>;
}

interface Rates {
  readonly create: number;
  readonly patch: number;
  readonly listMs: number;
}

/** With other objects, which are deleted: a program that has just started is slow until its code is compiled. */
async function warmUp({ create, get, patch, remove }: Calls): Promise<void> {
  const other = (n: number) => 100_000 + n;
  await rate(objects, concurrency, (n) => create(other(n)));
  await rate(objects, concurrency, (n) => get(other(n)));
  await rate(objects, concurrency, (n) => patch(other(n), n));
  await rate(objects, concurrency, (n) => remove(other(n)));
}

async function measure(api: Calls): Promise<Rates> {
  await warmUp(api);
  const create = await rate(objects, concurrency, api.create);
  const patch = await rate(objects, concurrency, (n) => api.patch(n, n));
  const times: number[] = [];
  for (let round = 0; round < lists; round++) {
    const start = performance.now();
    await api.list();
    times.push(performance.now() - start);
  }
  return { create, patch, listMs: median(times) };
}

async function direct(url: string): Promise<Rates> {
  const registry = await openRegistry(url, { kinds: [ConfigMap] });
  const resource = registry.resource(ConfigMap);
  // The server records the managers of fields, too.
  const manager = 'bench';
  const rates = await measure({
    create: (n) => resource.create(configMapInput(n), { manager }),
    get: (n) => resource.get(mapName(n)),
    patch: (n, value) => resource.patch(mapName(n), JSON.parse(patchText(value)), { manager }),
    remove: (n) => resource.delete(mapName(n)),
    list: () => resource.list(),
  });
  await registry.close();
  return rates;
}

interface Peer {
  readonly get: (n: number) => Promise<unknown>;
  readonly cpuMs: () => number;
  readonly rates: number[];
  readonly cpuUs: number[];
}

const peerOf = (get: Peer['get'], cpuMs: Peer['cpuMs']): Peer => ({ get, cpuMs, rates: [], cpuUs: [] });

/** The first rounds are not counted: the code of the programs is compiled meanwhile. */
const uncountedRounds = 4;

async function alternate(peers: readonly Peer[]): Promise<void> {
  for (let round = 0; round < uncountedRounds + rounds; round++) {
    for (const { get, cpuMs, rates, cpuUs } of peers) {
      const beforeMs = cpuMs();
      const value = await rate(gets, concurrency, (n) => get(n % objects));
      if (round < uncountedRounds) continue;
      rates.push(value);
      cpuUs.push(((cpuMs() - beforeMs) * 1_000) / gets);
    }
  }
}

async function watchLatencies(wire: Wire): Promise<readonly number[]> {
  const page = (await wire.send('GET', `${configMaps}?limit=1`)).toString();
  const version = /"resourceVersion":"(\d+)"/.exec(page)?.[1];
  let arrived = () => {};
  const stop = await wire.watch(`${configMaps}?watch=1&resourceVersion=${version}`, () => arrived());
  const times: number[] = [];
  for (let n = 0; n < watched; n++) {
    const start = performance.now();
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await Promise.all([
      wire.send('PATCH', `${configMaps}/${mapName(n)}`, patchText(objects + n)),
      arrival.then(() => times.push(performance.now() - start)),
    ]);
  }
  stop();
  return times;
}

deliver(
  await inScratch(async (directory): Promise<Measurement[]> => {
    const alone = await direct(`sqlite:${join(directory, 'direct')}`);
    const server = await startOurs(directory);
    const emptyMb = server.residentMb();
    const wire = await Wire.open(server.endpoint, concurrency);
    const served = await measure({
      create: (n) => wire.send('POST', configMaps, configMapText(n)),
      get: (n) => wire.send('GET', `${configMaps}/${mapName(n)}`),
      patch: (n, value) => wire.send('PATCH', `${configMaps}/${mapName(n)}`, patchText(value)),
      remove: (n) => wire.send('DELETE', `${configMaps}/${mapName(n)}`),
      list: () => wire.send('GET', configMaps),
    });

    // The objects that the server has written, from the same files.
    const registry = await openRegistry(`sqlite:${join(directory, 'registry')}`, { kinds: [ConfigMap] });
    const resource = registry.resource(ConfigMap);
    const response = (await wire.send('GET', `${configMaps}/${mapName(0)}`)).toString();
    const bare = await startBare(directory, response.slice(response.indexOf('\r\n\r\n') + 4));
    const bareWire = await Wire.open(bare.endpoint, concurrency);
    const ownCpuMs = () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    };
    const read = peerOf((n) => resource.get(mapName(n)), ownCpuMs);
    const plain = peerOf(() => bareWire.send('GET', '/'), bare.cpuMs);
    const get = peerOf((n) => wire.send('GET', `${configMaps}/${mapName(n)}`), server.cpuMs);
    await alternate([read, plain, get]);
    bareWire.close();
    await bare.stop();
    await registry.close();

    const latencies = await watchLatencies(wire);
    await rate(objectsMax - objects, concurrency, (n) => wire.send('POST', configMaps, configMapText(objects + n)));
    await new Promise((resolve) => setTimeout(resolve, restMs));
    const fullMb = server.residentMb();
    wire.close();
    await server.stop();

    const beside = (value: number) => ({ name: 'the registry itself', value });
    const bar = (met: boolean) => ({ bar: { text: 'at most 3 times the cost of the read', met } });
    const [getRate, readRate] = [median(get.rates), median(read.rates)];
    const [getUs, readUs] = [median(get.cpuUs), median(read.cpuUs)];
    const node = 'HTTP and TLS of Node.js alone';
    return [
      {
        name: 'API server: create, 64 at once',
        value: served.create,
        unit: 'per second',
        beside: beside(alone.create),
      },
      { name: 'API server: patch, 64 at once', value: served.patch, unit: 'per second', beside: beside(alone.patch) },
      { name: 'API server: list of 1,000', value: served.listMs, unit: 'ms', beside: beside(alone.listMs) },
      {
        name: 'API server: get, 64 at once',
        value: getRate,
        unit: 'per second',
        beside: beside(readRate),
        ...bar(getRate * 3 >= readRate),
      },
      { name: `${node}: get, 64 at once`, value: median(plain.rates), unit: 'per second', beside: beside(readRate) },
      {
        name: 'API server: get, processor time',
        value: getUs,
        unit: 'µs',
        beside: beside(readUs),
        ...bar(getUs <= readUs * 3),
      },
      { name: `${node}: get, processor time`, value: median(plain.cpuUs), unit: 'µs', beside: beside(readUs) },
      { name: 'API server: start of a patch to a watcher, p50', value: percentile(latencies, 50), unit: 'ms' },
      { name: 'API server: start of a patch to a watcher, p99', value: percentile(latencies, 99), unit: 'ms' },
      { name: 'API server: resident with 0 objects', value: emptyMb, unit: 'MB' },
      {
        name: 'API server: resident with 4,300 objects, after the calls',
        value: fullMb,
        unit: 'MB',
        bar: {
          text: `at most ${residentMbMax} MB, a sixth of kube-apiserver and etcd`,
          met: fullMb <= residentMbMax,
        },
      },
    ];
  }),
);
