/** Goal: what is gone is a deletion only when a person removed it. Method: as in edits.test.ts. */
import { renameSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commit, eventually, FileStoreFixture, history, put, stored } from './file-store.kit.ts';
import type { FileStore } from './store.ts';

let bench: FileStoreFixture;
let store: FileStore;
beforeEach(async () => {
  bench = new FileStoreFixture();
  store = await bench.open();
});
afterEach(() => bench.cleanup());

const key = 'example.io/v1/things/default/a';
const file = `${key}.json`;

describe('a removed file', () => {
  it('is a deleted object', async () => {
    const revision = await commit(store, put(key, 1));
    rmSync(bench.path(file));
    await eventually(async () => expect(await store.get(key)).toBeUndefined());
    expect(await history(store, revision)).toEqual([`delete ${key}`]);
  });

  it('lets a program create the object anew at once', async () => {
    await commit(store, put(key, 1));
    rmSync(bench.path(file));
    const revision = await commit(store, put(key, 2, 0));
    expect((await store.get(key))?.created).toBe(revision);
    expect(bench.read(file)).toBe('2\n');
  });

  it('with its whole directory is as many deleted objects', async () => {
    await commit(store, put('x/a', 1), put('x/y/b', 1), put('z', 1));
    rmSync(bench.path('x'), { recursive: true });
    await eventually(async () => expect((await store.versions('')).keys).toEqual(['z']));
    await commit(store, put('x/y/b', 2));
    expect(bench.read('x/y/b.json')).toBe('2\n');
  });

  it('and the whole directory moved away is noticed at once, however long it is until the next scan', async () => {
    await store.close();
    store = await bench.open({ scanMs: 3_600_000 });
    await commit(store, put('a', 1));
    // Until the events of our own write have been looked at.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const away = `${bench.directory}-away`;
    renameSync(bench.directory, away);
    await eventually(() => expect(store.problems()).toMatchObject([{ file: bench.directory, reason: /is gone/ }]));
    renameSync(away, bench.directory);
  });

  it('with the whole directory, just after a commit, is no reason to say that what was written could not be', async () => {
    await store.close();
    store = await bench.open({ scanMs: 1 });
    const away = `${bench.directory}-away`;
    for (let round = 1; round <= 25; round++) {
      await commit(store, put('a', round), put('b', round));
      renameSync(bench.directory, away);
      await eventually(() => expect(store.problems()).toMatchObject([{ file: bench.directory, reason: /is gone/ }]));
      renameSync(away, bench.directory);
      await eventually(() => expect(store.problems()).toEqual([]));
    }
  });

  it('is no deletion when the whole directory was moved away, and nothing is written to what stands there instead', async () => {
    await store.close();
    store = await bench.open({ scanMs: 20 });
    const revision = await commit(store, put('a', 1), put('b', 1));
    const away = `${bench.directory}-away`;
    renameSync(bench.directory, away);
    bench.save('other.json', 1);
    await eventually(() => expect(store.problems()).toMatchObject([{ file: bench.directory, reason: /is gone/ }]));
    await expect(store.commit([put('a', 2)])).rejects.toMatchObject({ code: 'Unavailable' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await store.revision()).toBe(revision);
    expect(await stored(store, 'b')).toBe(1);
    rmSync(bench.directory, { recursive: true });
    renameSync(away, bench.directory);
    await eventually(() => expect(store.problems()).toEqual([]));
    await commit(store, put('a', 2));
    expect(bench.read('a.json')).toBe('2\n');
    expect(await stored(store, 'b')).toBe(1);
  });
});

describe('a directory that is replaced by another of its name', () => {
  it('is watched again', async () => {
    await store.close();
    store = await bench.open({ scanMs: 600_000 });
    bench.save('x/a.json', 1);
    await eventually(async () => expect(await stored(store, 'x/a')).toBe(1));
    rmSync(bench.path('x'), { recursive: true });
    bench.save('x/a.json', 2);
    await eventually(async () => expect(await stored(store, 'x/a')).toBe(2));
    bench.save('x/a.json', 3);
    await eventually(async () => expect(await stored(store, 'x/a')).toBe(3));
  });
});
