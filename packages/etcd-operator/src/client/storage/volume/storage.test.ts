/** A directory with the suite, and what only a file system has: leftovers, permissions, full disks, unmounted volumes. */
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@ecsm/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeStorage } from '../storage.suite.ts';
import { chunked, collect, failing, keysOf, messageOf, outcome, pattern } from '../suite.kit.ts';
import { fileFailure } from './failure.ts';
import { VolumeStorage } from './storage.ts';
import { leftoverAgeMsMin } from './upload.ts';

const mebibyte = 1024 * 1024;
const open = (directory: string, path?: string) =>
  new VolumeStorage({ type: 'Volume', directory, ...(path === undefined ? {} : { path }) }, systemClock, systemRandom);

describe('a volume', () => {
  describeStorage({
    isExclusive: true,
    largeBytes: 3 * mebibyte,
    async create() {
      const directory = mkdtempSync(join(tmpdir(), 'ecsm-volume-'));
      return {
        open: (path) => open(directory, path),
        close: async () => rmSync(directory, { recursive: true, force: true }),
      };
    },
  });
});

describe('files of a volume', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ecsm-volume-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const leftover = (ageMs: number) => {
    const path = join(directory, `.etcd-operator-upload-${ageMs}`);
    writeFileSync(path, 'half of a backup');
    const seconds = (Date.now() - ageMs) / 1000;
    utimesSync(path, seconds, seconds);
    return path;
  };

  it('of a put that failed are removed', async () => {
    const client = open(directory);
    await expect(client.put('one.db', failing(pattern(3 * mebibyte), new Error('gone')))).rejects.toThrow('gone');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('can be reviewed before they have their name, and are removed with the error of the review', async () => {
    const client = open(directory);
    const bytes = pattern(3 * mebibyte);
    const reviewed: unknown[] = [];
    const review = async (file: string) => {
      reviewed.push(readFileSync(file).equals(bytes), await keysOf(client));
    };
    await client.put('one.db', chunked(bytes), { review });
    expect(reviewed).toEqual([true, []]);
    const error = new Error('not a snapshot');
    const refuse = () => Promise.reject(error);
    await expect(client.put('two.db', chunked(bytes), { review: refuse })).rejects.toBe(error);
    expect(readdirSync(directory)).toEqual(['one.db']);
  });

  it('are readable by their owner only, and have one name', async () => {
    await open(directory).put('one.db', chunked('content'));
    const { mode, nlink } = statSync(join(directory, 'one.db'));
    expect([mode & 0o777, nlink]).toEqual([0o600, 1]);
  });

  it('of a put that was killed are not listed, and removed by a later put after a day', async () => {
    const client = open(directory);
    const [young, old] = [leftover(leftoverAgeMsMin - 600_000), leftover(leftoverAgeMsMin + 1_000)];
    expect(await keysOf(client)).toEqual([]);
    await client.put('one.db', chunked('content'));
    expect(readdirSync(directory).map((name) => join(directory, name))).toEqual([young, join(directory, 'one.db')]);
    expect(readdirSync(directory)).not.toContain(old);
  });

  it('of a put that was killed cannot be read or replaced by a key', async () => {
    leftover(0);
    expect(await messageOf(open(directory).get('.etcd-operator-upload-0'))).toContain('reserved');
  });

  it('that are symbolic links are neither listed nor followed', async () => {
    writeFileSync(join(directory, 'secret'), 'secret');
    mkdirSync(join(directory, 'backups'));
    symlinkSync(join(directory, 'secret'), join(directory, 'backups', 'one.db'));
    const client = open(join(directory, 'backups'));
    expect(await keysOf(client)).toEqual([]);
    expect(await client.head('one.db')).toBeUndefined();
    expect(await messageOf(client.get('one.db'))).toContain('symbolic link');
    expect(await outcome(client.put('one.db', chunked('content')))).toBe('AlreadyExists');
  });

  it('that are cut while they are read fail the stream', async () => {
    const client = open(directory);
    await client.put('one.db', chunked(pattern(mebibyte)));
    const { body } = await client.get('one.db');
    writeFileSync(join(directory, 'one.db'), 'short');
    expect(await messageOf(collect(body))).toContain('ended after 5 of 1048576 bytes');
  });

  it('are not looked for in lost+found', async () => {
    mkdirSync(join(directory, 'lost+found'));
    writeFileSync(join(directory, 'lost+found', '#1'), 'repaired');
    expect(await keysOf(open(directory))).toEqual([]);
  });

  it('are not deleted by the key of their directory', async () => {
    const client = open(directory);
    await client.put('a/one.db', chunked('content'));
    await client.delete('a');
    expect(await keysOf(client)).toEqual(['a/one.db']);
  });

  it('cannot be below another file, and the message says so', async () => {
    const client = open(directory);
    await client.put('one', chunked('content'));
    expect(await messageOf(client.put('one/two.db', chunked('content')))).toContain('is a file, not a directory');
    expect(await client.head('one/two.db')).toBeUndefined();
  });
});

describe('a volume that is not there', () => {
  it('is an error for every call, and is not created', async () => {
    const client = open(join(tmpdir(), 'ecsm-volume-missing'));
    const calls = [
      client.put('one.db', chunked('content')),
      client.head('one.db'),
      client.get('one.db'),
      client.delete('one.db'),
      keysOf(client),
    ];
    expect(await Promise.all(calls.map(outcome))).toEqual(calls.map(() => 'NoBucket'));
    expect(await messageOf(client.head('one.db'))).toContain('mount the volume there');
  });

  it('has to be an absolute directory', () => {
    expect(() => open('backups')).toThrow('is not an absolute directory');
    expect(() => open('/backups', '../other')).toThrow('is not a valid path');
  });
});

describe('an error of the file system', () => {
  const failure = (code: string) =>
    fileFailure(Object.assign(new Error(code), { code, syscall: 'write' }), '/backups/a');

  it.each([
    ['ENOSPC', 'Full', 'no space left'],
    ['EDQUOT', 'Full', 'quota'],
    ['EACCES', 'Denied', 'fsGroup'],
    ['EPERM', 'Denied', 'fsGroup'],
    ['EROFS', 'Denied', 'read-only'],
    ['ENAMETOOLONG', 'Other', 'too long'],
    ['ESTALE', 'Unavailable', 'mount the volume again'],
    ['EIO', 'Unavailable', 'EIO'],
  ])('%s is %s', (code, expected, message) => {
    expect(failure(code)).toMatchObject({ code: expected, message: expect.stringContaining(message) });
  });

  it('is not any error', () => {
    const error = new Error('a defect');
    expect(fileFailure(error, '/backups/a')).toBe(error);
  });
});

const canMount =
  spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d; s=$?; rmdir $d; exit $s'])
    .status === 0;
if (!canMount) console.warn('skipped: a full volume and a read-only one need the right to mount a tmpfs');

describe.skipIf(!canMount)('a small volume', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ecsm-volume-'));
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=700', 'tmpfs', directory]).status).toBe(0);
  });
  afterEach(() => {
    spawnSync('umount', ['-l', directory]);
    rmSync(directory, { recursive: true, force: true });
  });

  it('that is full fails a put with Full, keeps what it has, and has its space back', async () => {
    const client = open(directory);
    await client.put('one.db', chunked(pattern(mebibyte)));
    expect(await messageOf(client.put('two.db', chunked(pattern(3 * mebibyte))))).toContain('enlarge the volume');
    expect(await outcome(client.put('two.db', chunked(pattern(3 * mebibyte))))).toBe('Full');
    expect(readdirSync(directory)).toEqual(['one.db']);
    await client.put('two.db', chunked(pattern(mebibyte / 2)));
  });

  it('that is read-only can be read, and denies changes', async () => {
    const client = open(directory);
    await client.put('one.db', chunked('content'));
    expect(spawnSync('mount', ['-o', 'remount,ro', directory]).status).toBe(0);
    expect((await collect((await client.get('one.db')).body)).toString()).toBe('content');
    expect(await outcome(client.put('two.db', chunked('content')))).toBe('Denied');
    expect(await messageOf(client.put('new/folder/two.db', chunked('content')))).toContain('is read-only');
    expect(await messageOf(client.delete('one.db'))).toContain('is read-only');
  });
});
