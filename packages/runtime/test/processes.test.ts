/** Goal: several processes share a registry, and nothing is lost, duplicated or out of order. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRegistry } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { skipWithoutEtcd, startEtcd } from '../src/store/etcd/etcd.kit.ts';
import { Worker, workerScript } from './process.kit.ts';
import type { Counted } from './worker/counter.ts';
import type { Seen } from './worker/watcher.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'ecsm-processes-'));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function start<Line>(name: 'watcher' | 'counter' | 'holder', ...args: string[]): Promise<Worker<Line>> {
  const worker = new Worker<Line>(name, args);
  cleanups.push(() => worker.kill());
  await worker.ready();
  return worker;
}

/** Two processes count together while two more watch; every count must be there once, in one order for all. */
async function countsTogether(url: string, increments: number): Promise<void> {
  const watchers = [await start<Seen>('watcher', url), await start<Seen>('watcher', url)];
  const counters = await Promise.all(
    ['one', 'two'].map((name) => start<Counted>('counter', url, name, String(increments))),
  );
  for (const counter of counters) expect([await counter.finished(), counter.errors]).toEqual([0, '']);

  const counted = counters.flatMap((counter) => counter.lines).sort((a, b) => a.revision - b.revision);
  expect(counted).toHaveLength(2 * increments);
  expect(new Set(counted.map(({ revision }) => revision)).size).toBe(2 * increments);
  const totals = new Map<string, number>();
  for (const { counter, number } of counted) {
    expect(number).toBe((totals.get(counter) ?? 0) + 1);
    totals.set(counter, number);
  }

  const registry = await openRegistry(url, { kinds: [] });
  cleanups.push(() => registry.close());
  expect((await registry.store.versions('example.io/v1/turns/')).keys).toHaveLength(2 * increments);
  for (const watcher of watchers) {
    await expect.poll(() => watcher.lines.length, { interval: 20 }).toBe(2 * increments);
    expect(watcher.lines.map(({ revision }) => revision)).toEqual(counted.map(({ revision }) => revision));
    for (const { changes } of watcher.lines) expect(changes).toHaveLength(2);
  }
}

describe('two processes that write one registry concurrently', () => {
  it('lose and reorder nothing on sqlite', () => countsTogether(`sqlite:${scratch()}`, 600));
  it.skipIf(skipWithoutEtcd())('lose and reorder nothing on etcd', async () => {
    const server = await startEtcd();
    cleanups.push(() => server.stop());
    await countsTogether(`etcd://${server.endpoint}/count`, 200);
  });
  it('lose and reorder nothing on files', () => countsTogether(`file:${scratch()}`, 100));
});

describe('a read', () => {
  it('sees what another process wrote before it, even within one turn of the event loop', async () => {
    const directory = scratch();
    const registry = await openRegistry(`sqlite:${directory}`, { kinds: [] });
    cleanups.push(() => registry.close());
    const before = registry.store.revision();
    // Nothing of ours runs while the other process writes, so whatever snapshot the first read took is still at hand.
    const run = spawnSync(process.execPath, [workerScript('writer'), `sqlite:${directory}`, 'other', '1']);
    expect(run.status).toBe(0);
    const after = registry.store.revision();
    expect([await before, await after]).toEqual([0, 1]);
  });
});

describe('the lock of a process that died', () => {
  it('is released immediately, and its unfinished transaction is rolled back', async () => {
    const directory = scratch();
    const registry = await openRegistry(`sqlite:${directory}`, { kinds: [] });
    cleanups.push(() => registry.close());
    const holder = await start('holder', directory);
    const value = new TextEncoder().encode('1');
    let answered = false;
    const waiting = registry.store.commit([{ type: 'put', key: 'a', value }]).finally(() => {
      answered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    await holder.kill('SIGKILL');
    expect(await waiting).toEqual({ committed: true, revision: 1 });
    expect((await registry.store.list('')).entries.map((entry) => entry.key)).toEqual(['a']);
  });
});
