/** Goal: damage to the files, the disk or the directory gives a clear error of the catalogue and loses nothing. */
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
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiError, isApiError } from '../../api/errors.ts';
import { systemClock } from '../../ports/clock.ts';
import type { Entry, Store } from '../contract.ts';
import { Connection } from './connection.ts';
import { translate } from './failures.ts';
import { SqliteStore } from './store.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

let scratch: string;
let directory: string;
let file: string;
const opened: Store[] = [];
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'ecsm-damage-'));
  directory = join(scratch, 'registry');
  file = join(directory, 'registry.db');
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(scratch, { recursive: true, force: true });
});

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const objectOf = (n: number) => bytes({ n, filler: 'x'.repeat(2000) });
const text = (value: Uint8Array) => new TextDecoder().decode(value);

async function open(place = directory): Promise<SqliteStore> {
  const store = await SqliteStore.open({ directory: place });
  opened.push(store);
  return store;
}

/** A store of 500 objects of 2 KB, closed again. */
async function fill(): Promise<void> {
  const store = await SqliteStore.open({ directory });
  await Promise.all(
    Array.from({ length: 500 }, (_, n) => store.commit([{ type: 'put', key: `a/${n}`, value: objectOf(n) }])),
  );
  await store.close();
}

/** Opens the store and reads everything in it. */
async function readAll(): Promise<Entry[]> {
  const store = await open();
  const found: Entry[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.list('', { limit: 50, ...(after === undefined ? {} : { after }) });
    found.push(...page.entries);
    after = page.next;
    if (after === undefined) return found;
  }
}

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => new Error('nothing failed'),
    (reason: unknown) => reason,
  );
  if (!isApiError(error)) throw error;
  return error;
}

describe('a database file', () => {
  it('that is empty is Corrupt: it is not treated as a new registry', async () => {
    await fill();
    truncateSync(file, 0);
    const error = await failure(open());
    expect(error.code).toBe('Corrupt');
    expect(error.message).toContain('registry.db is damaged: the file is empty');
    expect(statSync(file).size).toBe(0);
  });

  it.each([100, 4096, 8192, 40_960, 400_000])('truncated to %i bytes is Corrupt, and left unchanged', async (size) => {
    await fill();
    truncateSync(file, size);
    expect((await failure(readAll())).code).toBe('Corrupt');
    expect(statSync(file).size).toBe(size);
  });

  it('of something else is Corrupt', async () => {
    mkdirSync(directory);
    writeFileSync(file, 'this is not a database, it is a letter\n'.repeat(1000));
    const error = await failure(open());
    expect([error.code, error.message]).toEqual([
      'Corrupt',
      `the registry at ${directory} is damaged: it is not an SQLite database`,
    ]);
  });

  it('of another program is refused', async () => {
    mkdirSync(directory);
    const other = new DatabaseSync(file);
    other.exec('CREATE TABLE bookmark (url TEXT)');
    other.close();
    expect((await failure(open())).message).toContain('it is a database of another program');
  });

  it('of a newer format is refused, with both formats in the message', async () => {
    await fill();
    const newer = new DatabaseSync(file);
    newer.exec('PRAGMA user_version = 7');
    newer.close();
    const error = await failure(open());
    expect(error.code).toBe('BadRequest');
    expect(error.message).toContain('has format 7, and this program reads format 1');
  });

  it('with any page overwritten gives what was written, or Corrupt, or reports the record as damaged', async () => {
    await fill();
    const original = readFileSync(file);
    const verdicts = new Map<string, number>();
    for (let page = 0; page < original.length / 4096; page += 23) {
      const copy = Buffer.from(original);
      copy.fill(0x5a, page * 4096, (page + 1) * 4096);
      writeFileSync(file, copy);
      let verdict = 'read';
      try {
        const entries = await readAll();
        for (const { key, value } of entries) expect(text(value)).toBe(text(objectOf(Number(key.slice(2)))));
        if (entries.length < 500) verdict = 'damaged records';
      } catch (error) {
        if (!isApiError(error)) throw error;
        verdict = error.code;
      }
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      for (const store of opened.splice(0)) await store.close();
    }
    expect([...verdicts.keys()].filter((verdict) => !['read', 'damaged records', 'Corrupt'].includes(verdict))).toEqual(
      [],
    );
    expect(verdicts.get('Corrupt')).toBeGreaterThan(0);
  });

  it('with one overwritten value still returns all the others, and names the damaged one', async () => {
    await fill();
    const at = readFileSync(file).indexOf('{"n":250,');
    expect(at).toBeGreaterThan(0);
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, '{"n":999', at);
    closeSync(descriptor);
    const store = await open();
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
  });
});

