import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../ports/clock.ts';
import { storeConformance } from '../conformance.suite.ts';
import type { Commit, Store } from '../contract.ts';
import { sqliteHarness } from '../stores.kit.ts';
import { loadBinding } from './binding.ts';
import type { LedgerOptions } from './ledger.ts';
import { schema } from './schema.ts';
import { SqliteStore } from './store.ts';

storeConformance('sqlite', sqliteHarness);

let directory: string;
const opened: Store[] = [];
const open = async (options: Partial<LedgerOptions> = {}) => {
  const store = await SqliteStore.open({ directory, ...options });
  opened.push(store);
  return store;
};
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ecsm-sqlite-'));
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const value = new TextEncoder().encode(JSON.stringify('x'.repeat(2000)));
const put = async (store: Store, key: string) => {
  const outcome = await store.commit([{ type: 'put', key, value }]);
  return outcome.committed ? outcome.revision : 0;
};
const first = async (commits: AsyncIterable<Commit>) => {
  for await (const commit of commits) return commit;
  return undefined;
};

describe('the write-ahead log', () => {
  it('is copied into the database while nothing is written', async () => {
    let run = () => {};
    const clock: Clock = {
      ...systemClock,
      after(delayMs, callback) {
        if (delayMs !== 50) return systemClock.after(delayMs, callback);
        run = callback;
        return () => {
          run = () => {};
        };
      },
    };
    const store = await open({ clock });
    const databaseBytes = () => statSync(join(directory, 'registry.db')).size;
    const before = databaseBytes();
    for (let n = 0; n < 10; n++) await Promise.all(Array.from({ length: 50 }, (_, m) => put(store, `k/${n}-${m}`)));
    expect(databaseBytes()).toBe(before);
    run();
    expect(databaseBytes()).toBeGreaterThan(500 * value.byteLength);
    expect((await store.versions('k/')).keys).toHaveLength(500);
  });
});

describe('pages', () => {
  const pageBytesOf = (directoryOf: string) => {
    const header = readFileSync(join(directoryOf, 'registry.db')).subarray(16, 18);
    return header.readUInt16BE(0);
  };

  it('are small, because a commit writes whole ones', async () => {
    await (await open()).close();
    expect(pageBytesOf(directory)).toBe(4096);
  });

  it('of another size, as earlier versions have written them, are kept', async () => {
    const { DatabaseSync } = await loadBinding();
    const database = new DatabaseSync(join(directory, 'registry.db'));
    database.exec(`${schema.replace(/PRAGMA page_size = \d+/, 'PRAGMA page_size = 16384')}; PRAGMA journal_mode = WAL`);
    database.close();
    const store = await open();
    await Promise.all(Array.from({ length: 100 }, (_, n) => put(store, `k/${n}`)));
    await store.close();
    expect(pageBytesOf(directory)).toBe(16 * 1024);
    expect((await (await open()).versions('k/')).keys).toHaveLength(100);
  });
});

describe('bytes written', () => {
  const sizeOf = (name: string) => statSync(join(directory, name)).size;
  const headerBytes = 32;

  it('are those of the log, and after a checkpoint those of the pages that were copied', async () => {
    const store = await open();
    for (let n = 0; n < 50; n++) await put(store, `k/${n % 5}`);
    expect(store.writtenBytes()).toBe(sizeOf('registry.db-wal') - headerBytes);
    for (let n = 0; n < 450; n++) await put(store, `k/${n % 5}`);
    const logBytes = sizeOf('registry.db-wal') - headerBytes;
    // The log is copied while nothing is written.
    await expect.poll(() => store.writtenBytes()).toBeGreaterThan(logBytes);
    const copiedBytes = store.writtenBytes() - logBytes;
    expect(copiedBytes).toBeLessThanOrEqual(sizeOf('registry.db'));
    expect(copiedBytes % 4096).toBe(0);
  });

  it('of a store that only reads are none', async () => {
    const store = await open();
    await store.versions('');
    expect(store.writtenBytes()).toBe(0);
  });

  it('of a commit that fails are none, also in the file that notifies other processes', async () => {
    const store = await open();
    await put(store, 'k');
    const notified = () => new Promise((resolve) => setTimeout(resolve, 20));
    await notified();
    const before = store.writtenBytes();
    utimesSync(join(directory, 'doorbell'), 1, 1);
    expect(await store.commit([{ type: 'put', key: 'k', value, expected: 0 }])).toMatchObject({ committed: false });
    await notified();
    expect(store.writtenBytes()).toBe(before);
    expect(statSync(join(directory, 'doorbell')).mtimeMs).toBe(1_000);
  });
});

