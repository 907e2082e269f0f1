/** Goal: nothing that a person saves in the very moment of a change is overwritten where that can be helped. */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeDirectory, placeDraft, removeFile, writeDraft } from './draft.ts';
import { FileStoreFixture } from './file-store.kit.ts';
import { fingerprint } from './observation.ts';

let bench: FileStoreFixture;
let draft: string;
beforeEach(async () => {
  bench = new FileStoreFixture();
  draft = bench.path('draft');
  await writeDraft(draft, Buffer.from('ours'), undefined);
});
afterEach(() => bench.cleanup());

const never = () => {
  throw new Error('asked for nothing');
};

it('a new file is put into place, and does not replace one that came first', () => {
  const file = bench.path('a.json');
  expect(placeDraft(draft, file, true, never)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('ours');
  bench.save('a.json', 'theirs');
  expect(placeDraft(draft, file, true, never)).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('theirs');
});

it('a file is replaced only if it is untouched at the last moment', () => {
  const file = bench.path('a.json');
  bench.save('a.json', 'old');
  expect(placeDraft(draft, file, false, () => false)).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(placeDraft(draft, file, false, () => true)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('ours');
});

it('a file that was removed at the last moment stays removed', () => {
  expect(placeDraft(draft, bench.path('a.json'), false, never)).toBe(false);
  expect(existsSync(bench.path('a.json'))).toBe(false);
});

it('a file is removed only if it is the one that was meant', () => {
  bench.save('a.json', 'old');
  const stat = fingerprint(lstatSync(bench.path('a.json'), { bigint: true }));
  expect(removeFile(bench.path('a.json'), 'another', bench.path('grave'))).toBe(false);
  expect(bench.read('a.json')).toBe('old');
  expect(removeFile(bench.path('a.json'), stat, bench.path('grave'))).toBe(true);
  expect([existsSync(bench.path('a.json')), existsSync(bench.path('grave'))]).toEqual([false, false]);
});

it('the directories that a new file needs are those to flush', () => {
  const file = bench.path('x/y/z.json');
  expect(makeDirectory(bench.directory, file)).toEqual([bench.path('x/y'), bench.path('x'), bench.directory]);
  expect(makeDirectory(bench.directory, file)).toEqual([bench.path('x/y')]);
});