describe('a write-ahead log that a killed process left behind', () => {
  /** Copies the files of an open store: what a kill leaves behind. Returns the newest revision. */
  async function leaveBehind(): Promise<number> {
    const store = await SqliteStore.open({ directory: join(scratch, 'living') });
    for (let n = 0; n < 40; n++) await store.commit([{ type: 'put', key: `a/${n}`, value: objectOf(n) }]);
    mkdirSync(directory);
    const revision = await store.revision();
    await expect.poll(() => Number(readFileSync(join(scratch, 'living', 'doorbell'), 'latin1'))).toBe(revision);
    for (const name of ['registry.db', 'registry.db-wal', 'doorbell']) {
      copyFileSync(join(scratch, 'living', name), join(directory, name));
    }
    await store.close();
    return revision;
  }

  it('is recovered with every commit', async () => {
    const revision = await leaveBehind();
    const store = await open();
    expect(await store.revision()).toBe(revision);
    expect((await store.versions('a/')).keys).toHaveLength(40);
  });

  it('that is damaged is Corrupt: SQLite would drop the commits after the damage without an error', async () => {
    const revision = await leaveBehind();
    const log = `${file}-wal`;
    const descriptor = openSync(log, 'r+');
    writeSync(descriptor, 'x', Math.floor(statSync(log).size / 2));
    closeSync(descriptor);
    const error = await failure(open());
    expect(error.code).toBe('Corrupt');
    expect(error.message).toContain(`but ${revision} was written before`);
  });

  it('that was removed is Corrupt, and the message says how to continue without it', async () => {
    await leaveBehind();
    rmSync(`${file}-wal`);
    const error = await failure(open());
    expect(error.code).toBe('Corrupt');
    expect(error.message).toContain(`remove ${join(directory, 'doorbell')} to continue without the lost changes`);
    rmSync(join(directory, 'doorbell'));
    expect(await (await open()).revision()).toBe(0);
  });
});

describe('a registry that is deleted while it is open', () => {
  it('acknowledges nothing any more, and says why (it used to write into the deleted file)', async () => {
    const store = await open();
    await store.commit([{ type: 'put', key: 'a', value: bytes(1) }]);
    rmSync(directory, { recursive: true });
    const error = await failure(store.commit([{ type: 'put', key: 'b', value: bytes(2) }]));
    expect(error.code).toBe('Unavailable');
    expect(error.message).toContain('registry.db was deleted while it was open');
  });

  it('acknowledges nothing any more when another one is in its place', async () => {
    const store = await open();
    rmSync(directory, { recursive: true });
    const other = await open();
    expect((await failure(store.commit([{ type: 'put', key: 'b', value: bytes(2) }]))).message).toContain(
      'registry.db was replaced while it was open',
    );
    expect((await other.versions('')).keys).toEqual([]);
  });

  it.each(['registry.db-wal', 'registry.db-shm'])('acknowledges nothing any more without %s', async (name) => {
    const store = await open();
    await store.commit([{ type: 'put', key: 'a', value: bytes(1) }]);
    rmSync(join(directory, name));
    expect((await failure(store.commit([{ type: 'put', key: 'b', value: bytes(2) }]))).message).toContain(
      `${name} was deleted while it was open`,
    );
  });

  it.each(['registry.db', 'registry.db-wal', 'registry.db-shm'])(
    'acknowledges nothing any more without %s, in a directory that had been unchanged for long',
    async (name) => {
      const store = await open();
      const put = () => store.commit([{ type: 'put', key: 'a', value: bytes(1) }]);
      utimesSync(directory, 1, 1);
      for (let commits = 0; commits < 3; commits++) expect((await put()).committed).toBe(true);
      rmSync(join(directory, name));
      expect((await failure(put())).message).toContain(`${name} was deleted while it was open`);
    },
  );

  it('ends its watches with an error', async () => {
    const store = await SqliteStore.open({ directory, pollMs: 20 });
    opened.push(store);
    const watching = failure(store.watch('', { after: 0 })[Symbol.asyncIterator]().next());
    await new Promise((resolve) => setTimeout(resolve, 5));
    rmSync(directory, { recursive: true });
    expect((await watching).code).toBe('Unavailable');
    expect((await failure(store.watch('', { after: 0 })[Symbol.asyncIterator]().next())).code).toBe('Unavailable');
  });
});

