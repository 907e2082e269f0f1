/**
 * One suite that every store passes. It tests only the contract; what is special to a store (a full disk, a lost server,
 * a corrupt file, a second process) is tested beside that store.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { isApiError } from '../api/errors.ts';
import {
  type Commit,
  type CommitOutcome,
  limits,
  type Revision,
  type Store,
  type WatchOptions,
  type Write,
} from './contract.ts';

export interface StoreHarness {
  /** A new, empty store. */
  create(): Promise<Store>;
  /** A second client of the same data. */
  connect(store: Store): Promise<Store>;
  /** Closes and removes everything. */
  cleanup(): Promise<void>;
}

const base = 'example.io/v1/things/default';
const key = (name: string | number) => `${base}/${name}`;
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const text = (value: Uint8Array | undefined) =>
  value === undefined ? undefined : JSON.parse(new TextDecoder().decode(value));
const put = (name: string | number, value: unknown, expected?: Revision): Write =>
  expected === undefined
    ? { type: 'put', key: key(name), value: bytes(value) }
    : { type: 'put', key: key(name), value: bytes(value), expected };
const remove = (name: string | number, expected?: Revision): Write =>
  expected === undefined ? { type: 'delete', key: key(name) } : { type: 'delete', key: key(name), expected };

async function commit(store: Store, ...writes: Write[]): Promise<Revision> {
  const outcome = await store.commit(writes);
  if (!outcome.committed) throw new Error(`unexpected conflict ${JSON.stringify(outcome)}`);
  return outcome.revision;
}

/** What a watch delivered, in a shape that is easy to compare. */
const shown = ({ revision, changes }: Commit) => ({
  revision,
  changes: changes.map((change) => [
    change.type,
    change.key.slice(base.length + 1),
    change.type === 'put' ? text(change.value) : null,
  ]),
});

async function take(store: Store, count: number, options: WatchOptions, prefix = `${base}/`): Promise<Commit[]> {
  const commits: Commit[] = [];
  for await (const next of store.watch(prefix, options)) {
    commits.push(next);
    if (commits.length >= count) break;
  }
  return commits;
}

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return isApiError(error) ? error.code : `not from the catalogue: ${error}`;
  }
  return 'no error';
}

