/** Unit tests of the etcd store, with cases that a real server produces rarely or never. */
import { describe, expect, it } from 'vitest';
import { isApiError } from '../../api/errors.ts';
import type { Commit, Write } from '../contract.ts';
import { type RangeAnswer, readChange, readTransaction, readWatchMessage } from './answers.ts';
import { CommitAssembler, commitBytes } from './assembler.ts';
import { parseEndpoints } from './endpoint.ts';
import { EtcdFailure, reportedFailure, toApiError } from './errors.ts';
import { verdictOf } from './full.ts';
import type { JsonObject } from './json.ts';
import { Keyspace } from './keyspace.ts';
import { Mailbox, mailboxBytesMax, mailboxCommitsMax } from './mailbox.ts';
import { PageReader } from './pages.ts';
import { put, remove } from './testing.kit.ts';
import { outcomeOf } from './transaction.ts';
import { silenceMsMax, Watchdog } from './watchdog.ts';

const keyspace = new Keyspace('/p/');
const base64 = (value: string) => Buffer.from(value).toString('base64');
const keyValue = (key: string, revision: number, value = '', created = revision): JsonObject => ({
  key: base64(`p/${key}`),
  mod_revision: String(revision),
  create_revision: String(created),
  value: base64(value),
});
const event = (key: string, revision: number): JsonObject => ({ kv: keyValue(key, revision) });

describe('errors', () => {
  it.each([
    ['etcdserver: mvcc: required revision has been compacted', 11, 'Expired'],
    ['etcdserver: mvcc: required revision is a future revision', 11, 'Expired'],
    ['etcdserver: mvcc: database space exceeded', 8, 'StorageFull'],
    ['etcdserver: request is too large', 3, 'TooLarge'],
    ['grpc: received message larger than max (3600008 vs. 2097152)', 8, 'TooLarge'],
    ['etcdserver: too many requests', 8, 'Unavailable'],
    ['etcdserver: no leader', 14, 'Unavailable'],
    ['etcdserver: leader changed', 14, 'Unavailable'],
    ['etcdserver: request timed out, possibly due to previous leader failure', 14, 'Timeout'],
    ['context deadline exceeded', 4, 'Timeout'],
    ['etcdserver: permission denied', 7, 'Forbidden'],
    ['etcdserver: user name is empty', 3, 'Forbidden'],
    ['etcdserver: corrupt cluster', 15, 'Corrupt'],
    ['etcdserver: too many operations in txn request', 3, 'BadRequest'],
    ['something new', 99, 'Unavailable'],
  ])('%s (%i) is %s', (message, code, expected) => {
    const error = toApiError(reportedFailure(message, code), { what: 'etcd', timeoutMs: 1 });
    expect(isApiError(error) && error.code).toBe(expected);
  });

  it('passes an error that is not its own through', () => {
    const bug = new TypeError('bug');
    expect(toApiError(bug, { what: 'etcd', timeoutMs: 1 })).toBe(bug);
  });
});

describe('keys', () => {
  it('ranges over a prefix, starting after a key', () => {
    const decode = (text: string) => Buffer.from(text, 'base64').toString();
    const shown = (prefix: string, after?: string) => Object.values(keyspace.range(prefix, after)).map(decode);
    expect(shown('')).toEqual(['p/', 'p0']);
    expect(shown('a/')).toEqual(['p/a/', 'p/a0']);
    expect(shown('a/', 'a/b')).toEqual(['p/a/b\0', 'p/a0']);
    expect(shown('b/', 'a/b')).toEqual(['p/b/', 'p/b0']);
  });

  it('refuses a key that is not its own', () => {
    expect(() => keyspace.decode({ key: base64('q/a') })).toThrow('outside');
  });

  it.each([
    ['localhost:1234', 'http://localhost:1234'],
    ['localhost', 'http://localhost:2379'],
    ['https://[::1]:2379', 'https://[::1]:2379'],
    ['http://host:80', 'http://host'],
  ])('reads the endpoint %s as %s', (text, name) => {
    expect(parseEndpoints([text], undefined)[0].name).toBe(name);
  });

  it('means https where there are TLS options', () => {
    expect(parseEndpoints(['host:1'], { ca: 'x' })[0].name).toBe('https://host:1');
  });
});

