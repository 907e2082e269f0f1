/**
 * Goal: no acknowledged write is ever lost, whatever moment a writer dies at.
 * Method: a writer process is killed with SIGKILL at random moments, many times over, on one registry. After each kill
 * a surviving process reads what happened since, and another has been watching all the time. What the writer printed
 * was acknowledged; what it did not print may or may not be there, but never in part.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRegistry, type Store } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { Worker } from './process.kit.ts';
import type { Seen } from './worker/watcher.ts';
import type { Acknowledged } from './worker/writer.ts';

let directory: string | undefined;
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  if (directory) rmSync(directory, { recursive: true, force: true });
});

const numberIn = (value: Uint8Array) => JSON.parse(new TextDecoder().decode(value)).number as number;

/** The log from a revision on, read by this process, checked for order as it goes. */
async function readLog(store: Store, after: number, through: number): Promise<Seen[]> {
  const log: Seen[] = [];
  if (through === after) return log;
  for await (const { revision, changes } of store.watch('', { after })) {
    expect(revision).toBeGreaterThan(log.at(-1)?.revision ?? after);
    log.push({
      revision,
      changes: changes.map((change) => [change.key, change.type === 'put' ? numberIn(change.value) : null]),
    });
    if (revision >= through) break;
  }
  return log;
}

async function stored(store: Store): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let after: string | undefined;
  do {
    const page = await store.list('', { limit: 100, ...(after === undefined ? {} : { after }) });
    for (const { key, value } of page.entries) found.set(key, numberIn(value));
    after = page.next;
  } while (after !== undefined);
  return found;
}

async function survives(scheme: 'sqlite' | 'file', kills: number): Promise<void> {
  directory = mkdtempSync(join(tmpdir(), `ecsm-kill-${scheme}-`));
  const url = `${scheme}:${directory}`;
  const { store } = await openRegistry(url, { kinds: [] });
  cleanups.push(() => store.close());
  const watcher = new Worker<Seen>('watcher', url);
  cleanups.push(() => watcher.kill());
  await watcher.ready();

  const model = new Map<string, number>();
  const history: Seen[] = [];
  let acknowledgedInAll = 0;
  let lastRevision = 0;
  for (let round = 0; round < kills; round++) {
    const writer = new Worker<Acknowledged>('writer', url, `round${round}`);
    cleanups.push(() => writer.kill());
    await writer.ready();
    // At work for sure, or the kill would prove nothing; then at any moment.
    await expect.poll(() => writer.lines.length, { interval: 1 }).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
    await writer.kill('SIGKILL');
    expect(writer.errors).toBe('');

    const revision = await store.revision();
    expect(revision).toBeGreaterThanOrEqual(lastRevision);
    const log = await readLog(store, lastRevision, revision);
    const byRevision = new Map(log.map((commit) => [commit.revision, commit]));
    for (const { revision: at, wrote } of writer.lines) {
      expect(Object.fromEntries(byRevision.get(at)?.changes ?? [])).toEqual(wrote);
      acknowledgedInAll++;
    }
    for (const { changes } of log) {
      for (const [key, number] of changes) {
        if (number === null) model.delete(key);
        else model.set(key, number);
      }
    }
    history.push(...log);
    lastRevision = revision;
  }
  expect(await stored(store)).toEqual(model);

  await expect.poll(() => watcher.lines.at(-1)?.revision, { interval: 20 }).toBe(lastRevision);
  expect(watcher.lines).toEqual(history);
  expect(acknowledgedInAll).toBeGreaterThanOrEqual(kills);

  if (scheme === 'file') {
    // The files follow as soon as anybody looks; then every file says what the registry says.
    const differing = () =>
      [...model].filter(([key, number]) => {
        const path = join(directory ?? '', `${key}.json`);
        return !existsSync(path) || JSON.parse(readFileSync(path, 'utf8')).number !== number;
      });
    await expect.poll(differing, { interval: 100 }).toEqual([]);
  }
}

describe('a writer killed at random moments', () => {
  it('loses nothing that was acknowledged on sqlite, 100 times over', { timeout: 240_000 }, () =>
    survives('sqlite', 100),
  );

  it('loses nothing that was acknowledged on files, 25 times over', { timeout: 240_000 }, () => survives('file', 25));
});
