/**
 * Durable creates and updates through the registry, compared with raw SQLite that writes the same records with the same
 * flush: a row of the log and an entry of the index, from prepared bytes. Rounds alternate, so that all see the same load
 * of the disk; ratios are medians over the rounds.
 */
import { join } from 'node:path';
import { openRegistry } from '@ecsm/runtime';
import { DatabaseSync } from '@photostructure/sqlite';
import { deliver, type Measurement, median } from '../report.ts';
import { inScratch, key, rate, Thing, thing, thingBytes } from '../thing.ts';

const rounds = 7;
/** Records per second on the reference machine, with 128 per flush: raw SQLite, and the target of the registry. */
const reference = { raw: 24_000, registry: 10_000 };
type Series = 'create' | 'update' | 'raw create' | 'raw update';

/** Writes only the records of a commit. */
class RawRecords {
  readonly #database: InstanceType<typeof DatabaseSync>;
  readonly #log;
  readonly #entry;
  #number = 0;
  #waiting: { readonly name: string; readonly value: Buffer; readonly done: () => void }[] = [];

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      CREATE TABLE entry (key TEXT NOT NULL PRIMARY KEY, row INTEGER, created INTEGER) STRICT, WITHOUT ROWID;
      CREATE TABLE log (
        number INTEGER PRIMARY KEY, key TEXT, created INTEGER, previous INTEGER, time INTEGER, checksum INTEGER, value BLOB
      ) STRICT;
    `);
    this.#log = this.#database.prepare('INSERT INTO log VALUES (?, ?, 1, 1, 1, 1, ?)');
    this.#entry = this.#database.prepare('INSERT OR REPLACE INTO entry VALUES (?, ?, 1)');
  }

  /** Writes of one event loop turn share a flush. */
  write(name: string, value: Buffer): Promise<void> {
    return new Promise((done) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push({ name, value, done });
    });
  }

  #flush(): void {
    const group = this.#waiting;
    this.#waiting = [];
    this.#database.exec('BEGIN IMMEDIATE');
    for (const { name, value } of group) {
      const number = ++this.#number * 128;
      this.#log.run(number, key(name), value);
      this.#entry.run(key(name), number);
    }
    this.#database.exec('COMMIT');
    for (const { done } of group) done();
  }

  close(): void {
    this.#database.close();
  }
}

const measurements = await inScratch(async (directory) => {
  const registry = await openRegistry(`sqlite:${join(directory, 'registry')}`, { kinds: [Thing] });
  const things = registry.resource(Thing);
  const raw = new RawRecords(join(directory, 'raw.db'));

  async function measure(concurrency: number, count: number): Promise<Record<Series, number[]>> {
    const results: Record<Series, number[]> = { create: [], update: [], 'raw create': [], 'raw update': [] };
    for (let round = 0; round < rounds; round++) {
      const name = (n: number) => `thing-${concurrency}-${round}-${n}`;
      const bytes = Array.from({ length: count }, (_, n) => thingBytes(name(n)));
      const objects = new Map<number, Awaited<ReturnType<typeof things.get>>>();
      const run = async (series: Series, call: (n: number) => Promise<unknown>) =>
        results[series].push(await rate(count, concurrency, call));
      const writeRaw = (n: number) => raw.write(name(n), bytes[n] ?? Buffer.alloc(0));
      await run('raw create', writeRaw);
      await run('create', async (n) => objects.set(n, await things.create(thing(name(n)))));
      await run('raw update', writeRaw);
      await run('update', async (n) => {
        const object = objects.get(n);
        if (object) await things.update({ ...object, spec: { ...object.spec, replicas: round + 2 } });
      });
    }
    return results;
  }

  function lines(results: Record<Series, number[]>, concurrency: number, ratioMin: number, bar: string): Measurement[] {
    return (['create', 'update'] as const).map((series) => {
      const peer = results[`raw ${series}`];
      const ratio = median(results[series].map((value, round) => value / (peer[round] ?? Number.NaN)));
      const value = median(results[series]);
      return {
        name: `registry ${series}, ${concurrency} concurrent`,
        value,
        unit: 'per second',
        beside: { name: 'raw SQLite, same records', value: value / ratio },
        bar: { text: bar, met: ratio >= ratioMin },
      };
    });
  }

  // A warm-up, because the programs are long-running.
  await measure(64, 1500);
  const together = reference.registry / reference.raw;
  const found = [
    ...lines(await measure(1, 300), 1, 0.8, 'at least 0.8 of raw SQLite'),
    ...lines(
      await measure(128, 4000),
      128,
      together,
      `at least ${together.toFixed(2)} of raw SQLite (10,000 if raw SQLite has 24,000)`,
    ),
  ];
  await registry.close();
  raw.close();
  return found;
});
deliver(measurements);
