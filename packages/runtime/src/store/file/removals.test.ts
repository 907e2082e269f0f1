/** Goal: a missing file is a deletion only if a user removed it. Method: as in edits.test.ts. */
import { renameSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commit, eventually, FileStoreFixture, history, put, stored } from './file-store.kit.ts';
import type { FileStore } from './store.ts';

let fixture: FileStoreFixture;
let store: FileStore;
beforeEach(async () => {
  fixture = new FileStoreFixture();
  store = await fixture.open();
});
afterEach(() => fixture.cleanup());

const key = 'example.io/v1/things/default/a';
const file = `${key}.json`;

describe('a removed file', () => {
  it('is a deleted object', async () => {
    const revision = await commit(store, put(key, 1));
    rmSync(fixture.path(file));
    await eventually(async () => expect(await store.get(key)).toBeUndefined());
    expect(await history(store, revision)).toEqual([`delete ${key}`]);
  });

  it('allows creating the object again immediately', async () => {
    await commit(store, put(key, 1));
    rmSync(fixture.path(file));
    const revision = await commit(store, put(key, 2, 0));
    expect((await store.get(key))?.created).toBe(revision);
    expect(fixture.read(file)).toBe('2\n');
  });

  it('with its whole directory deletes all its objects', async () => {
    await commit(store, put('x/a', 1), put('x/y/b', 1), put('z', 1));
    rmSync(fixture.path('x'), { recursive: true });
    await eventually(async () => expect((await store.versions('')).keys).toEqual(['z']));
    await commit(store, put('x/y/b', 2));
    expect(fixture.read('x/y/b.json')).toBe('2\n');
  });

  it('with the whole directory moved away is noticed immediately, before the next scan', async () => {
    await store.close();
    store = await fixture.open({ scanMs: 3_600_000 });
    await commit(store, put('a', 1));
    // Until the events of our own write have been processed.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const away = `${fixture.directory}-away`;
    renameSync(fixture.directory, away);
    await eventually(() =>
      expect(store.problems()).toMatchObject([{ file: fixture.directory, reason: /was removed/ }]),
    );
    renameSync(away, fixture.directory);
  });

  it('with the whole directory, just after a commit, does not fail that commit', async () => {
    await store.close();
    store = await fixture.open({ scanMs: 1 });
    const away = `${fixture.directory}-away`;
    for (let round = 1; round <= 25; round++) {
      await commit(store, put('a', round), put('b', round));
      renameSync(fixture.directory, away);
      await eventually(() =>
        expect(store.problems()).toMatchObject([{ file: fixture.directory, reason: /was removed/ }]),
      );
      renameSync(away, fixture.directory);
      await eventually(() => expect(store.problems()).toEqual([]));
    }
  });

  it('is not a deletion when the whole directory was moved away, and nothing is written to its replacement', async () => {
    await store.close();
    store = await fixture.open({ scanMs: 20 });
    const revision = await commit(store, put('a', 1), put('b', 1));
    const away = `${fixture.directory}-away`;
    renameSync(fixture.directory, away);
    fixture.save('other.json', 1);
    await eventually(() =>
      expect(store.problems()).toMatchObject([{ file: fixture.directory, reason: /was removed/ }]),
    );
    await expect(store.commit([put('a', 2)])).rejects.toMatchObject({ code: 'Unavailable' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await store.revision()).toBe(revision);
    expect(await stored(store, 'b')).toBe(1);
    rmSync(fixture.directory, { recursive: true });
    renameSync(away, fixture.directory);
    await eventually(() => expect(store.problems()).toEqual([]));
    await commit(store, put('a', 2));
    expect(fixture.read('a.json')).toBe('2\n');
    expect(await stored(store, 'b')).toBe(1);
  });
});

describe('a directory that is replaced by another of its name', () => {
  it('is watched again', async () => {
    await store.close();
    store = await fixture.open({ scanMs: 600_000 });
    fixture.save('x/a.json', 1);
    await eventually(async () => expect(await stored(store, 'x/a')).toBe(1));
    rmSync(fixture.path('x'), { recursive: true });
    fixture.save('x/a.json', 2);
    await eventually(async () => expect(await stored(store, 'x/a')).toBe(2));
    fixture.save('x/a.json', 3);
    await eventually(async () => expect(await stored(store, 'x/a')).toBe(3));
  });
});
