/**
 * Durable creates and updates through the registry, beside raw lmdb putting the same bytes with a flush, in rounds that
 * take turns so that both meet the same disk. Ratios are medians over the rounds.
 */
import { join } from 'node:path';
import { openRegistry } from '@ecsm/runtime';
import { open } from 'lmdb';
import { deliver, type Measurement, median } from '../report.ts';
import { inScratch, key, rate, Thing, thing, thingBytes } from '../thing.ts';

const rounds = 7;
const measurements = await inScratch(async (directory) => {
  const registry = await openRegistry(`lmdb:${join(directory, 'registry')}`, { kinds: [Thing] });
  const things = registry.resource(Thing);
  const raw = open({ path: join(directory, 'raw'), overlappingSync: false });
  const table = raw.openDB({ name: 'things', encoding: 'binary' });
  const versions = new Map<string, Awaited<ReturnType<typeof things.get>>>();

  async function compare(concurrency: number, count: number, bar: number): Promise<Measurement[]> {
    const results = { create: [] as number[], update: [] as number[], put: [] as number[], overwrite: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      const name = (n: number) => `thing-${concurrency}-${round}-${n}`;
      const bytes = Array.from({ length: count }, (_, n) => thingBytes(name(n)));
      results.put.push(await rate(count, concurrency, (n) => table.put(key(name(n)), bytes[n])));
      results.create.push(
        await rate(count, concurrency, async (n) => versions.set(name(n), await things.create(thing(name(n))))),
      );
      results.overwrite.push(await rate(count, concurrency, (n) => table.put(key(name(n)), bytes[n])));
      results.update.push(
        await rate(count, concurrency, async (n) => {
          const object = versions.get(name(n));
          if (object) await things.update({ ...object, spec: { ...object.spec, replicas: round + 2 } });
        }),
      );
      versions.clear();
    }
    const line = (name: 'create' | 'update', peer: 'put' | 'overwrite'): Measurement => {
      const ratio = median(results[name].map((value, round) => value / (results[peer][round] ?? Number.NaN)));
      const value = median(results[name]);
      return {
        name: `registry ${name}, ${concurrency} at once`,
        value,
        unit: 'a second',
        beside: { name: 'raw lmdb put', value: value / ratio },
        bar: { text: `at least ${bar} of raw lmdb`, met: ratio >= bar },
      };
    };
    return [line('create', 'put'), line('update', 'overwrite')];
  }

  await compare(16, 500, 0);
  const found = [...(await compare(1, 300, 0.8)), ...(await compare(128, 4000, 0.5))];
  await registry.close();
  await raw.close();
  return found;
});
deliver(measurements);
