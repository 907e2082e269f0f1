/**
 * Goal: no acknowledged commit is lost, whichever process dies at whatever moment.
 * Method: writers, watchers, openers and a process that compacts share one registry, each in a process of its own. They
 * are killed with SIGKILL at random times, one at a time and sometimes all together, and started again. Writers print
 * each commit before it starts and its revision after it was acknowledged; a watcher continues after the last commit that
 * it printed. At the end every acknowledgement is accounted for.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRegistry } from '@ecsm/runtime';
import { repetitions } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { Account, readLog, readObjects, replay } from './account.kit.ts';
import { Worker } from './process.kit.ts';
import type { Opened } from './worker/opener.ts';
import type { Seen } from './worker/watcher.ts';
import type { Said } from './worker/writer.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A slot: after a kill the next process of the same kind takes it. */
class Slot<Line extends object> {
  readonly lines: Line[] = [];
  readonly #start: (slot: Slot<Line>) => Worker<Line>;
  #worker: Worker<Line> | undefined;

  constructor(start: (slot: Slot<Line>) => Worker<Line>) {
    this.#start = start;
    cleanups.push(() => this.#worker?.kill());
  }

  start(): void {
    this.#worker = this.#start(this);
  }

  /** A process that has not done anything yet proves nothing when it is killed. */
  get isWorking(): boolean {
    return this.#worker?.lines.some((line) => 'revision' in line || 'read' in line) ?? false;
  }

  /** What all processes of this slot have printed. */
  get all(): readonly Line[] {
    return [...this.lines, ...(this.#worker?.lines ?? [])];
  }

  async kill(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    const isRunning = worker.isRunning;
    await worker.kill('SIGKILL');
    expect([isRunning, worker.errors]).toEqual([true, '']);
    this.#worker = undefined;
    this.lines.push(...worker.lines);
  }
}

const acknowledgementsPerKill = 5;
const kills = repetitions({
  test: { sqlite: 50, file: 8 },
  ci: { sqlite: 100, file: 15 },
  thorough: { sqlite: 300, file: 25 },
});

interface Population {
  readonly writers: readonly (Slot<Said> | Slot<Opened>)[];
  readonly watchers: readonly Slot<Seen>[];
  readonly compactor: Slot<Opened>;
  /** The revision up to which history may have been compacted. */
  readonly compacted: () => number;
}

function populate(url: string, writers: number): Population {
  let names = 0;
  let compacted = 0;
  const seen = (watcher: Slot<Seen>) => watcher.all.at(-1)?.revision ?? 0;
  const watchers = Array.from(
    { length: 2 },
    () => new Slot<Seen>((slot) => new Worker('watcher', [url, String(seen(slot))])),
  );
  return {
    writers: [
      ...Array.from({ length: writers }, () => new Slot<Said>(() => new Worker('writer', [url, `writer${++names}`]))),
      new Slot<Opened>(() => new Worker('opener', [url, `opener${++names}`, 'writes'])),
    ],
    watchers,
    compactor: new Slot<Opened>(() => {
      // What one of the watchers has not printed yet has to stay.
      compacted = Math.max(compacted, Math.min(...watchers.map(seen)));
      return new Worker('opener', [url, `compactor${++names}`, 'compacts', String(compacted)]);
    }),
    compacted: () => compacted,
  };
}

async function survives(scheme: 'sqlite' | 'file', kills: number, writers: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), `ecsm-kill-${scheme}-`));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const url = `${scheme}:${directory}`;
  const population = populate(url, writers);
  const { watchers } = population;
  const slots = [...population.writers, ...watchers, population.compactor];
  for (const slot of slots) slot.start();

  const acknowledged = () =>
    population.writers.reduce((sum, { all }) => sum + all.filter((line) => 'revision' in line).length, 0);
  for (let killed = 0, round = 1; killed < kills || acknowledged() < acknowledgementsPerKill * kills; round++) {
    await expect.poll(() => slots.some((slot) => slot.isWorking), { interval: 1 }).toBe(true);
    const working = slots.filter((slot) => slot.isWorking);
    await sleep(Math.random() * 30);
    // All together: the next process finds a log that no running process has open.
    const victims = round % 20 === 0 ? slots : [working[Math.floor(Math.random() * working.length)] ?? slots[0]];
    await Promise.all(victims.map((slot) => slot?.kill()));
    for (const slot of victims) slot?.start();
    killed += victims.length;
  }

  for (const slot of [...population.writers, population.compactor]) await slot.kill();
  const account = new Account();
  for (const { lines } of population.writers) account.add(lines);
  const { store } = await openRegistry(url, { kinds: [], tuning: { logCommitsMax: 1_000_000 } });
  cleanups.push(() => store.close());
  const newest = await store.revision();
  for (const watcher of watchers) {
    await expect.poll(() => watcher.all.at(-1)?.revision, { interval: 20 }).toBe(newest);
    await watcher.kill();
  }
  const [log = [], other] = watchers.map(({ lines }) => lines);
  expect(account.compare(log)).toEqual([]);
  expect(other).toEqual(log);
  const kept = log.filter(({ revision }) => revision > population.compacted());
  expect(await readLog(store, population.compacted(), newest)).toEqual(kept);
  const objects = replay(log);
  expect(await readObjects(store)).toEqual(objects);

  if (scheme === 'file') {
    // Files that no process had written yet follow when the registry is opened.
    const differing = () =>
      [...objects].filter(([key, number]) => {
        const path = join(directory, `${key}.json`);
        return !existsSync(path) || JSON.parse(readFileSync(path, 'utf8')).number !== number;
      });
    await expect.poll(differing, { interval: 100 }).toEqual([]);
  }
}

describe('processes that are killed at random moments', () => {
  it(`lose nothing that was acknowledged on sqlite, ${kills.sqlite} kills`, { timeout: 900_000 }, () =>
    survives('sqlite', kills.sqlite, 3),
  );

  it(`lose nothing that was acknowledged on files, ${kills.file} kills`, { timeout: 900_000 }, () =>
    survives('file', kills.file, 2),
  );
});
