/** Goal: damage to the file, the disk or the directory gives a clear error of the catalogue and loses nothing. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiError, isApiError } from '../../api/errors.ts';
import { inspect } from './inspect.ts';
import { LmdbStore } from './store.ts';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'ecsm-damage-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** A store of 500 objects of 2 KB in a directory of its own, closed again. */
async function filled(directory = join(scratch, 'registry')): Promise<string> {
  const store = new LmdbStore({ directory });
  const filler = 'x'.repeat(2000);
  await Promise.all(
    Array.from({ length: 500 }, (_, n) => store.commit([{ type: 'put', key: `a/${n}`, value: bytes({ n, filler }) }])),
  );
  await store.close();
  return directory;
}

function failure(action: () => unknown): ApiError {
  try {
    action();
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

describe('a sound file', () => {
  it('is not called damaged because somebody writes meanwhile (it used to be, when it grew in the wrong moment)', async () => {
    const directory = join(scratch, 'registry');
    const store = new LmdbStore({ directory });
    const filler = 'x'.repeat(3000);
    let looks = 0;
    for (let n = 0; n < 600; n++) {
      let isWritten = false;
      // New keys let the file grow, and old ones let pages be used again.
      const keys = [`a/${n}`, `b/${n % 7}`];
      void store.commit(keys.map((key) => ({ type: 'put', key, value: bytes(filler) }))).then(() => {
        isWritten = true;
      });
      while (!isWritten) {
        await nextTurn();
        inspect(join(directory, 'data.mdb'));
        looks++;
      }
    }
    await store.close();
    expect(looks).toBeGreaterThan(600);
  });
});

describe('a damaged file', () => {
  it('that is sound passes', async () => {
    const directory = await filled();
    inspect(join(directory, 'data.mdb'));
    const store = new LmdbStore({ directory });
    expect((await store.versions('a/')).keys).toHaveLength(500);
    await store.close();
  });

  it.each([100, 4096, 8192, 40_960, 400_000])(
    'cut to %i bytes is refused as Corrupt, and left as it is',
    async (size) => {
      const file = join(await filled(), 'data.mdb');
      truncateSync(file, size);
      const error = failure(() => new LmdbStore({ directory: join(scratch, 'registry') }));
      expect(error.code).toBe('Corrupt');
      expect(error.message).toContain(file);
      expect(statSync(file).size).toBe(size);
    },
  );

  it('that is something else altogether is refused as Corrupt', async () => {
    const directory = join(scratch, 'registry');
    mkdirSync(directory);
    writeFileSync(join(directory, 'data.mdb'), 'this is not a database, it is a letter\n'.repeat(1000));
    expect(failure(() => new LmdbStore({ directory })).message).toContain('not an LMDB file');
  });

  it('overwritten anywhere in its tree is refused as Corrupt, or not noticed because nothing points there', async () => {
    const original = readFileSync(join(await filled(), 'data.mdb'));
    const pages = original.length / 4096;
    const verdicts = new Set<string>();
    for (let page = 2; page < pages; page += 7) {
      const file = join(scratch, 'copy.mdb');
      const copy = Buffer.from(original);
      copy.fill(0x5a, page * 4096, (page + 1) * 4096);
      writeFileSync(file, copy);
      try {
        inspect(file);
        verdicts.add('unreferenced or a value');
      } catch (error) {
        verdicts.add((error as ApiError).code);
      }
    }
    expect(verdicts).toContain('Corrupt');
  });

  it('with one overwritten value still serves all the others, and names the damaged one', async () => {
    const directory = await filled();
    const file = join(directory, 'data.mdb');
    const original = readFileSync(file);
    const descriptor = openSync(file, 'r+');
    // LMDB copies pages as it writes, so older copies of the value may lie in the file too.
    for (let at = original.indexOf('{"n":250,'); at !== -1; at = original.indexOf('{"n":250,', at + 1)) {
      writeSync(descriptor, '{"n":999', at);
    }
    closeSync(descriptor);
    const store = new LmdbStore({ directory });
    const page = await store.list('a/', { limit: 1000 });
    expect(page.entries).toHaveLength(499);
    expect(page.damaged).toEqual([
      expect.objectContaining({ key: 'a/250', reason: expect.stringContaining('checksum') }),
    ]);
    // Page by page it is reported once as well.
    const reported: string[] = [];
    for (let after: string | undefined; ; ) {
      const next = await store.list('a/', { limit: 7, ...(after === undefined ? {} : { after }) });
      reported.push(...(next.damaged ?? []).map((damage) => damage.key));
      after = next.next;
      if (after === undefined) break;
    }
    expect(reported).toEqual(['a/250']);
    await expect(store.get('a/250')).rejects.toMatchObject({ code: 'Corrupt' });
    await store.close();
  });
});

describe('a place that cannot be written', () => {
  it.skipIf(!existsSync('/proc'))(
    'is refused as ReadOnly in a file system that takes no directories (it used to hang)',
    () => {
      expect(failure(() => new LmdbStore({ directory: '/proc/registry' })).code).toBe('ReadOnly');
      expect(failure(() => new LmdbStore({ directory: join(scratch, 'x'.repeat(300)) })).code).toBe('ReadOnly');
    },
  );

  it('is refused as ReadOnly when a file stands where the directory should be', () => {
    writeFileSync(join(scratch, 'file'), '');
    expect(failure(() => new LmdbStore({ directory: join(scratch, 'file') })).code).toBe('ReadOnly');
    expect(failure(() => new LmdbStore({ directory: join(scratch, 'file', 'below') })).code).toBe('ReadOnly');
  });

  const canMount =
    spawnSync('sh', [
      '-c',
      'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d; s=$?; rmdir $d; exit $s',
    ]).status === 0;
  const mounted = canMount ? describe : describe.skip;
  if (!canMount) console.warn('skipped: a full disk and a read-only one need the right to mount a tmpfs');

  mounted('on a small disk', () => {
    let disk: string;
    beforeEach(() => {
      disk = join(scratch, 'disk');
      mkdirSync(disk);
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status).toBe(0);
    });
    afterEach(() => {
      spawnSync('umount', ['-l', disk]);
    });

    it('answers StorageFull when it is full, keeps every acknowledged write, and goes on when there is room', async () => {
      const store = new LmdbStore({ directory: join(disk, 'registry'), logCommitsMax: 10 });
      const value = bytes('x'.repeat(4000));
      const acknowledged: number[] = [];
      const codes = new Set<string>();
      for (let n = 0; n < 400 && codes.size === 0; n += 8) {
        const attempts = Array.from({ length: 8 }, (_, m) => store.commit([{ type: 'put', key: `a/${n + m}`, value }]));
        for (const [m, result] of (await Promise.allSettled(attempts)).entries()) {
          if (result.status === 'fulfilled') acknowledged.push(n + m);
          else codes.add((result.reason as ApiError).code);
        }
      }
      expect([...codes]).toEqual(['StorageFull']);
      const names = async () =>
        (await store.versions('a/')).keys.map((key) => Number(key.slice(2))).sort((a, b) => a - b);
      expect(await names()).toEqual(acknowledged);
      const revision = await store.revision();

      expect(spawnSync('mount', ['-o', 'remount,size=4m', disk]).status).toBe(0);
      const outcome = await store.commit([{ type: 'put', key: 'a/1000', value }]);
      expect(outcome).toEqual({ committed: true, revision: revision + 1 });
      await store.close();
      const again = new LmdbStore({ directory: join(disk, 'registry') });
      expect((await again.versions('a/')).keys).toHaveLength(acknowledged.length + 1);
      await again.close();
    });

    it('answers ReadOnly when the disk is read-only, with nothing changed', async () => {
      await filled(join(scratch, 'small'));
      mkdirSync(join(disk, 'registry'));
      const store = new LmdbStore({ directory: join(disk, 'registry') });
      await store.commit([{ type: 'put', key: 'a', value: bytes(1) }]);
      await store.close();
      copyFileSync(join(disk, 'registry', 'data.mdb'), join(scratch, 'before.mdb'));
      expect(spawnSync('mount', ['-o', 'remount,ro', disk]).status).toBe(0);
      const error = failure(() => new LmdbStore({ directory: join(disk, 'registry') }));
      expect(error.code).toBe('ReadOnly');
      expect(readFileSync(join(disk, 'registry', 'data.mdb')).equals(readFileSync(join(scratch, 'before.mdb')))).toBe(
        true,
      );
    });
  });
});