describe('watch messages', () => {
  it('holds the last revision of a fragment back until it is complete, and skips known revisions', () => {
    const assembler = new CommitAssembler(keyspace, 'values', 4);
    const shown = (events: JsonObject[], more: boolean) =>
      assembler.add(events, more).map(({ revision, changes }) => [revision, ...changes.map(({ key }) => key)]);
    expect(shown([event('a', 4), event('b', 5), event('c', 6)], true)).toEqual([[5, 'b']]);
    expect(shown([event('d', 6)], true)).toEqual([]);
    expect(shown([event('e', 6), event('f', 7)], false)).toEqual([
      [6, 'c', 'd', 'e'],
      [7, 'f'],
    ]);
    expect(shown([event('f', 7), event('g', 8)], false)).toEqual([[8, 'g']]);
  });

  it('is compacted when the requested previous value is missing', () => {
    const update = { kv: keyValue('a', 7, 'new', 3) };
    expect(() => readChange(update, keyspace, 'history')).toThrow('has been compacted');
    expect(() => readChange({ ...update, type: 'DELETE' }, keyspace, 'history')).toThrow('has been compacted');
    expect(readChange(update, keyspace, 'values')).toMatchObject({ type: 'put', key: 'a', created: 3 });
    expect(readChange({ kv: keyValue('a', 7) }, keyspace, 'history')).not.toHaveProperty('previous');
  });

  it.each([
    ['{"error":{"grpc_code":14,"message":"etcdserver: no leader"}}', 'unavailable'],
    [
      '{"result":{"canceled":true,"created":true,"cancel_reason":"rpc error: etcdserver: permission denied"}}',
      'denied',
    ],
    ['{"result":{"canceled":true,"compact_revision":"7"}}', 'compacted'],
    ['{"result":{"canceled":true}}', 'unavailable'],
  ])('reads %s as a failure', (line, kind) => {
    expect(readWatchMessage(line)).toMatchObject({ type: 'canceled', failure: { kind } });
  });

  it.each([
    '',
    '[]',
    '{}',
    '{"result":7}',
    '{"result":{"events":{}}}',
    '{"result":{"events":[1]}}',
    '{"result":{"created":"yes"}}',
  ])('refuses the line %j', (line) => expect(() => readWatchMessage(line)).toThrow('malformed'));
});

