import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { follow, type LogSource } from './follow.ts';
import { MemoryStore } from './memory/store.ts';

const put = (store: MemoryStore, key: string) => store.commit([{ type: 'put', key, value: new Uint8Array([1]) }]);

describe('a watch over a log', () => {
  it('delivers every commit once, also at batch boundaries', async () => {
    const store = new MemoryStore();
    const count = 600;
    for (let n = 0; n < count; n++) await put(store, `k/${n}`);
    const seen: number[] = [];
    for await (const { revision } of store.watch('', { after: 0 })) {
      seen.push(revision);
      if (seen.length === count) break;
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    await store.close();
  });

  it('delivers nothing more once its signal has aborted, not even the rest of a batch', async () => {
    const store = new MemoryStore();
    for (let n = 0; n < 3; n++) await put(store, `k/${n}`);
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const { revision } of store.watch('', { after: 0, signal: stop.signal })) {
      seen.push(revision);
      stop.abort();
    }
    expect(seen).toEqual([1]);
    await store.close();
  });

  it('ends when its signal aborts while it waits, and leaves no listener on it', async () => {
    const store = new MemoryStore();
    const stop = new AbortController();
    const watch = store.watch('', { after: 0, signal: stop.signal })[Symbol.asyncIterator]();
    for (let n = 0; n < 3; n++) {
      const next = watch.next();
      await put(store, `k/${n}`);
      expect(await next).toMatchObject({ value: { revision: n + 1 } });
      expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    }
    const last = watch.next();
    stop.abort();
    expect(await last).toEqual({ done: true, value: undefined });
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    await store.close();
  });

  it('waits only when it has read everything', async () => {
    const waits: number[] = [];
    const stop = new AbortController();
    const source: LogSource = {
      read: (after) => ({ commits: [], through: Math.min(after + 1, 3) }),
      waiter: () => ({
        wait: async (after) => {
          waits.push(after);
          stop.abort();
        },
        wake: () => {},
        after: 0,
      }),
    };
    for await (const _ of follow(source, '', { after: 0, signal: stop.signal })) expect.unreachable();
    expect(waits).toEqual([3]);
  });

  it('is not behind the log after many commits of other keys, which do not wake it', async () => {
    const store = new MemoryStore({ logCommitsMax: 10 });
    await put(store, 'a/1');
    const watch = store.watch('a/', { after: 1 })[Symbol.asyncIterator]();
    const next = watch.next();
    for (let number = 0; number < 100; number++) await put(store, `b/${number}`);
    await put(store, 'a/2');
    expect((await next).value).toMatchObject({ revision: 102, changes: [{ key: 'a/2' }] });
    await store.close();
  });

  it('reports with progress that the log has advanced beyond the changes under its prefix', async () => {
    const store = new MemoryStore();
    await put(store, 'a/1');
    await put(store, 'b/1');
    const seen: string[] = [];
    for await (const { revision, changes } of store.watch('a/', { after: 0, progress: true })) {
      seen.push(`${revision}: ${changes.map(({ key }) => key).join()}`);
      if (revision === 2) await put(store, 'b/2');
      if (revision === 3) break;
    }
    expect(seen).toEqual(['1: a/1', '2: ', '3: ']);
    await store.close();
  });
});
