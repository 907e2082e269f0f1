/** Goal: a disk that is full or read-only gives a clear error or a reported problem, and loses nothing. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commit, eventually, FileStoreFixture, isRoot, put, stored } from './file-store.kit.ts';
import { FileStore } from './store.ts';

let fixture: FileStoreFixture;
beforeEach(() => {
  fixture = new FileStoreFixture();
});
afterEach(() => fixture.cleanup());

it('a file in the place of the directory is ReadOnly, with the reason in the message', async () => {
  writeFileSync(fixture.path('file'), '');
  await expect(FileStore.open({ directory: fixture.path('file') })).rejects.toMatchObject({
    code: 'ReadOnly',
    message: expect.stringContaining('file is a file, not a directory'),
  });
  await expect(FileStore.open({ directory: fixture.path('file/below') })).rejects.toMatchObject({ code: 'ReadOnly' });
});

it.skipIf(isRoot())('a directory without permission to write is ReadOnly', async () => {
  chmodSync(fixture.directory, 0o555);
  await expect(FileStore.open({ directory: fixture.directory })).rejects.toMatchObject({ code: 'ReadOnly' });
  chmodSync(fixture.directory, 0o755);
});

it('a ledger that is damaged is Corrupt', async () => {
  fixture.save('.registry/registry.db', 'not a database\n'.repeat(1000));
  await expect(FileStore.open({ directory: fixture.directory })).rejects.toMatchObject({ code: 'Corrupt' });
});

const canMount =
  spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d; s=$?; rmdir $d; exit $s'])
    .status === 0;
if (!canMount) console.warn('skipped: a full disk and a read-only one need the right to mount a tmpfs');

describe.skipIf(!canMount)('on a small disk', () => {
  const mount = (...words: string[]) => expect(spawnSync('mount', words).status).toBe(0);
  let disk: string;
  beforeEach(() => {
    disk = fixture.path('disk');
    mkdirSync(disk);
    mount('-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', disk);
  });
  afterEach(async () => {
    spawnSync('umount', ['-l', disk]);
  });

  it('that is read-only a registry is ReadOnly', async () => {
    const store = await FileStore.open({ directory: disk });
    await commit(store, put('a', 1));
    await store.close();
    mount('-o', 'remount,ro', disk);
    await expect(FileStore.open({ directory: disk })).rejects.toMatchObject({ code: 'ReadOnly' });
  });

  it('with space for the ledger but not for the file a commit succeeds, a problem is reported, and the file is written later', async () => {
    const inner = new FileStoreFixture(disk);
    const store = await inner.open({ scanMs: 50 });
    await commit(store, put('a', 1));
    // The file system of the drafts is full; the ledger still works.
    const drafts = inner.path('.registry/tmp');
    mount('-t', 'tmpfs', '-o', 'size=4k,nr_inodes=2', 'tmpfs', drafts);
    const revision = await commit(store, put('a', { filler: 'x'.repeat(10_000) }));
    expect(inner.read('a.json')).toBe('1\n');
    expect(store.problems()).toMatchObject([{ key: 'a', reason: expect.stringContaining('ENOSPC') }]);
    expect(inner.logged).toHaveLength(1);
    expect(readdirSync(drafts, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())).toEqual([]);
    await eventually(() => expect(spawnSync('umount', ['-l', drafts]).status).toBe(0));
    await eventually(() => expect(inner.read('a.json')).toContain('filler'));
    await eventually(() => expect(store.problems()).toEqual([]));
    expect(await store.revision()).toBe(revision);
    await store.close();
  });

  it('that fills up commits fail with StorageFull or succeed, no edit is detected, and the store recovers', async () => {
    const inner = new FileStoreFixture(disk);
    const store = await inner.open({ scanMs: 50, logCommitsMax: 10 });
    const acknowledged = new Map<string, number>();
    const codes = new Set<string>();
    for (let n = 0; n < 400 && codes.size === 0; n++) {
      try {
        await commit(store, put(`a/${n}`, { n, filler: 'x'.repeat(4000) }));
        acknowledged.set(`a/${n}`, n);
      } catch (error) {
        codes.add((error as { code: string }).code);
      }
    }
    expect([...codes]).toEqual(['StorageFull']);
    expect((await store.versions('')).keys).toHaveLength(acknowledged.size);
    mount('-o', 'remount,size=8m', disk);
    await eventually(() => expect(store.problems()).toEqual([]));
    for (const [key, n] of acknowledged) {
      expect(JSON.parse(inner.read(`${key}.json`))).toMatchObject({ n });
      expect(await stored(store, key)).toMatchObject({ n });
    }
    const revision = await store.revision();
    expect(await commit(store, put('b', 1))).toBe(revision + 1);
    await store.close();
  });

  it('that is unmounted nothing is deleted', async () => {
    const store = await FileStore.open({ directory: disk, scanMs: 50 });
    const revision = await commit(store, put('a', 1));
    expect(spawnSync('umount', ['-l', disk]).status).toBe(0);
    await eventually(() => expect(store.problems()).toMatchObject([{ file: disk }]));
    await expect(store.commit([put('a', 2)])).rejects.toMatchObject({ code: 'Unavailable' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await store.revision()).toBe(revision);
    await store.close();
    rmSync(disk, { recursive: true });
  });
});
