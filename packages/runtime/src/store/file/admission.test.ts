/** Goal: the rules of a registry apply to manual edits too. */
import { existsSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiError } from '../../api/errors.ts';
import { limits } from '../contract.ts';
import { type Admission, intoCommits } from './admission.ts';
import { bytes, commit, eventually, FileStoreFixture, history, put, stored } from './file-store.kit.ts';
import type { FileStore } from './store.ts';

interface Thing {
  name?: string;
  size?: number;
  finalizer?: boolean;
  deleting?: boolean;
}

/** A name is required, the size has a default, a finalizer delays the removal. */
const admit: Admission = (key, data, previous) => {
  const before: Thing | undefined = previous && JSON.parse(new TextDecoder().decode(previous));
  if (data === undefined) {
    if (key === 'pinned') throw new ApiError('Forbidden', { reason: 'it is pinned' });
    return before?.finalizer ? bytes({ ...before, deleting: true }) : undefined;
  }
  const thing = data as Thing;
  if (thing.name === undefined) throw new ApiError('BadRequest', { reason: 'name: Required value' });
  if (thing.deleting && !thing.finalizer) return undefined;
  return bytes({ ...thing, size: thing.size ?? 7 });
};

let fixture: FileStoreFixture;
let store: FileStore;
beforeEach(async () => {
  fixture = new FileStoreFixture();
  store = await fixture.open({ admit, scanMs: 100 });
});
afterEach(() => fixture.cleanup());

it('sets defaults, also in the file', async () => {
  fixture.save('a.yaml', '# mine\nname: a\n');
  await eventually(async () => expect(await stored(store, 'a')).toEqual({ name: 'a', size: 7 }));
  await eventually(() => expect(fixture.read('a.yaml')).toBe('# mine\nname: a\nsize: 7\n'));
  expect(await history(store)).toEqual(['put a']);
});

it('restores a removed default: no revision, and the file is completed', async () => {
  await commit(store, put('a', { name: 'a', size: 7 }));
  fixture.save('a.json', { name: 'a' });
  await eventually(() => expect(JSON.parse(fixture.read('a.json'))).toEqual({ name: 'a', size: 7 }));
  expect(await history(store)).toEqual(['put a']);
});

it('refuses: the reason is reported, the file is unchanged, the previous value is returned', async () => {
  await commit(store, put('a', { name: 'a', size: 1 }));
  fixture.save('a.json', { size: 2 });
  await eventually(() =>
    expect(store.problems()).toMatchObject([
      { key: 'a', reason: 'name: Required value', file: fixture.path('a.json') },
    ]),
  );
  await expect(store.commit([put('a', { name: 'b' })])).rejects.toMatchObject({
    code: 'Forbidden',
    message: expect.stringContaining('name: Required value'),
  });
  expect(JSON.parse(fixture.read('a.json'))).toEqual({ size: 2 });
  expect(await stored(store, 'a')).toEqual({ name: 'a', size: 1 });
  fixture.save('a.json', { name: 'a', size: 2 });
  await eventually(async () => expect(await stored(store, 'a')).toEqual({ name: 'a', size: 2 }));
  await eventually(() => expect(store.problems()).toEqual([]));
});

it('turns a removal into a rewrite, and a rewrite into a removal', async () => {
  await commit(store, put('a', { name: 'a', size: 1, finalizer: true }));
  rmSync(fixture.path('a.json'));
  const deleting = { name: 'a', size: 1, finalizer: true, deleting: true };
  await eventually(async () => expect(await stored(store, 'a')).toEqual(deleting));
  await eventually(() => expect(JSON.parse(fixture.read('a.json'))).toEqual(deleting));
  rmSync(fixture.path('a.json'));
  await eventually(() => expect(JSON.parse(fixture.read('a.json'))).toEqual(deleting));
  fixture.save('a.json', { ...deleting, finalizer: false });
  await eventually(async () => expect(await store.get('a')).toBeUndefined());
  await eventually(() => expect(existsSync(fixture.path('a.json'))).toBe(false));
  expect(await history(store)).toEqual(['put a', 'put a', 'delete a']);
});

it('may refuse a removal: the object stays, and so does the problem until the file is restored', async () => {
  await commit(store, put('pinned', { name: 'p', size: 1 }));
  const content = fixture.read('pinned.json');
  rmSync(fixture.path('pinned.json'));
  await eventually(() =>
    expect(store.problems()).toMatchObject([{ key: 'pinned', reason: 'it may not be removed: it is pinned' }]),
  );
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(fixture.logged).toHaveLength(1);
  expect(await stored(store, 'pinned')).toEqual({ name: 'p', size: 1 });
  fixture.save('pinned.json', content);
  await eventually(() => expect(store.problems()).toEqual([]));
  expect(await history(store)).toEqual(['put pinned']);
});

it('is called only for edits, not for commits', async () => {
  await commit(store, put('a', { size: 1 }));
  expect(store.problems()).toEqual([]);
});

it('splits the edits of one scan into commits within the limits', () => {
  const large = Array.from({ length: 3 }, (_, n) => put(`k${n}`, 'x'.repeat(limits.commitBytesMax / 2 - 2)));
  expect(intoCommits(large).map((writes) => writes.length)).toEqual([2, 1]);
  const many = Array.from({ length: limits.commitWritesMax + 1 }, (_, n) => put(`k${n}`, n));
  expect(intoCommits(many).map((writes) => writes.length)).toEqual([limits.commitWritesMax, 1]);
  expect(intoCommits([])).toEqual([]);
});
