/**
 * Goal: a process that is stopped while it holds the write lock delays other writers for a bounded time, and readers not
 * at all. Method: a process stops itself in the middle of a commit; see worker/frozen.ts.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedRegistry, openRegistry } from '@ecsm/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { Account, readLog, readObjects, replay } from './account.kit.ts';
import { Worker } from './process.kit.ts';
import { encode } from './worker/value.ts';
import type { Seen } from './worker/watcher.ts';
import type { Said } from './worker/writer.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const before = 5;
const after = 5;

interface Scene {
  readonly url: string;
  readonly registry: EmbeddedRegistry;
  readonly frozen: Worker<Said>;
  readonly watcher: Worker<Seen>;
}

/** A registry with a watcher, and with a writer that is stopped inside its sixth commit. */
async function scene(scheme: 'sqlite' | 'file'): Promise<Scene> {
  const directory = mkdtempSync(join(tmpdir(), `ecsm-frozen-${scheme}-`));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  const url = `${scheme}:${directory}`;
  const registry = await openRegistry(url, { kinds: [], tuning: { lockTimeoutMs: 300 } });
  cleanups.push(() => registry.close());
  const watcher = new Worker<Seen>('watcher', [url, '0']);
  cleanups.push(() => watcher.kill());
  // Opening a registry of files takes in what is pending, which needs the lock.
  await watcher.ready();
  const frozen = new Worker<Said>('frozen', [url, 'frozen', String(before), String(after)]);
  cleanups.push(() => frozen.kill());
  await frozen.ready();
  await expect.poll(() => stateOf(frozen.pid), { interval: 5 }).toBe('T');
  return { url, registry, frozen, watcher };
}

/** The state of a process: T if it is stopped. */
function stateOf(pid: number): string {
  return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1] ?? '';
}

const key = 'example.io/v1/things/other/0-1';
const put = { type: 'put', key, value: encode('other', 1) } as const;

async function holdsOut({ url, registry, frozen, watcher }: Scene): Promise<void> {
  const { store } = registry;
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(store.commit([put])).rejects.toMatchObject({ code: 'Unavailable' });
  }
  await expect(store.compact(1)).rejects.toMatchObject({ code: 'Unavailable' });
  // Readers and watches continue, also new ones.
  expect(await store.revision()).toBe(before);
  expect(await store.get(key)).toBeUndefined();
  await expect.poll(() => watcher.lines.length, { interval: 5 }).toBe(before);
  expect(await readLog(store, 0, before)).toEqual(watcher.lines);
  const late = new Worker<Seen>('watcher', [url, '0']);
  cleanups.push(() => late.kill());
  await expect.poll(() => late.lines.length, { interval: 5 }).toBe(before);
  expect(frozen.lines.filter((line) => 'revision' in line)).toHaveLength(before);
}

/** Checks that everything acknowledged is there, and returns the revision. */
async function isAccountedFor({ registry, watcher }: Scene, lines: readonly Said[]): Promise<void> {
  const { store } = registry;
  const account = new Account();
  account.add(lines);
  const newest = await store.revision();
  const log = await readLog(store, 0, newest);
  expect(account.compare(log)).toEqual([]);
  expect(await readObjects(store)).toEqual(replay(log));
  await expect.poll(() => watcher.lines.at(-1)?.revision, { interval: 5 }).toBe(newest);
  expect(watcher.lines).toEqual(log);
}

describe.skipIf(process.platform !== 'linux').each(['sqlite', 'file'] as const)(
  'a writer that is stopped on %s',
  (scheme) => {
    it('allows reads, fails writes within their deadline, and continues without loss', async () => {
      const all = await scene(scheme);
      await holdsOut(all);
      const waiting = openRegistry(all.url, { kinds: [], tuning: { lockTimeoutMs: 30_000 } }).then(async (other) => {
        cleanups.push(() => other.close());
        return other.store.commit([put]);
      });
      process.kill(all.frozen.pid, 'SIGCONT');
      expect([await all.frozen.finished(), all.frozen.errors]).toEqual([0, '']);
      const outcome = await waiting;
      if (!outcome.committed) throw new Error('not committed');
      const { revision } = outcome;
      expect(await all.registry.store.revision()).toBe(before + 1 + after + 1);
      await isAccountedFor(all, [
        ...all.frozen.lines,
        { loop: 'other/0', intends: { [key]: 1 } },
        { loop: 'other/0', revision },
      ]);
    });

    it('leaves nothing of its commit when it is killed, and others can write immediately', async () => {
      const all = await scene(scheme);
      await holdsOut(all);
      await all.frozen.kill('SIGKILL');
      expect(await all.registry.store.commit([put])).toEqual({ committed: true, revision: before + 1 });
      await isAccountedFor(all, [
        ...all.frozen.lines,
        { loop: 'other/0', intends: { [key]: 1 } },
        { loop: 'other/0', revision: before + 1 },
      ]);
    });
  },
);
