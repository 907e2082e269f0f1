/** A list that is read repeatedly: what is transferred, what is parsed, and what a hostile platform can cause. */
import { isApiError } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { RestClient } from '../rest/client.ts';
import type { Transport, WireRequest } from '../rest/transport.ts';
import { Ecsm } from './ecsm.ts';
import { ListMemory } from './list-memory.ts';
import { collect } from './pages.ts';
import { rejection, service } from './scripted.kit.ts';

interface Platform {
  rows: object[];
  /** The ETag of a page; undefined: none. */
  tag: (text: string) => string | undefined;
  /** Whether the tag of a request is compared. */
  isConditional: boolean;
  pageSize: number;
  /** Replaces every response. */
  response: { status: number; headers?: Record<string, string>; text: string } | undefined;
}

function bench(change: Partial<Platform> = {}) {
  const platform: Platform = {
    rows: ['a', 'b', 'c'].map((id) => service(id)),
    tag: (text) =>
      `W/"${text.length.toString(16)}-${[...text].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) >>> 0, 7)}"`,
    isConditional: true,
    pageSize: 100,
    response: undefined,
    ...change,
  };
  const requests: WireRequest[] = [];
  const clock = new VirtualClock();
  const transport: Transport = {
    async send(request) {
      requests.push(request);
      if (platform.response) {
        const { status, headers = {}, text } = platform.response;
        return { status, headers, body: Buffer.from(text) };
      }
      const { searchParams } = new URL(request.target, 'http://platform');
      const [pageNum, size] = [
        Number(searchParams.get('pageNum')),
        Math.min(Number(searchParams.get('pageSize')), platform.pageSize),
      ];
      const list = platform.rows.slice((pageNum - 1) * size, pageNum * size);
      const data = { list, total: platform.rows.length, pageNum, pageSize: size };
      const text = JSON.stringify({ status: 200, message: 'success', data, fieldErrors: null });
      const tag = platform.tag(text);
      const headers = tag === undefined ? {} : { etag: tag };
      if (platform.isConditional && tag !== undefined && request.headers['if-none-match'] === tag)
        return { status: 304, headers, body: new Uint8Array() };
      return { status: 200, headers, body: Buffer.from(text) };
    },
    close() {},
  };
  const ecsm = new Ecsm(new RestClient({ transport, clock, attemptsMax: 1 }));
  const memory = new ListMemory(clock);
  /** The keys of the list, those with a row in upper case. */
  const list = async (isNeeded: (id: string) => boolean = () => false) => {
    const rows = await collect(ecsm.services().changes(memory, isNeeded));
    return rows.map(({ key, row }) => (row === undefined ? key : key.toUpperCase())).join('');
  };
  const sent = () => requests.splice(0).map(({ headers }) => headers['if-none-match']);
  return { platform, clock, list, sent };
}

describe('a list that is read again', () => {
  it.each([
    ['with tags', {}],
    ['without tags', { tag: () => undefined }],
  ])('returns the rows that changed, %s', async (_, change) => {
    const { platform, list } = bench(change);
    expect(await list()).toBe('ABC');
    expect(await list()).toBe('abc');
    platform.rows[1] = service('b', { instanceOnline: 3 });
    expect(await list()).toBe('aBc');
    platform.rows.shift();
    platform.rows.push(service('d'));
    expect(await list()).toBe('bcD');
    expect(await list()).toBe('bcd');
  });

  it('returns a row that the caller needs, although it has not changed', async () => {
    const { list, sent } = bench();
    await list();
    sent();
    expect(await list((id) => id === 'b')).toBe('aBc');
    expect(sent()).toEqual([undefined]);
    expect(await list()).toBe('abc');
    expect(sent()).toEqual([expect.any(String)]);
  });

  it('sends the tag of each page with that page only', async () => {
    const { platform, list, sent } = bench({ pageSize: 2 });
    await list();
    sent();
    await list();
    const tags = sent();
    // The first page is requested with our size, the next ones with that of the platform.
    expect(tags).toHaveLength(2);
    expect(new Set(tags).size).toBe(2);
    platform.rows.unshift(service('z'));
    expect(await list()).toBe('Zabc');
    expect(await list()).toBe('zabc');
  });

  it('is read completely after a page that failed', async () => {
    const { platform, list } = bench();
    await list();
    platform.response = { status: 200, text: '<html>' };
    await rejection(list());
    platform.response = undefined;
    expect(await list()).toBe('ABC');
  });

  it('is transferred once an hour, in case that a tag does not change with the content', async () => {
    const { platform, list, clock } = bench({ tag: () => '"same"' });
    await list();
    platform.rows[0] = service('a', { instanceOnline: 9 });
    expect(await list()).toBe('abc');
    await clock.advance(3_600_000);
    expect(await list()).toBe('Abc');
  });

  it('sends no tag for an hour after the platform ignored one', async () => {
    const { list, sent, clock } = bench({ isConditional: false });
    for (let time = 0; time < 3; time++) await list();
    expect(sent().map((tag) => tag !== undefined)).toEqual([false, true, false]);
    await clock.advance(3_600_000);
    await list();
    await list();
    expect(sent().map((tag) => tag !== undefined)).toEqual([false, true]);
  });

  it.each([['"a\r\nx: y"'], ['"\u0000"'], ['no quotes'], [`"${'a'.repeat(200)}"`], ['""'], ['W/"a" , "b"']])(
    'never sends the tag %j',
    async (tag) => {
      const { list, sent } = bench({ tag: () => tag });
      await list();
      await list();
      expect(sent()).toEqual([undefined, undefined]);
    },
  );
});

describe('a hostile response', () => {
  it('of 304 to a request without a tag is a bad answer', async () => {
    const { platform, list } = bench();
    platform.response = { status: 304, text: '' };
    const error = await rejection(list());
    expect(isApiError(error, 'BadAnswer') && error.message).toContain('304');
  });

  it.each([
    ['a row of a wrong shape', '{"list":[{"id":"a"}],"total":1}'],
    ['a row that is not JSON', '{"list":[{"id":a}],"total":1}'],
    ['a list that is cut', '{"list":[{"id":"a"},'],
    ['rows that are not objects', '{"list":[1],"total":1}'],
    ['no total', '{"list":[]}'],
  ])('with %s is a bad answer', async (_, data) => {
    const { platform, list } = bench();
    platform.response = { status: 200, text: `{"status":200,"message":"success","data":${data}}` };
    expect(isApiError(await rejection(list()), 'BadAnswer')).toBe(true);
  });

  it('with two lists has the rows of the second, as for a parser', async () => {
    const { platform, list } = bench();
    const rows = (id: string) => JSON.stringify([service(id)]);
    platform.response = {
      status: 200,
      text: `{"status":200,"data":{"list":${rows('x')},"total":1,"list":${rows('y')}}}`,
    };
    expect(await list()).toBe('Y');
    expect(await list()).toBe('Y');
  });
});
