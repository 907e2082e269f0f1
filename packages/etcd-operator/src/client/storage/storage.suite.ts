/** What every store of backups has to do. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackupStorageClient } from './contract.ts';
import {
  chunked,
  collect,
  failing,
  keysOf,
  messageOf,
  outcome,
  pattern,
  type StorageHarness,
  type SuiteStorage,
} from './suite.kit.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export function describeStorage({ isExclusive, largeBytes, create }: StorageHarness): void {
  let storage: SuiteStorage;
  let client: BackupStorageClient;
  beforeEach(async () => {
    storage = await create();
    client = storage.open();
  });
  afterEach(async () => {
    client.close();
    await storage.close();
  });

  describe('put and get', () => {
    it.each([0, 1, 100_000])('return %i bytes as they were, with their size and checksum', async (sizeBytes) => {
      const bytes = pattern(sizeBytes);
      const stored = await client.put('prod/main/one.db', chunked(bytes));
      expect(stored).toMatchObject({ key: 'prod/main/one.db', sizeBytes, sha256: sha256(bytes) });
      expect(stored.modifiedAtMs).toBeGreaterThan(0);
      const { object, body } = await client.get('prod/main/one.db');
      expect(object).toMatchObject({ key: 'prod/main/one.db', sizeBytes });
      expect((await collect(body)).equals(bytes)).toBe(true);
    });

    it.each([-1, 0, 1])('return an object of the size of its parts with %i bytes more', async (moreBytes) => {
      const bytes = pattern(largeBytes + moreBytes);
      const progress: number[] = [];
      const stored = await client.put('large.db', chunked(bytes, 300_000), { onProgress: (at) => progress.push(at) });
      expect(stored).toMatchObject({ sizeBytes: bytes.byteLength, sha256: sha256(bytes) });
      expect((await collect((await client.get('large.db')).body)).equals(bytes)).toBe(true);
      expect(progress).toEqual([...progress].sort((one, other) => one - other));
      expect(progress.at(-1)).toBe(bytes.byteLength);
    });

    it.each([1_000, largeBytes + 1])('record the checksum of %i bytes that the caller has computed', async (size) => {
      const bytes = pattern(size);
      const known = sha256(bytes);
      expect(await client.put('one.db', chunked(bytes), { sha256: () => known })).toMatchObject({ sha256: known });
    });

    it.each(['with space +plus', 'ümläut-日本', 'q&a<b>\'c"', '100%41=~!*()', '.hidden'])(
      'accept the key %j',
      async (key) => {
        await client.put(`names/${key}`, chunked('content'));
        expect(await keysOf(client, 'names/')).toEqual([`names/${key}`]);
        expect((await collect((await client.get(`names/${key}`)).body)).toString()).toBe('content');
        await client.delete(`names/${key}`);
        expect(await client.head(`names/${key}`)).toBeUndefined();
      },
    );
  });

  describe('put', () => {
    it('refuses a key that exists, and keeps its object', async () => {
      await client.put('one.db', chunked('first'));
      expect(await outcome(client.put('one.db', chunked('second')))).toBe('AlreadyExists');
      expect(await outcome(client.put('one.db', chunked(pattern(largeBytes + 1))))).toBe('AlreadyExists');
      expect((await collect((await client.get('one.db')).body)).toString()).toBe('first');
    });

    it.skipIf(!isExclusive).each([10, largeBytes + 1])(
      'stores one of several objects of %i bytes that are put at the same time',
      async (sizeBytes) => {
        const bytes = [1, 2, 3].map((first) => Buffer.concat([Buffer.from([first]), pattern(sizeBytes)]));
        const outcomes = await Promise.all(bytes.map((each) => outcome(client.put('one.db', chunked(each)))));
        expect(outcomes.toSorted()).toEqual(['AlreadyExists', 'AlreadyExists', 'ok']);
        const stored = await collect((await client.get('one.db')).body);
        expect(stored.equals(bytes[outcomes.indexOf('ok')] ?? Buffer.of())).toBe(true);
      },
    );

    it.each([1_000, largeBytes + 1])('stores nothing if its stream fails after %i bytes', async (sizeBytes) => {
      const error = Object.assign(new Error('etcd is gone'), { code: 'ECONNRESET', syscall: 'read' });
      await expect(client.put('one.db', failing(pattern(sizeBytes), error))).rejects.toBe(error);
      expect(await client.head('one.db')).toBeUndefined();
      expect(await keysOf(client)).toEqual([]);
      await client.put('one.db', chunked('again'));
    });

    it.each([1_000, largeBytes + 1])('stores nothing if it is aborted after %i bytes', async (sizeBytes) => {
      const abort = new AbortController();
      const body = async function* () {
        yield* chunked(pattern(sizeBytes));
        abort.abort();
        yield Buffer.from('more');
      };
      expect(await outcome(client.put('one.db', body(), { signal: abort.signal }))).toBe('Unavailable');
      expect(await client.head('one.db')).toBeUndefined();
    });

    it('does not show an object before it is whole', async () => {
      const seen: unknown[] = [];
      const body = async function* () {
        yield* chunked(pattern(largeBytes + 1));
        seen.push(await client.head('one.db'), await keysOf(client));
      };
      await client.put('one.db', body());
      expect(seen).toEqual([undefined, []]);
      expect(await keysOf(client)).toEqual(['one.db']);
    });

    it.each(['', '/a', 'a//b', 'a/', '../a', 'a/../b', 'a/./b', 'a\nb', 'a\u0000', 'x'.repeat(256), 'y/'.repeat(600)])(
      'refuses the key %j',
      async (key) => {
        expect(await messageOf(client.put(key, chunked('content')))).toContain('is not a valid key');
        expect(await outcome(client.head(key))).toBe('Other');
      },
    );
  });

  describe('get', () => {
    it('fails with NotFound for a key that does not exist, or is the prefix of one', async () => {
      await client.put('a/one.db', chunked('content'));
      expect(await outcome(client.get('a/two.db'))).toBe('NotFound');
      expect(await outcome(client.get('a'))).toBe('NotFound');
      expect(await outcome(client.get('b/one.db'))).toBe('NotFound');
    });

    it('can be given up before and while it is read, and repeated', async () => {
      const bytes = pattern(largeBytes);
      await client.put('one.db', chunked(bytes));
      await (await client.get('one.db')).body[Symbol.asyncIterator]().return?.();
      for await (const chunk of (await client.get('one.db')).body) {
        expect(chunk.byteLength).toBeGreaterThan(0);
        break;
      }
      expect((await collect((await client.get('one.db')).body)).equals(bytes)).toBe(true);
    });

    it('fails when it is aborted', async () => {
      await client.put('one.db', chunked(pattern(largeBytes)));
      const abort = new AbortController();
      const { body } = await client.get('one.db', { signal: abort.signal });
      abort.abort();
      expect(await outcome(collect(body))).toBe('Unavailable');
      expect(await outcome(client.get('one.db', { signal: abort.signal }))).toBe('Unavailable');
    });
  });

  describe('head', () => {
    it('describes an object, and returns undefined if there is none', async () => {
      await client.put('a/one.db', chunked('content'));
      expect(await client.head('a/one.db')).toMatchObject({ key: 'a/one.db', sizeBytes: 7 });
      expect(await client.head('a/two.db')).toBeUndefined();
      expect(await client.head('a')).toBeUndefined();
    });
  });

  describe('list', () => {
    it('returns all objects with the prefix, also in several pages', async () => {
      const keys = Array.from({ length: 8 }, (_, number) => `prod/main/${number}.db`);
      for (const key of [...keys, 'prod/main-2/0.db', 'other/0.db']) await client.put(key, chunked(key));
      expect(await keysOf(client, 'prod/main/')).toEqual(keys);
      expect(await keysOf(client, 'prod/main')).toEqual(['prod/main-2/0.db', ...keys].sort());
      expect(await keysOf(client, 'prod/main/3')).toEqual(['prod/main/3.db']);
      expect(await keysOf(client)).toHaveLength(10);
      for await (const object of client.list('other/')) {
        expect(object).toMatchObject({ key: 'other/0.db', sizeBytes: 10 });
        expect(object.modifiedAtMs).toBeGreaterThan(0);
      }
    });

    it('is empty if nothing has the prefix', async () => {
      await client.put('a/one.db', chunked('content'));
      expect(await keysOf(client, 'b/')).toEqual([]);
      expect(await keysOf(client, 'a/one.db/')).toEqual([]);
    });

    it('refuses a prefix that leads elsewhere', async () => {
      expect(await messageOf(keysOf(client, '../'))).toContain('is not a valid prefix');
      expect(await messageOf(keysOf(client, '/etc/'))).toContain('is not a valid prefix');
    });
  });

  describe('delete', () => {
    it('removes an object and no other, and accepts that there is none', async () => {
      for (const key of ['a/one.db', 'a/one.db.manifest.json', 'a/two.db']) await client.put(key, chunked(key));
      await client.delete('a/one.db');
      await client.delete('a/one.db');
      await client.delete('b/one.db');
      expect(await keysOf(client)).toEqual(['a/one.db.manifest.json', 'a/two.db']);
      await client.put('a/one.db', chunked('new'));
      expect((await collect((await client.get('a/one.db')).body)).toString()).toBe('new');
    });
  });

  it('keeps the objects of different paths apart', async () => {
    const [one, other] = [storage.open('one'), storage.open('/one/more/')];
    await one.put('a.db', chunked('one'));
    await other.put('a.db', chunked('other'));
    expect(await keysOf(one)).toEqual(['a.db', 'more/a.db']);
    expect(await keysOf(other)).toEqual(['a.db']);
    expect(await keysOf(client, 'one/m')).toEqual(['one/more/a.db']);
    expect((await collect((await other.get('a.db')).body)).toString()).toBe('other');
    await one.delete('a.db');
    expect(await client.head('one/a.db')).toBeUndefined();
    for (const each of [one, other]) each.close();
  });

  it('fails calls after it was closed', async () => {
    await client.put('one.db', chunked('content'));
    client.close();
    expect(await outcome(client.head('one.db'))).toBe('Unavailable');
    expect(await outcome(client.get('one.db'))).toBe('Unavailable');
    expect(await outcome(keysOf(client))).toBe('Unavailable');
    expect(await outcome(client.put('two.db', chunked('content')))).toBe('Unavailable');
  });
}