export function storeConformance(name: string, harness: StoreHarness): void {
  describe(`${name} store`, () => {
    afterEach(() => harness.cleanup());

    describe('reads and writes', () => {
      it('returns undefined for a missing key and an empty list for an empty prefix', async () => {
        const store = await harness.create();
        expect(await store.get(key('a'))).toBeUndefined();
        const page = await store.list(base);
        expect(page.entries).toEqual([]);
        expect(page.next).toBeUndefined();
        expect((await store.versions(base)).keys).toEqual([]);
      });

      it('returns exactly the bytes that were put, with the revision of the commit that put them', async () => {
        const store = await harness.create();
        const value = new TextEncoder().encode('{ "text" : "火星 \\u0000 \\n" }');
        const outcome = await store.commit([{ type: 'put', key: key('a'), value }]);
        expect(outcome.committed).toBe(true);
        const entry = await store.get(key('a'));
        expect(Buffer.from(entry?.value ?? []).toString()).toBe(Buffer.from(value).toString());
        expect(entry).toMatchObject({ key: key('a'), revision: (outcome as { revision: number }).revision });
        expect(entry?.created).toBe(entry?.revision);
      });

      it.each([
        ['an array of bytes', (value: Uint8Array) => value],
        ['a Buffer', (value: Uint8Array) => Buffer.from(value)],
      ])('keeps its own copy of a value: %s changed afterwards changes nothing', async (_, of) => {
        const store = await harness.create();
        const value = of(bytes({ n: 1 }));
        await commit(store, { type: 'put', key: key('a'), value });
        value.fill(0);
        const first = await store.get(key('a'));
        expect(text(first?.value)).toEqual({ n: 1 });
        await commit(store, put('b', 1));
        expect(text(first?.value)).toEqual({ n: 1 });
        const [watched] = await take(store, 1, { after: (first?.revision ?? 0) - 1 });
        expect(shown(watched as Commit).changes).toEqual([['put', 'a', { n: 1 }]]);
      });

      it('gives every commit a revision of its own, each higher than the last', async () => {
        const store = await harness.create();
        const revisions: Revision[] = [];
        for (let n = 0; n < 10; n++) revisions.push(await commit(store, put(n % 3, n)));
        for (let n = 1; n < revisions.length; n++) expect(revisions[n]).toBeGreaterThan(revisions[n - 1] as number);
        expect(await store.revision()).toBe(revisions.at(-1));
      });

      it('keeps the creation revision through updates, and sets a new one after a delete', async () => {
        const store = await harness.create();
        const first = await commit(store, put('a', 1));
        await commit(store, put('a', 2));
        expect((await store.get(key('a')))?.created).toBe(first);
        await commit(store, remove('a'));
        const again = await commit(store, put('a', 3));
        expect((await store.get(key('a')))?.created).toBe(again);
      });

      it('lists keys in byte order, under the prefix only', async () => {
        const store = await harness.create();
        await commit(store, put('b', 1), put('a', 1), put('a-b', 1), put('B', 1), put('a.b', 1));
        await commit(store, { type: 'put', key: 'example.io/v1/things/default2/x', value: bytes(1) });
        await commit(store, { type: 'put', key: 'example.io/v1/other/default/x', value: bytes(1) });
        const page = await store.list(`${base}/`);
        expect(page.entries.map((entry) => entry.key)).toEqual(['B', 'a', 'a-b', 'a.b', 'b'].map(key));
        expect((await store.versions(`${base}/`)).keys).toEqual(['B', 'a', 'a-b', 'a.b', 'b'].map(key));
        expect((await store.list('')).entries).toHaveLength(7);
        const after = { after: key('a') };
        expect((await store.list(key('a'), after)).entries.map((entry) => entry.key)).toEqual([key('a-b'), key('a.b')]);
        expect((await store.versions(key('a'), after)).keys).toEqual([key('a-b'), key('a.b')]);
        // A position before the prefix is before all of it.
        expect((await store.versions(key('a'), { after: key('B') })).keys).toEqual(['a', 'a-b', 'a.b'].map(key));
      });
    });

    describe('compare and set', () => {
      it('creates only what is absent', async () => {
        const store = await harness.create();
        const revision = await commit(store, put('a', 1, 0));
        const second = await store.commit([put('a', 2, 0)]);
        expect(second).toEqual({ committed: false, key: key('a'), expected: 0, actual: revision });
        expect(text((await store.get(key('a')))?.value)).toBe(1);
      });

      it('updates and deletes only what is at the expected revision', async () => {
        const store = await harness.create();
        const one = await commit(store, put('a', 1));
        const two = await commit(store, put('a', 2, one));
        expect(await store.commit([put('a', 3, one)])).toEqual({
          committed: false,
          key: key('a'),
          expected: one,
          actual: two,
        });
        expect(await store.commit([remove('a', one)])).toMatchObject({ committed: false, actual: two });
        expect(text((await store.get(key('a')))?.value)).toBe(2);
        await commit(store, remove('a', two));
        expect(await store.get(key('a'))).toBeUndefined();
        expect(await store.commit([put('a', 3, two)])).toMatchObject({ committed: false, actual: 0 });
      });

      it('lets exactly one of many concurrent writers win each round', async () => {
        const store = await harness.create();
        const other = await harness.connect(store);
        let revision = await commit(store, put('counter', 0));
        for (let round = 1; round <= 5; round++) {
          const attempts = Array.from({ length: 16 }, (_, n) =>
            (n % 2 ? store : other).commit([put('counter', `${round}-${n}`, revision)]),
          );
          const outcomes = await Promise.all(attempts);
          const winners = outcomes.filter((outcome) => outcome.committed);
          expect(winners).toHaveLength(1);
          revision = (winners[0] as { revision: number }).revision;
          const winner = outcomes.findIndex((outcome) => outcome.committed);
          expect(text((await store.get(key('counter')))?.value)).toBe(`${round}-${winner}`);
        }
      });

      it('commits several keys at one revision, or none of them', async () => {
        const store = await harness.create();
        const revision = await commit(store, put('a', 1), put('b', 1), put('c', 1));
        const outcome = await store.commit([put('a', 2), remove('b'), put('c', 2, revision + 1000)]);
        expect(outcome).toMatchObject({ committed: false, key: key('c'), actual: revision });
        const page = await store.list(`${base}/`);
        expect(page.entries.map((entry) => [entry.revision, text(entry.value)])).toEqual([
          [revision, 1],
          [revision, 1],
          [revision, 1],
        ]);
        expect(await store.revision()).toBe(revision);
      });

      it('checks a key without writing it', async () => {
        const store = await harness.create();
        const fence = await commit(store, put('fence', 1));
        await commit(store, { type: 'check', key: key('fence'), expected: fence }, put('a', 1));
        const raised = await commit(store, put('fence', 2));
        const late = await store.commit([{ type: 'check', key: key('fence'), expected: fence }, put('a', 2)]);
        expect(late).toEqual({ committed: false, key: key('fence'), expected: fence, actual: raised });
        expect(text((await store.get(key('a')))?.value)).toBe(1);
        expect((await store.get(key('fence')))?.revision).toBe(raised);
      });

      it('creates no revision when nothing changes', async () => {
        const store = await harness.create();
        const revision = await commit(store, put('a', 1));
        expect(await commit(store, remove('absent'))).toBe(revision);
        expect(await commit(store, { type: 'check', key: key('a'), expected: revision })).toBe(revision);
        expect(await commit(store)).toBe(revision);
        expect(await store.revision()).toBe(revision);
      });
    });

    describe('limits', () => {
      it('accepts a commit at the limit of writes and refuses one more, with nothing written', async () => {
        const store = await harness.create();
        const writes = Array.from({ length: limits.commitWritesMax + 1 }, (_, n) => put(n, n));
        expect(await failure(store.commit(writes))).toBe('BadRequest');
        expect((await store.list('')).entries).toEqual([]);
        await commit(store, ...writes.slice(1));
        expect((await store.versions('')).keys).toHaveLength(limits.commitWritesMax);
      });

      it('accepts values up to the total limit and refuses more', async () => {
        const store = await harness.create();
        const half = 'x'.repeat(limits.commitBytesMax / 2 - 2);
        await commit(store, put('a', half), put('b', half));
        expect(text((await store.get(key('b')))?.value)).toHaveLength(half.length);
        expect(await failure(store.commit([put('a', half), put('b', `${half}x`)]))).toBe('TooLarge');
      });

      it.each([
        '',
        '/a',
        'a/',
        'a//b',
        '../a',
        'a/..',
        '.hidden',
        'a b',
        'ä',
        'a\0',
        'x'.repeat(201),
        `${'x/'.repeat(250)}x`,
      ])('refuses the key %j', async (bad) => {
        const store = await harness.create();
        expect(await failure(store.commit([{ type: 'put', key: bad, value: bytes(1) }]))).toBe('BadRequest');
      });

      it('accepts the longest key', async () => {
        const store = await harness.create();
        const long = `${'x'.repeat(200)}/${'y'.repeat(200)}/${'z'.repeat(98)}`;
        expect(long).toHaveLength(limits.keyCharactersMax);
        await commit(store, { type: 'put', key: long, value: bytes(1) });
        expect((await store.list('x')).entries[0]?.key).toBe(long);
      });

      it.each([0, -1, 1.5, Number.NaN])('refuses a page of %d entries', async (limit) => {
        const store = await harness.create();
        await commit(store, put('a', 1));
        expect(await failure(store.list('', { limit }))).toBe('BadRequest');
        expect(await failure(store.versions('', { limit }))).toBe('BadRequest');
      });

      it('refuses the same key twice in one commit', async () => {
        const store = await harness.create();
        expect(await failure(store.commit([put('a', 1), remove('a')]))).toBe('BadRequest');
      });
    });

    describe('lists at one revision', () => {
      it('reads as of an older revision: values, created and deleted keys', async () => {
        const store = await harness.create();
        await commit(store, put('a', 1), put('b', 1));
        const then = await commit(store, put('c', 1));
        await commit(store, put('a', 2));
        await commit(store, remove('b'));
        await commit(store, put('d', 1));
        await commit(store, put('b', 3));
        const page = await store.list(`${base}/`, { at: then });
        expect(page.revision).toBe(then);
        expect(page.entries.map((entry) => [entry.key, text(entry.value)])).toEqual([
          [key('a'), 1],
          [key('b'), 1],
          [key('c'), 1],
        ]);
        expect(text((await store.get(key('a'), then))?.value)).toBe(1);
        expect(await store.get(key('d'), then)).toBeUndefined();
        expect((await store.versions(`${base}/`, { at: then })).keys).toEqual(['a', 'b', 'c'].map(key));
      });

      it('pages through one consistent list during writes', async () => {
        const store = await harness.create();
        const count = 50;
        for (let n = 0; n < count; n += 10) {
          await commit(store, ...Array.from({ length: 10 }, (_, m) => put(String(n + m).padStart(3, '0'), 0)));
        }
        const seen: string[] = [];
        let page = await store.list(`${base}/`, { limit: 7 });
        const at = page.revision;
        for (let round = 1; ; round++) {
          seen.push(...page.entries.map((entry) => `${entry.key}=${text(entry.value)}`));
          if (page.next === undefined) break;
          await commit(
            store,
            put(String(round * 5).padStart(3, '0'), round),
            remove(String(round * 5 + 1).padStart(3, '0')),
            put(`x${round}`, 1),
          );
          page = await store.list(`${base}/`, { limit: 7, after: page.next, at });
          expect(page.revision).toBe(at);
          expect(page.entries.length).toBeLessThanOrEqual(7);
        }
        expect(seen).toEqual(Array.from({ length: count }, (_, n) => `${key(String(n).padStart(3, '0'))}=0`));
      });

      it('has no next page when the last one is exactly full', async () => {
        const store = await harness.create();
        await commit(store, put('a', 1), put('b', 1));
        expect((await store.list(`${base}/`, { limit: 2 })).next).toBeUndefined();
        expect((await store.versions(`${base}/`, { limit: 2 })).next).toBeUndefined();
        expect((await store.list(`${base}/`, { limit: 1 })).next).toBe(key('a'));
      });

      it('ends a page early at the limit of bytes', async () => {
        const store = await harness.create();
        const big = 'x'.repeat(limits.commitBytesMax - 10);
        const count = limits.pageBytesMax / limits.commitBytesMax + 3;
        for (let n = 0; n < count; n++) await commit(store, put(n, big));
        const first = await store.list(`${base}/`);
        expect(first.entries.length).toBeLessThan(count);
        expect(first.next).toBeDefined();
        const rest = await store.list(`${base}/`, { at: first.revision, ...(first.next ? { after: first.next } : {}) });
        expect(first.entries.length + rest.entries.length).toBe(count);
      });

      it('lists versions in columns, equal to a full list', async () => {
        const store = await harness.create();
        await commit(store, put('a', 1), put('b', 1));
        await commit(store, put('a', 2));
        await commit(store, put('c', 1), remove('b'));
        const { entries, revision } = await store.list(`${base}/`);
        const versions = await store.versions(`${base}/`);
        expect(versions.revision).toBe(revision);
        expect(versions.keys).toEqual(entries.map((entry) => entry.key));
        expect([...versions.revisions]).toEqual(entries.map((entry) => entry.revision));
        expect([...versions.created]).toEqual(entries.map((entry) => entry.created));
      });

      it('pages through versions at one revision', async () => {
        const store = await harness.create();
        for (let n = 0; n < 9; n++) await commit(store, put(n, n));
        const first = await store.versions(`${base}/`, { limit: 4 });
        await commit(store, remove(5), put(6, 'new'));
        const second = await store.versions(`${base}/`, {
          limit: 10,
          at: first.revision,
          ...(first.next ? { after: first.next } : {}),
        });
        expect([...first.keys, ...second.keys]).toEqual(Array.from({ length: 9 }, (_, n) => key(n)));
        expect(second.next).toBeUndefined();
      });

      it('refuses a revision that is compacted, and one that is not reached yet', async () => {
        const store = await harness.create();
        const one = await commit(store, put('a', 1));
        const two = await commit(store, put('a', 2));
        const three = await commit(store, put('a', 3));
        await store.compact(two);
        expect(await failure(store.get(key('a'), one))).toBe('Expired');
        expect(await failure(store.list('', { at: one }))).toBe('Expired');
        expect(await failure(store.versions('', { at: one }))).toBe('Expired');
        expect(text((await store.get(key('a'), two))?.value)).toBe(2);
        expect(await failure(store.get(key('a'), three + 1000))).toBe('Expired');
      });
    });

    describe('watch', () => {
      it('delivers every change after a revision, in order, once, in complete commits', async () => {
        const store = await harness.create();
        const start = await commit(store, put('before', 1));
        const one = await commit(store, put('a', 1), put('b', 1));
        const two = await commit(store, remove('a'), put('b', 2));
        const commits = await take(store, 2, { after: start });
        expect(commits.map(shown)).toEqual([
          {
            revision: one,
            changes: [
              ['put', 'a', 1],
              ['put', 'b', 1],
            ],
          },
          {
            revision: two,
            changes: expect.arrayContaining([
              ['delete', 'a', null],
              ['put', 'b', 2],
            ]),
          },
        ]);
      });

      it('follows live changes made by another client', async () => {
        const store = await harness.create();
        const other = await harness.connect(store);
        const after = await store.revision();
        const watching = take(store, 3, { after });
        const revisions = [
          await commit(other, put('a', 1)),
          await commit(store, put('a', 2)),
          await commit(other, remove('a')),
        ];
        const commits = await watching;
        expect(commits.map((next) => next.revision)).toEqual(revisions);
        expect(commits.map((next) => next.changes[0]?.type)).toEqual(['put', 'put', 'delete']);
      });

      it('reports which change created a key', async () => {
        const store = await harness.create();
        const after = await store.revision();
        await commit(store, put('a', 1));
        await commit(store, put('a', 2));
        await commit(store, remove('a'));
        await commit(store, put('a', 3));
        const commits = await take(store, 4, { after });
        const created = commits.map(
          ({ revision, changes: [change] }) => change?.type === 'put' && change.created === revision,
        );
        expect(created).toEqual([true, false, false, true]);
      });

      it('omits values with detail keys, and adds the previous value with detail history', async () => {
        const store = await harness.create();
        const after = await store.revision();
        await commit(store, put('a', 1));
        await commit(store, put('a', 2));
        await commit(store, remove('a'));
        const keys = await take(store, 3, { after, detail: 'keys' });
        expect(
          keys.flatMap((next) =>
            next.changes.map((change) => (change.type === 'put' ? change.value.byteLength : 'gone')),
          ),
        ).toEqual([0, 0, 'gone']);
        const history = await take(store, 3, { after, detail: 'history' });
        expect(history.map((next) => text(next.changes[0]?.previous))).toEqual([undefined, 1, 2]);
      });

      it('filters by prefix and still makes progress past what it filters out', async () => {
        const store = await harness.create();
        const after = await store.revision();
        for (let n = 0; n < 600; n += 100) {
          await Promise.all(
            Array.from({ length: 100 }, (_, m) =>
              store.commit([{ type: 'put', key: `example.io/v1/noise/default/n${n + m}`, value: bytes(n) }]),
            ),
          );
        }
        const revision = await commit(store, put('a', 1), {
          type: 'put',
          key: 'example.io/v1/noise/default/last',
          value: bytes(1),
        });
        expect((await take(store, 1, { after })).map(shown)).toEqual([{ revision, changes: [['put', 'a', 1]] }]);
      });

      it('skips nothing at batch boundaries, for any size of the commits', async () => {
        const store = await harness.create();
        const start = await store.revision();
        const written: [Revision, number][] = [];
        // Sizes that make every position in a batch the end of some commit.
        const sizes = [1, 127, 128, 128, 1, 2, 126, 5, 1, 1, 123, 3, 128, 64, 64, 100, 28, 1];
        for (const [index, size] of sizes.entries()) {
          const writes = Array.from({ length: size }, (_, n) => put(`${index}-${n}`, n));
          written.push([await commit(store, ...writes), size]);
        }
        for (const detail of ['keys', 'values'] as const) {
          const commits = await take(store, sizes.length, { after: start, detail });
          expect(commits.map(({ revision, changes }) => [revision, changes.length])).toEqual(written);
        }
        for (const [index, [revision]] of written.slice(0, -1).entries()) {
          const [next] = await take(store, 1, { after: revision, detail: 'keys' });
          expect(next?.revision).toBe(written[index + 1]?.[0]);
        }
      });

      it('resumes after each commit without loss or duplicates', async () => {
        const store = await harness.create();
        let position = await store.revision();
        const written: Revision[] = [];
        for (let n = 0; n < 12; n++)
          written.push(await commit(store, put(n % 4, n), ...(n % 3 ? [] : [put(`extra${n}`, n)])));
        const seen: Revision[] = [];
        for (let n = 0; n < written.length; n++) {
          const [next] = await take(store, 1, { after: position });
          position = next?.revision ?? Number.NaN;
          seen.push(position);
        }
        expect(seen).toEqual(written);
      });

      it('throws Expired when it cannot resume without a gap, and works from the compacted revision on', async () => {
        const store = await harness.create();
        const one = await commit(store, put('a', 1));
        const two = await commit(store, put('a', 2));
        const three = await commit(store, put('a', 3));
        await store.compact(two);
        expect(await failure(take(store, 1, { after: one }))).toBe('Expired');
        expect((await take(store, 1, { after: two })).map((next) => next.revision)).toEqual([three]);
      });

      it('throws Expired for a future revision: the store was replaced', async () => {
        const store = await harness.create();
        const revision = await commit(store, put('a', 1));
        expect(await failure(take(store, 1, { after: revision + 1000 }))).toBe('Expired');
      });

      it('ends a slow watcher that is behind the log with Expired, and buffers nothing for it', async () => {
        const store = await harness.create();
        const after = await store.revision();
        const iterator = store.watch(`${base}/`, { after })[Symbol.asyncIterator]();
        await commit(store, put('a', 'first'));
        expect((await iterator.next()).value?.changes[0]?.key).toBe(key('a'));
        let revision = 0;
        const filler = 'x'.repeat(20_000);
        for (let n = 0; n < 2000; n += 50) {
          const outcomes = await Promise.all(
            Array.from({ length: 50 }, (_, m) => store.commit([put(`k${m}`, filler)])),
          );
          revision = Math.max(...outcomes.map((outcome) => (outcome.committed ? outcome.revision : 0)));
        }
        await store.compact(revision);
        // Commits read before the compaction may still be delivered; then the error, never a silent gap.
        let delivered = 0;
        const drain = async () => {
          while (!(await iterator.next()).done) delivered++;
        };
        expect(await failure(drain())).toBe('Expired');
        expect(delivered).toBeLessThan(2000);
      });

      it('delivers no change without the value that it replaced, whatever is compacted meanwhile', async () => {
        const store = await harness.create();
        const after = await store.revision();
        const iterator = store.watch(`${base}/`, { after, detail: 'history' })[Symbol.asyncIterator]();
        await commit(store, put('a', 1));
        await iterator.next();
        await commit(store, put('a', 2));
        await store.compact(await commit(store, remove('a')));
        const replaced: unknown[] = [];
        try {
          for (let n = 0; n < 2; n++) replaced.push(text((await iterator.next()).value?.changes[0]?.previous));
        } catch (error) {
          expect(error).toMatchObject({ code: 'Expired' });
        }
        expect(replaced).toEqual([1, 2].slice(0, replaced.length));
        await iterator.return?.();
      });

      it('ends without an error on abort, before, during and after waiting', async () => {
        const store = await harness.create();
        const after = await store.revision();
        const aborted = AbortSignal.abort();
        expect(await take(store, 1, { after, signal: aborted })).toEqual([]);
        const controller = new AbortController();
        const waiting = take(store, 1, { after, signal: controller.signal });
        setTimeout(() => controller.abort(), 20);
        expect(await waiting).toEqual([]);
        await commit(store, put('a', 1));
        expect((await take(store, 1, { after })).length).toBe(1);
      });

      it('serves many watchers the same history', async () => {
        const store = await harness.create();
        const after = await store.revision();
        const watchers = Array.from({ length: 10 }, () => take(store, 20, { after }));
        const outcomes: CommitOutcome[] = [];
        for (let n = 0; n < 20; n++) outcomes.push(await store.commit([put(n % 3, n)]));
        const revisions = outcomes.map((outcome) => (outcome.committed ? outcome.revision : -1));
        for (const watcher of watchers) expect((await watcher).map((next) => next.revision)).toEqual(revisions);
      });
    });

    describe('compaction', () => {
      it('changes nothing that is current, and may be repeated', async () => {
        const store = await harness.create();
        for (let n = 0; n < 30; n++) await commit(store, put(n % 5, n), ...(n === 20 ? [put('gone', 1)] : []));
        const revision = await commit(store, remove('gone'));
        const before = (await store.list('')).entries.map((entry) => [
          entry.key,
          entry.revision,
          entry.created,
          text(entry.value),
        ]);
        await store.compact(revision);
        await store.compact(revision);
        expect(
          (await store.list('')).entries.map((entry) => [entry.key, entry.revision, entry.created, text(entry.value)]),
        ).toEqual(before);
        expect(await store.revision()).toBe(revision);
        const next = await commit(store, put('gone', 2, 0));
        expect((await take(store, 1, { after: revision })).map((found) => found.revision)).toEqual([next]);
        expect((await store.get(key('gone')))?.created).toBe(next);
      });

      it('keeps a key that was deleted and created again, whether the deletion is compacted or the new value too', async () => {
        const store = await harness.create();
        await commit(store, put('a', 1), put('b', 1));
        await commit(store, remove('a'));
        const deleted = await commit(store, remove('b'));
        const created = await commit(store, put('a', 2), put('b', 2));
        await store.compact(deleted);
        const current = async () =>
          (await store.list(`${base}/`)).entries.map((entry) => [text(entry.value), entry.revision, entry.created]);
        const expected = [
          [2, created, created],
          [2, created, created],
        ];
        expect(await current()).toEqual(expected);
        await store.compact(created);
        expect(await current()).toEqual(expected);
        expect((await store.versions(`${base}/`)).keys).toEqual([key('a'), key('b')]);
        expect((await store.commit([put('a', 3, created)])).committed).toBe(true);
      });

      it('discards a deleted key: created again it is new', async () => {
        const store = await harness.create();
        await commit(store, put('a', 1));
        const deleted = await commit(store, remove('a'));
        await store.compact(deleted);
        expect(await store.revision()).toBe(deleted);
        const created = await commit(store, put('a', 2, 0));
        expect(created).toBeGreaterThan(deleted);
        expect(await store.get(key('a'))).toMatchObject({ revision: created, created });
        expect((await take(store, 1, { after: deleted })).map(shown)).toEqual([
          { revision: created, changes: [['put', 'a', 2]] },
        ]);
      });

      it('refuses to compact to a future revision', async () => {
        const store = await harness.create();
        const revision = await commit(store, put('a', 1));
        expect(await failure(store.compact(revision + 1000))).toBe('BadRequest');
      });
    });

    describe('close', () => {
      it('refuses later calls, ends watches, and may be called twice', async () => {
        const store = await harness.create();
        const revision = await commit(store, put('a', 1));
        const watching = failure(take(store, 1, { after: revision }));
        await new Promise((resolve) => setTimeout(resolve, 20));
        await store.close();
        await store.close();
        expect(await watching).toBe('Closed');
        expect(await failure(store.get(key('a')))).toBe('Closed');
        expect(await failure(store.list(''))).toBe('Closed');
        expect(await failure(store.versions(''))).toBe('Closed');
        expect(await failure(store.commit([put('a', 1)]))).toBe('Closed');
        expect(await failure(store.revision())).toBe('Closed');
        expect(await failure(store.compact(0))).toBe('Closed');
        expect(await failure(take(store, 1, { after: 0 }))).toBe('Closed');
      });
    });
  });
}
