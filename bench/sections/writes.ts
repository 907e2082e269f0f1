/**
 * Durable creates and updates through the registry, beside raw lmdb with a flush, in rounds that take turns so that all
 * meet the same disk. Raw lmdb is measured three times: putting bytes that lie ready, which is the physical limit; putting
 * the same objects as JSON, which is what a program without a registry would do; and putting, with bytes that lie ready,
 * the three records that the store keeps for a write (log, index, revision). Ratios are medians over the rounds.
 */
import { join } from 'node:path';
import { openRegistry } from '@ecsm/runtime';
import { open } from 'lmdb';
import { deliver, type Measurement, median } from '../report.ts';
import { inScratch, key, rate, Thing, thing, thingBytes } from '../thing.ts';

const rounds = 7;
type Series =
  | 'create'
  | 'update'
  | 'put bytes'
  | 'overwrite bytes'
  | 'put JSON'
  | 'overwrite JSON'
  | 'put records'
  | 'overwrite records';

const measurements = await inScratch(async (directory) => {
  const registry = await openRegistry(`lmdb:${join(directory, 'registry')}`, { kinds: [Thing] });
  const things = registry.resource(Thing);
  const raw = open({ path: join(directory, 'raw'), overlappingSync: false });
  const bytesTable = raw.openDB({ name: 'bytes', encoding: 'binary' });
  const jsonTable = raw.openDB({ name: 'json', encoding: 'json' });
  const log = raw.openDB({ name: 'log', encoding: 'binary' });
  const index = raw.openDB({ name: 'index', encoding: 'binary' });
  const pointer = Buffer.alloc(16);
  let revision = 0;
  const putRecords = (name: string, row: Buffer) => {
    revision++;
    void log.put(revision, row);
    void index.put(key(name), pointer);
    return raw.put('revision', revision);
  };

  async function measure(concurrency: number, count: number): Promise<Record<Series, number[]>> {
    const results: Record<Series, number[]> = {
      create: [],
      update: [],
      'put bytes': [],
      'overwrite bytes': [],
      'put JSON': [],
      'overwrite JSON': [],
      'put records': [],
      'overwrite records': [],
    };
    for (let round = 0; round < rounds; round++) {
      const name = (n: number) => `thing-${concurrency}-${round}-${n}`;
      const bytes = Array.from({ length: count }, (_, n) => thingBytes(name(n)));
      const objects = new Map<number, Awaited<ReturnType<typeof things.get>>>();
      const run = async (series: Series, call: (n: number) => Promise<unknown>) =>
        results[series].push(await rate(count, concurrency, call));
      await run('put bytes', (n) => bytesTable.put(key(name(n)), bytes[n]));
      await run('create', async (n) => objects.set(n, await things.create(thing(name(n)))));
      await run('put JSON', (n) => jsonTable.put(key(name(n)), objects.get(n)));
      await run('overwrite bytes', (n) => bytesTable.put(key(name(n)), bytes[n]));
      await run('update', async (n) => {
        const object = objects.get(n);
        if (object) await things.update({ ...object, spec: { ...object.spec, replicas: round + 2 } });
      });
      await run('overwrite JSON', (n) => jsonTable.put(key(name(n)), objects.get(n)));
      await run('put records', (n) => putRecords(name(n), bytes[n] ?? pointer));
      await run('overwrite records', (n) => putRecords(name(n), bytes[n] ?? pointer));
    }
    return results;
  }

  function lines(results: Record<Series, number[]>, concurrency: number, bar: number): Measurement[] {
    const line = (series: 'create' | 'update', peer: Series, peerName: string, hasBar: boolean): Measurement => {
      const ratio = median(results[series].map((value, round) => value / (results[peer][round] ?? Number.NaN)));
      const value = median(results[series]);
      return {
        name: `registry ${series}, ${concurrency} at once`,
        value,
        unit: 'a second',
        beside: { name: peerName, value: value / ratio },
        ...(hasBar ? { bar: { text: `at least ${bar} of raw lmdb`, met: ratio >= bar } } : {}),
      };
    };
    return [
      line('create', 'put bytes', 'raw lmdb, bytes ready', true),
      line('create', 'put records', 'raw lmdb, same three records', false),
      line('create', 'put JSON', 'raw lmdb, same object as JSON', false),
      line('update', 'overwrite bytes', 'raw lmdb, bytes ready', true),
      line('update', 'overwrite records', 'raw lmdb, same three records', false),
      line('update', 'overwrite JSON', 'raw lmdb, same object as JSON', false),
    ];
  }

  // Programs run for long: what counts is the speed once the engine has compiled them.
  await measure(64, 1500);
  const found = [...lines(await measure(1, 300), 1, 0.8), ...lines(await measure(128, 4000), 128, 0.5)];
  await registry.close();
  await raw.close();
  return found;
});
deliver(measurements);