describe('history', () => {
  it('is kept for the configured number of commits', async () => {
    const store = await open({ logCommitsMax: 50 });
    for (let n = 0; n < 200; n++) await put(store, `k/${n % 5}`);
    expect((await first(store.watch('', { after: 151 })))?.revision).toBe(152);
    await expect(first(store.watch('', { after: 120 }))).rejects.toMatchObject({ code: 'Expired' });
    expect((await store.versions('')).keys).toHaveLength(5);
  });

  it('does not let the file grow with the number of writes', async () => {
    const store = await open({ logCommitsMax: 50 });
    const size = () =>
      ['registry.db', 'registry.db-wal'].reduce((sum, file) => sum + statSync(join(directory, file)).size, 0);
    const write = async (count: number) => {
      for (let n = 0; n < count; n += 50)
        await Promise.all(Array.from({ length: 50 }, (_, m) => put(store, `k/${m % 5}`)));
    };
    // The values alone have 24 MB, the write-ahead log up to 13 MB.
    await write(12_000);
    expect(size()).toBeLessThan(16 * 1024 * 1024);
  });

  it('fills its pages (half empty pages used to take twice the disk and the memory)', async () => {
    const store = await open();
    const small = new TextEncoder().encode(JSON.stringify('x'.repeat(1500)));
    const count = 2000;
    for (let n = 0; n < count; n += 100) {
      const keys = Array.from({ length: 100 }, (_, m) => `k/${n + m}`);
      await Promise.all(keys.map((key) => store.commit([{ type: 'put', key, value: small }])));
    }
    await store.close();
    const { size } = statSync(join(directory, 'registry.db'));
    expect(size / (count * small.length)).toBeLessThan(2);
  });

  it('is dropped when it is too old, with the next commits', async () => {
    let nowMs = 1_000_000;
    const clock: Clock = { now: () => nowMs, monotonicMs: () => nowMs, after: systemClock.after };
    const store = await open({ clock, logAgeMsMax: 60_000 });
    const old = await put(store, 'k/old');
    const older = await put(store, 'k/old');
    nowMs += 59_000;
    const young = await put(store, 'k/young');
    nowMs += 2_000;
    const newest = await put(store, 'k/young');
    await expect(first(store.watch('', { after: old }))).rejects.toMatchObject({ code: 'Expired' });
    expect((await first(store.watch('', { after: older })))?.revision).toBe(young);
    nowMs += 3_600_000;
    await put(store, 'k/young');
    await expect(first(store.watch('', { after: older }))).rejects.toMatchObject({ code: 'Expired' });
    expect((await first(store.watch('', { after: newest })))?.revision).toBe(newest + 1);
  });

  it('continues where it was after a restart', async () => {
    const before = await open();
    const revision = await put(before, 'k/a');
    await before.close();
    const after = await open();
    expect(await after.revision()).toBe(revision);
    expect(await put(after, 'k/a')).toBe(revision + 1);
    expect((await first(after.watch('', { after: 0 })))?.revision).toBe(revision);
  });
});