describe('mailbox', () => {
  const commitOf = (valueBytes: number): Commit => ({
    revision: 1,
    changes: [{ type: 'put', key: 'a', value: new Uint8Array(valueBytes), created: 1 }],
  });
  /** Four of them have exactly the limit. */
  const commit = commitOf(mailboxBytesMax / 4 - commitBytes(commitOf(0)));

  it('is full by bytes of new and former values and by number, and has capacity again after each take', async () => {
    const heavy = new Mailbox();
    for (let n = 0; n < 4; n++) heavy.put(commit);
    expect(heavy.full).toBe(true);
    await heavy.take();
    expect(heavy.full).toBe(false);
    heavy.put(commit);
    expect(heavy.full).toBe(true);
    const replacing = new Mailbox();
    replacing.put({ revision: 1, changes: [{ type: 'delete', key: 'a', previous: new Uint8Array(mailboxBytesMax) }] });
    expect(replacing.full).toBe(true);
    const many = new Mailbox();
    for (let n = 0; n < mailboxCommitsMax; n++)
      many.put({ revision: n, changes: [remove('a')].map(({ key }) => ({ type: 'delete', key })) });
    expect(many.full).toBe(true);
  });

  it('delivers its commits, then the error once, then ends', async () => {
    const mailbox = new Mailbox();
    mailbox.put(commit);
    mailbox.end(new Error('gap'));
    expect(await mailbox.take()).toEqual({ done: false, value: commit });
    await expect(mailbox.take()).rejects.toThrow('gap');
    expect(await mailbox.take()).toEqual({ done: true, value: undefined });
  });

  it('has capacity and nothing to deliver after it was cleared', async () => {
    const mailbox = new Mailbox();
    for (let n = 0; n < 4; n++) mailbox.put(commit);
    mailbox.clear();
    expect([mailbox.full, mailbox.empty]).toEqual([false, true]);
    mailbox.end();
    expect(await mailbox.take()).toEqual({ done: true, value: undefined });
  });

  it('rejects the first waiting take with the error, and ends the others', async () => {
    const mailbox = new Mailbox();
    const waiting = [mailbox.take(), mailbox.take()];
    mailbox.end(new Error('gap'));
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

describe('pages', () => {
  it('requests fewer entries when a response is too large, and reaches the end', async () => {
    const stored = Array.from({ length: 100 }, (_, n) => keyValue(`k${String(n).padStart(3, '0')}`, n + 1, 'x'));
    const asked: number[] = [];
    const pages = new PageReader(keyspace, async (body): Promise<RangeAnswer> => {
      const { key, limit } = body as { key: string; limit: string };
      asked.push(Number(limit));
      if (Number(limit) > 10) throw new EtcdFailure('answerTooLarge', 'too large');
      const start = Buffer.from(key, 'base64').toString();
      const rest = stored.filter((found) => `p/${keyspace.decode(found)}` >= start);
      return {
        keyValues: rest.slice(0, Number(limit)),
        count: rest.length,
        more: rest.length > Number(limit),
        newest: 200,
      };
    });
    const keys: string[] = [];
    let after: string | undefined;
    do {
      const page = await pages.entries('', after === undefined ? {} : { after });
      keys.push(...page.entries.map((entry) => entry.key));
      after = page.next;
    } while (after !== undefined);
    expect(keys).toEqual(stored.map((found) => keyspace.decode(found)));
    expect(asked.slice(0, 4)).toEqual([500, 125, 31, 7]);
  });

  it('has at most 5,000 versions in a response', async () => {
    const asked: number[] = [];
    const pages = new PageReader(keyspace, async (body): Promise<RangeAnswer> => {
      asked.push(Number((body as { limit: string }).limit));
      const more = asked.length === 1;
      return { keyValues: [keyValue(`k${asked.length}`, 1)], count: 9_999, more, newest: 1 };
    });
    expect((await pages.versions('', {})).keys).toEqual(['k1', 'k2']);
    expect(asked).toEqual([5_000, 5_000]);
  });
});

describe('a commit refused for lack of space', () => {
  const writes: Write[] = [put('a', '1'), remove('b'), { type: 'check', key: 'c', expected: 3 }];
  const found = (...ranges: (JsonObject | undefined)[]) => ({ succeeded: true, revision: 20, ranges });

  it.each([
    [
      'committed where all of it is there',
      found(keyValue('a', 11, '1'), undefined),
      { type: 'committed', revision: 11 },
    ],
    ['refused where nothing has changed', found(keyValue('a', 9, '0'), keyValue('b', 8)), { type: 'refused' }],
    ['refused where the key is still absent', found(undefined, keyValue('b', 8)), { type: 'refused' }],
    ['unknown where another has written since', found(keyValue('a', 12, '2'), undefined), { type: 'unknown' }],
    ['unknown where only a part is there', found(keyValue('a', 11, '1'), keyValue('b', 8)), { type: 'unknown' }],
  ] as const)('was %s', (_, answer, verdict) => {
    expect(verdictOf(writes, 10, answer)).toEqual(verdict);
  });

  it('is unknown if it only deleted and the keys do not exist', () => {
    expect(verdictOf([remove('b')], 10, found(undefined))).toEqual({ type: 'unknown' });
  });

  it('is malformed if a failed transaction has no reason', () => {
    const answer = readTransaction({ header: { revision: '5' } });
    expect(() => outcomeOf([{ type: 'check', key: 'c', expected: 3 }], answer)).toThrow('malformed');
  });
});

describe('watchdog', () => {
  function start(probe: () => Promise<number>) {
    let tick = () => {};
    let waiting = 0;
    const clock = {
      now: () => 0,
      monotonicMs: () => 0,
      after: (_delayMs: number, callback: () => void) => {
        waiting++;
        tick = callback;
        return () => {
          waiting--;
        };
      },
    };
    const deaths: boolean[] = [];
    const onDead = (_failure: EtcdFailure, isDropped: boolean) => void deaths.push(isDropped);
    const watchdog = new Watchdog({ clock, lagMsMax: 3 * silenceMsMax, probe, shown: () => 5, onDead });
    const silence = async () => {
      tick();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { watchdog, silence, deaths, waiting: () => waiting };
  }

  it('accepts a silent stream while the store does not change', async () => {
    const { silence, deaths } = start(async () => 5);
    for (let n = 0; n < 10; n++) await silence();
    expect(deaths).toEqual([]);
  });

  it('ends a silent stream of a server that does not respond', async () => {
    const { silence, deaths } = start(() => Promise.reject(new EtcdFailure('timeout', 'no answer')));
    await silence();
    expect(deaths).toEqual([false]);
  });

  it('ends a stream that stays silent for its limit while the store changes', async () => {
    const { watchdog, silence, deaths } = start(async () => 6);
    await silence();
    await silence();
    watchdog.received();
    await silence();
    for (let n = 0; n < 2; n++) await silence();
    expect(deaths).toEqual([]);
    await silence();
    expect(deaths).toEqual([true]);
  });

  it('does nothing and holds nothing once it is stopped, also during a probe', async () => {
    const { watchdog, silence, deaths } = start(
      () => new Promise((_, reject) => setImmediate(() => reject(new Error('late')))),
    );
    const looking = silence();
    watchdog.stop();
    await looking;
    await silence();
    expect(deaths).toEqual([]);
  });
});
