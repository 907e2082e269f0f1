import { pbkdf2 } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

const descriptors = '/proc/self/fd';

it.skipIf(!existsSync(descriptors))(
  'a file that was read is closed, also if the threads that close files are busy',
  async () => {
    const path = fixture.path('a.json');
    fixture.save('a.json', 'one');
    let isRead = false;
    const busy = Array.from({ length: 16 }, async () => {
      while (!isRead) await promisify(pbkdf2)('password', 'salt', 10_000, 32, 'sha256');
    });
    await readIfStill(path, fingerprint(lstatSync(path, { bigint: true })));
    const isOpen = readdirSync(descriptors).some((descriptor) => {
      const link = join(descriptors, descriptor);
      // The descriptor of this list itself does not exist any more.
      return existsSync(link) && readlinkSync(link) === path;
    });
    isRead = true;
    await Promise.all(busy);
    expect(isOpen).toBe(false);
  },
);
