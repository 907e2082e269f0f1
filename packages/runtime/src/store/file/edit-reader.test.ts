import { lstatSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readIfStill } from './edit-reader.ts';
import { FileStoreFixture } from './file-store.kit.ts';
import { fingerprint } from './observation.ts';

let fixture: FileStoreFixture;
beforeEach(() => {
  fixture = new FileStoreFixture();
});
afterEach(() => fixture.cleanup());

it('a file is read only as it was seen: not after another save, and not after its removal', async () => {
  const path = fixture.path('a.json');
  const seen = () => fingerprint(lstatSync(path, { bigint: true }));
  fixture.save('a.json', 'one');
  const first = seen();
  expect((await readIfStill(path, first))?.toString()).toBe('one');
  fixture.save('a.json', 'another');
  expect(await readIfStill(path, first)).toBeUndefined();
  const second = seen();
  expect((await readIfStill(path, second))?.toString()).toBe('another');
  rmSync(path);
  expect(await readIfStill(path, second)).toBeUndefined();
});

it('a file that cannot be read is an error, and not taken for missing', async () => {
  await expect(readIfStill(fixture.directory, 'any')).rejects.toMatchObject({ code: 'EISDIR' });
});