describe('a write-ahead log that is changed while it is open', () => {
  const put = (store: Store, key: string) => store.commit([{ type: 'put', key, value: objectOf(1) }]);

  /** A store with 40 commits in its log, and the size of that. */
  async function withLog(clock = systemClock): Promise<{ store: Store; log: string; sizeBytes: number }> {
    const store = await SqliteStore.open({ directory, clock });
    opened.push(store);
    for (let n = 0; n < 40; n++) await put(store, `a/${n}`);
    const log = `${file}-wal`;
    return { store, log, sizeBytes: statSync(log).size };
  }

  it.each([0, 16, 0.3, 0.9])(
    'acknowledges nothing any more when it is truncated to %d (621 commits were acknowledged, and lost)',
    async (kept) => {
      const { store, log, sizeBytes } = await withLog();
      truncateSync(log, kept < 1 ? Math.floor(sizeBytes * kept) : kept);
      const { code, message } = await failure(put(store, 'b'));
      expect([code, message]).toEqual(['Corrupt', expect.stringContaining('the write-ahead log was truncated')]);
      expect((await failure(put(store, 'b'))).code).toBe('Corrupt');
      await store.close();
      expect((await failure(open())).message).toContain('but 40 was written before');
    },
  );

  it('acknowledges nothing any more when its last commit is overwritten', async () => {
    const { store, log, sizeBytes } = await withLog();
    const before = readFileSync(log);
    writeFileSync(log, before.fill(0, sizeBytes >> 1));
    expect((await failure(put(store, 'b'))).code).toBe('Corrupt');
  });

  it.each([0, 0.5])('acknowledges no commit during which it is truncated to %d', async (kept) => {
    let truncate = () => {};
    // The store asks for the time of a commit inside its transaction.
    const now = () => {
      truncate();
      return systemClock.now();
    };
    const { store, log, sizeBytes } = await withLog({ ...systemClock, now });
    truncate = () => truncateSync(log, sizeBytes * kept);
    const { code, message } = await failure(put(store, 'b'));
    expect(['Unavailable', 'Corrupt']).toContain(code);
    expect(message).toMatch(/truncated|disk failed|malformed/);
  });

  it('continues after a checkpoint of another process that empties it', async () => {
    const { store, log } = await withLog();
    const other = new DatabaseSync(file);
    for (let n = 1; n <= 3; n++) {
      other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      expect(statSync(log).size).toBe(0);
      expect(await put(store, 'b')).toEqual({ committed: true, revision: 40 + n });
    }
    other.close();
    await store.close();
    expect(await (await open()).revision()).toBe(43);
  });

  it('counts as complete after such a checkpoint between a commit and its check', async () => {
    const { log } = await withLog();
    let frames = 2;
    const own = new WriteAheadLog(log, 4096, () => ({ frames, copied: 0 }));
    const position = own.position();
    expect(own.has(position)).toBe(true);
    truncateSync(log, 0);
    expect(own.has(position)).toBe(false);
    frames = 0;
    expect(own.has(position)).toBe(true);
    own.close();
  });
});

describe('a read that the disk refuses once', () => {
  /** SQLite reports EIO as a malformed database. */
  const refusedOnce = () => {
    let calls = 0;
    return () => {
      if (calls++ === 0) throw Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
      return 'read';
    };
  };

  it('is repeated, and is not Corrupt', async () => {
    const connection = await Connection.open(directory);
    expect(connection.statement(refusedOnce())).toBe('read');
    expect(connection.snapshot(refusedOnce())).toBe('read');
    expect(connection.tryTransaction(refusedOnce())).toEqual({ value: 'read' });
    connection.close();
  });

  it('in a transaction that has written something leaves nothing of the first attempt', async () => {
    const connection = await Connection.open(directory);
    const read = refusedOnce();
    const insert = "INSERT INTO meta (name, value) VALUES ('test', 1)";
    const work = () => {
      connection.sql(insert).run();
      return read();
    };
    expect(connection.tryTransaction(work)).toEqual({ value: 'read' });
    expect(connection.sql("SELECT value FROM meta WHERE name = 'test'").all()).toHaveLength(1);
    connection.close();
  });
});

describe('modes', () => {
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it.each([0o000, 0o022, 0o027])('are private to the user with the umask %o', async (mask) => {
    const before = process.umask(mask);
    try {
      const store = await open(join(scratch, 'made', 'registry'));
      await store.commit([{ type: 'put', key: 'a', value: bytes(1) }]);
      const place = join(scratch, 'made', 'registry');
      const files = ['registry.db', 'registry.db-wal', 'registry.db-shm', 'doorbell'];
      expect([join(scratch, 'made'), place].map(mode)).toEqual(['700', '700']);
      expect(files.map((name) => mode(join(place, name)))).toEqual(['600', '600', '600', '600']);
    } finally {
      process.umask(before);
    }
  });

  it('that are wider are reported once, with the command that narrows them', async () => {
    const logged: unknown[] = [];
    const log = { write: (...line: unknown[]) => logged.push(line) };
    mkdirSync(directory, { mode: 0o755 });
    opened.push(await SqliteStore.open({ directory, log }));
    const line = ['warn', 'other users of this machine can access the registry'];
    expect(logged).toEqual([[...line, { path: directory, fix: `chmod -R go= "${directory}"` }]]);
    expect(spawnSync('sh', ['-c', `chmod -R go= "${directory}"`]).status).toBe(0);
    opened.push(await SqliteStore.open({ directory, log }));
    expect(logged).toHaveLength(1);
  });
});