describe('many commits that share a flush', () => {
  it('each leave the value that was written, with the revision and creation of their outcome', async () => {
    const store = await open();
    await put(store, 'k/first');
    const texts = Array.from({ length: 200 }, (_, n) => [`k/${n}`, `"${'x'.repeat(n * 20)}"`] as const);
    for (const round of [1, 2]) {
      const revisions = await Promise.all(
        texts.map(async ([key, text]) => {
          const outcome = await store.commit([
            { type: 'put', key, value: new TextEncoder().encode(`${text}${round}`) },
          ]);
          return outcome.committed ? outcome.revision : 0;
        }),
      );
      const found = await Promise.all(texts.map(([key]) => store.get(key)));
      expect(found.map((entry) => [new TextDecoder().decode(entry?.value), entry?.revision, entry?.created])).toEqual(
        texts.map(([, text], n) => [`${text}${round}`, revisions[n], 2 + n]),
      );
    }
  });
});

describe('several stores of one process on one directory', () => {
  it('can be opened and closed while another is writing (opening used to hang)', async () => {
    const store = await open();
    let writing = true;
    const writer = (async () => {
      while (writing) await Promise.all([put(store, 'k/a'), put(store, 'k/b')]);
    })();
    for (let n = 0; n < 20; n++) {
      const other = await SqliteStore.open({ directory });
      await put(other, `k/other${n}`);
      await other.close();
    }
    writing = false;
    await writer;
    expect((await store.versions('k/other')).keys).toHaveLength(20);
  });

  it('that write concurrently get revisions of their own, and only one of them creates a key', async () => {
    const stores = [await open(), await open(), await open()];
    const revisions: number[] = [];
    for (let n = 0; n < 50; n++) {
      revisions.push(...(await Promise.all(stores.map((store, index) => put(store, `k/${n}-${index}`)))));
      const creation = [{ type: 'put', key: `k/${n}`, value, expected: 0 }] as const;
      const outcomes = await Promise.all(stores.map((store) => store.commit(creation)));
      expect(outcomes.map(({ committed }) => committed).sort()).toEqual([false, false, true]);
    }
    expect(new Set(revisions).size).toBe(150);
    expect(await stores[0]?.revision()).toBe(150 + 50);
  });

  it('are separate when the directory was removed and created again', async () => {
    const before = await open();
    await put(before, 'k/a');
    rmSync(directory, { recursive: true });
    const after = await open();
    expect((await after.versions('')).keys).toEqual([]);
    expect(await put(after, 'k/b')).toBe(1);
  });
});

describe('a watch', () => {
  it('finds a change by polling when a notification was lost', async () => {
    const store = await open({ pollMs: 20 });
    const other = await open();
    const watching = first(store.watch('', { after: 0 }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    // A watcher of a file that was removed gets no more events.
    rmSync(join(directory, 'doorbell'));
    expect(existsSync(join(directory, 'doorbell'))).toBe(false);
    const revision = await put(other, 'k/a');
    expect((await watching)?.revision).toBe(revision);
  });

  it('leaves no timer and no file watcher when it is cancelled', async () => {
    let timers = 0;
    const clock: Clock = {
      ...systemClock,
      after(delayMs, callback) {
        timers++;
        const cancel = systemClock.after(delayMs, callback);
        return () => {
          timers--;
          cancel();
        };
      },
    };
    const store = await open({ clock, pollMs: 60_000 });
    const watchers = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
    await expect.poll(watchers).toBe(0);
    const controllers = Array.from({ length: 50 }, () => new AbortController());
    const watches = controllers.map(({ signal }) => first(store.watch('', { after: 0, signal })));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect([timers, watchers()]).toEqual([1, 1]);
    for (const controller of controllers) controller.abort();
    await Promise.all(watches);
    expect(timers).toBe(0);
    await expect.poll(watchers).toBe(0);
  });

  it('whose consumer does not read any more leaves no file watcher when the store is closed', async () => {
    const store = await open();
    await put(store, 'a');
    const watchers = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
    await expect.poll(watchers).toBe(0);
    const watch = store.watch('', { after: 0 })[Symbol.asyncIterator]();
    expect((await watch.next()).value?.revision).toBe(1);
    expect(watchers()).toBe(1);
    await store.close();
    await expect.poll(watchers, { timeout: 5_000 }).toBe(0);
    await expect(watch.next()).rejects.toMatchObject({ code: 'Closed' });
  });
});
