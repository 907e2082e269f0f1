/** Goal: a manual save during a change is not overwritten where that can be avoided. */
import { chmodSync, existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDirectory, placeDraft, removeFile, writeDraft } from './draft.ts';
import { FileStoreFixture } from './file-store.kit.ts';
import { fingerprint } from './observation.ts';

let fixture: FileStoreFixture;
let draft: string;
beforeEach(async () => {
  fixture = new FileStoreFixture();
  draft = fixture.path('draft');
  await writeDraft(draft, Buffer.from('ours'), undefined);
});
afterEach(() => fixture.cleanup());

const never = () => {
  throw new Error('asked for nothing');
};

it('a new file is moved into place, and does not replace an existing one', () => {
  const file = fixture.path('a.json');
  expect(placeDraft(draft, file, true, never)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('ours');
  fixture.save('a.json', 'theirs');
  expect(placeDraft(draft, file, true, never)).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('theirs');
});

it('a file is replaced only if it is unedited immediately before', () => {
  const file = fixture.path('a.json');
  fixture.save('a.json', 'old');
  expect(placeDraft(draft, file, false, () => false)).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(placeDraft(draft, file, false, () => true)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('ours');
});

it('a file that was removed immediately before stays removed', () => {
  expect(placeDraft(draft, fixture.path('a.json'), false, never)).toBe(false);
  expect(existsSync(fixture.path('a.json'))).toBe(false);
});

it('a file is removed only if it has the expected fingerprint', () => {
  fixture.save('a.json', 'old');
  const stat = fingerprint(lstatSync(fixture.path('a.json'), { bigint: true }));
  expect(removeFile(fixture.path('a.json'), 'another', fixture.path('grave'))).toBe(false);
  expect(fixture.read('a.json')).toBe('old');
  expect(removeFile(fixture.path('a.json'), stat, fixture.path('grave'))).toBe(true);
  expect([existsSync(fixture.path('a.json')), existsSync(fixture.path('grave'))]).toEqual([false, false]);
});

it('the directories that a new file needs are those to flush', () => {
  const file = fixture.path('x/y/z.json');
  expect(createDirectory(fixture.directory, file)).toEqual([fixture.path('x/y'), fixture.path('x'), fixture.directory]);
  expect(createDirectory(fixture.directory, file)).toEqual([fixture.path('x/y')]);
});

it('a draft is complete when it is returned, with the fingerprint that it keeps', async () => {
  const bytes = Buffer.alloc(16 * 1024 * 1024, 'x');
  for (const model of [undefined, lstatSync(draft)]) {
    const path = fixture.path(`large-${model === undefined ? 'new' : 'replacing'}`);
    const stat = await writeDraft(path, bytes, model);
    expect(stat).toBe(fingerprint(lstatSync(path, { bigint: true })));
    expect(readFileSync(path).equals(bytes)).toBe(true);
  }
});

it('a draft has the permissions of the file that it will replace, but no setuid bit', async () => {
  chmodSync(draft, 0o4775);
  const path = fixture.path('replacing');
  await writeDraft(path, Buffer.from('new'), lstatSync(draft));
  expect(lstatSync(path).mode & 0o7777).toBe(0o775);
});

it('a draft that cannot be written is removed', async () => {
  await expect(writeDraft(draft, Buffer.from('again'), undefined)).rejects.toMatchObject({ code: 'EEXIST' });
  const path = fixture.path('failed');
  const notBytes = 7 as unknown as Uint8Array;
  await expect(writeDraft(path, notBytes, undefined)).rejects.toThrow();
  expect(existsSync(path)).toBe(false);
});

it('a draft that cannot be written fails with that error, also if another process has removed it', async () => {
  const path = fixture.path('failed');
  async function* full(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('the first part');
    rmSync(path);
    throw new Error('no space');
  }
  await expect(writeDraft(path, full() as unknown as Uint8Array, undefined)).rejects.toThrow('no space');
});