describe('a location that cannot be written', () => {
  it.skipIf(!existsSync('/proc'))(
    'is refused as ReadOnly in a file system that takes no directories (it used to hang)',
    async () => {
      expect((await failure(open('/proc/registry'))).code).toBe('ReadOnly');
      expect((await failure(open(join(scratch, 'x'.repeat(300))))).code).toBe('ReadOnly');
    },
  );

  it('is refused as ReadOnly when a file is in the place of the directory', async () => {
    writeFileSync(join(scratch, 'file'), '');
    expect((await failure(open(join(scratch, 'file')))).code).toBe('ReadOnly');
    expect((await failure(open(join(scratch, 'file', 'below')))).code).toBe('ReadOnly');
  });

  it.skipIf(!existsSync('/proc'))(
    'that is full throws Unavailable for a failed flush: the commit may have reached the disk',
    () => {
      const failed = (errcode: number) => Object.assign(new Error('disk I/O error'), { errcode });
      const codeOf = (errcode: number) => translate(failed(errcode), 'the registry', '/proc').code;
      // SQLITE_IOERR_FSYNC, and SQLITE_IOERR_WRITE for comparison: /proc has no free space.
      expect([codeOf(1034), codeOf(778)]).toEqual(['Unavailable', 'StorageFull']);
    },
  );

  const canMount =
    spawnSync('sh', [
      '-c',
      'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d; s=$?; rmdir $d; exit $s',
    ]).status === 0;
  const mounted = canMount ? describe : describe.skip;
  if (!canMount) console.warn('skipped: a full disk and a read-only one need the right to mount a tmpfs');

  mounted('on a small disk', () => {
    let disk: string;
    let place: string;
    beforeEach(() => {
      disk = join(scratch, 'disk');
      place = join(disk, 'registry');
      mkdirSync(disk);
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status).toBe(0);
    });
    afterEach(() => {
      spawnSync('umount', ['-l', disk]);
    });

    it('throws StorageFull when it is full, keeps every acknowledged write, and continues when there is space', async () => {
      const store = await SqliteStore.open({ directory: place, logCommitsMax: 10 });
      const value = bytes('x'.repeat(4000));
      const acknowledged: number[] = [];
      const failures = new Set<string>();
      for (let n = 0; n < 400 && failures.size === 0; n += 8) {
        const attempts = Array.from({ length: 8 }, (_, m) => store.commit([{ type: 'put', key: `a/${n + m}`, value }]));
        for (const [m, result] of (await Promise.allSettled(attempts)).entries()) {
          if (result.status === 'fulfilled') acknowledged.push(n + m);
          else failures.add((result.reason as ApiError).message);
        }
      }
      expect([...failures]).toEqual([`no space left for the registry at ${place}: the disk is full`]);
      const names = async () =>
        (await store.versions('a/')).keys.map((key) => Number(key.slice(2))).sort((a, b) => a - b);
      expect(await names()).toEqual(acknowledged);
      const revision = await store.revision();

      expect(spawnSync('mount', ['-o', 'remount,size=4m', disk]).status).toBe(0);
      const outcome = await store.commit([{ type: 'put', key: 'a/1000', value }]);
      expect(outcome).toEqual({ committed: true, revision: revision + 1 });
      await store.close();
      const again = await SqliteStore.open({ directory: place });
      expect((await again.versions('a/')).keys).toHaveLength(acknowledged.length + 1);
      await again.close();
    });

    it('can be opened when it is full, and throws StorageFull when there is no space to create it', async () => {
      const store = await SqliteStore.open({ directory: place });
      await store.commit([{ type: 'put', key: 'a', value: bytes(1) }]);
      await store.close();
      spawnSync('sh', ['-c', `head -c 2000000 /dev/zero > ${join(disk, 'filler')}`]);
      expect((await failure(open(join(disk, 'other')))).code).toBe('StorageFull');
    });

    it('throws ReadOnly when the disk is read-only, with nothing changed', async () => {
      const store = await SqliteStore.open({ directory: place });
      await store.commit([{ type: 'put', key: 'a', value: bytes(1) }]);
      await store.close();
      const before = readFileSync(join(place, 'registry.db'));
      expect(spawnSync('mount', ['-o', 'remount,ro', disk]).status).toBe(0);
      expect((await failure(open(place))).code).toBe('ReadOnly');
      expect(readFileSync(join(place, 'registry.db')).equals(before)).toBe(true);
    });
  });
});
