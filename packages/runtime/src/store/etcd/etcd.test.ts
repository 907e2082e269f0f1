/**
 * Cases that are special to etcd: servers that die, hang, recover, are full, require a password or share their keys with
 * other users. Each test uses a real etcd; the guarantees of every store are in the conformance suite.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../api/errors.ts';
import { type EtcdServer, skipWithoutEtcd, startEtcd } from './etcd.kit.ts';
import {
  cleanup,
  commit,
  failure,
  freshPrefix,
  openStore,
  proxyTo,
  put,
  serve,
  startOwn,
  take,
  text,
  until,
} from './testing.kit.ts';

/** A call to etcd itself, for what a store does not do. */
async function administer(server: EtcdServer, path: string, body: object): Promise<unknown> {
  const response = await fetch(`http://${server.endpoint}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

const base64 = (value: string) => Buffer.from(value).toString('base64');

describe.skipIf(skipWithoutEtcd())('etcd store', () => {
  let shared: EtcdServer;
  beforeAll(async () => {
    shared = await startEtcd();
  });
  afterAll(() => shared?.stop());
  afterEach(cleanup);

  describe('endpoints', () => {
    it('names the endpoints when none of them responds', async () => {
      const error = await openStore({ endpoints: ['127.0.0.1:1', 'http://127.0.0.1:2'] }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: 'Unavailable' });
      expect(String(error)).toMatch(
        /etcd at http:\/\/127\.0\.0\.1:1, http:\/\/127\.0\.0\.1:2 is unavailable: .*ECONNREFUSED/,
      );
    });

    it('fails when an endpoint accepts connections and never responds', async () => {
      const proxy = await proxyTo(shared);
      proxy.mode = 'swallow';
      const error = await openStore({ endpoints: [proxy.endpoint], timeoutMs: 100 }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'Unavailable' });
      expect(String(error)).toContain(proxy.endpoint);
    });

    it.each([[[]], [['ftp://a:1']], [['http://a:1/path']], [['http://user:secret@a:1']], [['']]])(
      'refuses the endpoints %j',
      async (endpoints) => {
        const error = await openStore({ endpoints }).catch((reason: unknown) => reason);
        expect(error).toMatchObject({ code: 'BadRequest' });
        expect(String(error)).not.toContain('secret');
      },
    );

    it('reads and commits through the running one of two endpoints', async () => {
      const store = await openStore({ endpoints: ['127.0.0.1:1', shared.endpoint] });
      const revision = await commit(store, put('a'));
      expect((await store.get('a'))?.revision).toBe(revision);
    });

    it('reads past an endpoint that hangs, and commits past it after one Timeout', async () => {
      const [first, second] = [await proxyTo(shared), await proxyTo(shared)];
      const store = await openStore({ endpoints: [first.endpoint, second.endpoint], timeoutMs: 2_000 });
      await commit(store, put('a', '1'));
      first.mode = 'swallow';
      expect(text((await store.get('a'))?.value)).toBe('1');
      second.mode = 'swallow';
      first.mode = 'pass';
      expect(await failure(store.commit([put('a', '2')]))).toBe('Timeout');
      await commit(store, put('a', '3'));
      expect(text((await store.get('a'))?.value)).toBe('3');
    });

    it('never sends a commit twice when its response is lost', async () => {
      const proxy = await proxyTo(shared);
      const store = await openStore({ endpoints: [proxy.endpoint, shared.endpoint] });
      const before = await store.revision();
      proxy.mode = 'lose answers';
      expect(await failure(store.commit([put('a')]))).toBe('Unavailable');
      expect((await store.get('a'))?.revision).toBe(before + 1);
      expect(await store.revision()).toBe(before + 1);
    });
  });

  describe('a server that goes away', () => {
    it('is Unavailable while it is down, and works with the same store after a restart', async () => {
      const server = await startOwn();
      const store = await openStore({ endpoints: [server.endpoint] });
      const revision = await commit(store, put('a', '1'));
      await server.kill('SIGKILL');
      expect(await failure(store.get('a'))).toBe('Unavailable');
      expect(await failure(store.commit([put('a', '2')]))).toBe('Unavailable');
      await server.restart();
      expect(await store.get('a')).toMatchObject({ revision });
      expect(await commit(store, put('a', '3'))).toBeGreaterThan(revision);
    });

    it('is a Timeout while it is stopped, and recovers when it continues', async () => {
      const server = await startOwn();
      const store = await openStore({ endpoints: [server.endpoint], timeoutMs: 2_000 });
      await commit(store, put('a', '1'));
      await server.kill('SIGSTOP');
      // A signal arrives when it arrives.
      await until(async () => (await failure(store.get('a'))) === 'Timeout');
      expect(await failure(store.commit([put('b', '1')]))).toBe('Timeout');
      await server.kill('SIGCONT');
      await until(async () => (await failure(store.revision())) === 'no error');
      await commit(store, put('c', '1'));
      expect(text((await store.get('a'))?.value)).toBe('1');
    });
  });

  it('is StorageFull at the quota, still reads, and writes again once there is space', async () => {
    const server = await startOwn({ flags: ['--quota-backend-bytes=2000000'] });
    const store = await openStore({ endpoints: [server.endpoint] });
    const filler = 'x'.repeat(200_000);
    let code = 'no error';
    for (let n = 0; code === 'no error' && n < 100; n++) code = await failure(store.commit([put(`k${n % 3}`, filler)]));
    expect(code).toBe('StorageFull');
    expect(text((await store.get('k0'))?.value)).toBe(filler);
    await store.compact(await store.revision());
    const { header } = (await administer(server, '/v3/maintenance/status', {})) as { header: { member_id: string } };
    // etcd compacts in the background, so the first defragmentation may come too early.
    await until(async () => {
      await administer(server, '/v3/maintenance/defragment', {});
      await administer(server, '/v3/maintenance/alarm', {
        action: 'DEACTIVATE',
        alarm: 'NOSPACE',
        memberID: header.member_id,
      });
      return (await failure(store.commit([put('k0', 'small')]))) === 'no error';
    });
    expect(text((await store.get('k0'))?.value)).toBe('small');
  });

  it('throws StorageFull only for commits that were not applied, also for concurrent ones', async () => {
    const server = await startOwn({ flags: ['--quota-backend-bytes=4000000'] });
    const store = await openStore({ endpoints: [server.endpoint], timeoutMs: 60_000 });
    const codes = new Set<string>();
    for (let round = 0; round < 6; round++) {
      const keys = Array.from({ length: 64 }, (_, n) => `k${round}-${n}`);
      const results = await Promise.all(keys.map((key) => failure(store.commit([put(key, 'x'.repeat(20_000))]))));
      const there = new Set((await store.versions(`k${round}-`)).keys);
      for (const [index, code] of results.entries())
        expect([code, there.has(keys[index] ?? '')]).toEqual([code, code === 'no error']);
      for (const code of results) codes.add(code);
    }
    expect([...codes].sort()).toEqual(['StorageFull', 'no error']);
  });

  it('is TooLarge when the limit of the server is below that of a commit', async () => {
    const server = await startOwn({ flags: ['--max-request-bytes=20000'] });
    const store = await openStore({ endpoints: [server.endpoint] });
    expect(await failure(store.commit([put('a', 'x'.repeat(50_000))]))).toBe('TooLarge');
    await commit(store, put('a', 'x'));
  });

  describe('authentication', () => {
    async function startWithUsers(): Promise<EtcdServer> {
      const server = await startOwn();
      for (const name of ['root', 'pilot']) {
        await administer(server, '/v3/auth/user/add', { name, password: `${name}-password` });
        await administer(server, '/v3/auth/role/add', { name });
        await administer(server, '/v3/auth/user/grant', { user: name, role: name });
      }
      const perm = { permType: 'READWRITE', key: base64('ship/'), range_end: base64('ship0') };
      await administer(server, '/v3/auth/role/grant', { name: 'pilot', perm });
      await administer(server, '/v3/auth/enable', {});
      return server;
    }

    it('is Forbidden without a user, with a wrong password and outside of the granted prefix', async () => {
      const server = await startWithUsers();
      const endpoints = [server.endpoint];
      const error = await openStore({ endpoints, prefix: 'ship', username: 'pilot', password: 'guess' }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'Forbidden' });
      expect(String(error)).not.toContain('guess');
      expect(await failure(openStore({ endpoints, prefix: 'ship' }))).toBe('Forbidden');
      expect(
        await failure(openStore({ endpoints, prefix: 'shop', username: 'pilot', password: 'pilot-password' })),
      ).toBe('Forbidden');
    });

    it('signs in again when its token has expired, for reads, commits and watches', async () => {
      const server = await startWithUsers();
      const store = await openStore({
        endpoints: [server.endpoint],
        prefix: 'ship',
        username: 'pilot',
        password: 'pilot-password',
      });
      const after = await commit(store, put('a', '1'));
      const watching = take(store, 2, { after });
      const one = await commit(store, put('a', '2'));
      // The tokens live in the server's memory.
      await server.restart();
      const two = await commit(store, put('a', '3'));
      expect((await watching).map(({ revision }) => revision)).toEqual([one, two]);
      await server.restart();
      expect(text((await store.get('a'))?.value)).toBe('3');
    });

    it('accepts a user name if authentication is disabled', async () => {
      const store = await openStore({ endpoints: [shared.endpoint], username: 'pilot', password: 'pilot-password' });
      await commit(store, put('a'));
    });
  });

  describe('prefixes', () => {
    it('is separate from other prefixes, also from one that starts the same', async () => {
      const prefix = freshPrefix();
      const [store, other] = [
        await openStore({ endpoints: [shared.endpoint], prefix }),
        await openStore({ endpoints: [shared.endpoint], prefix: `${prefix}b` }),
      ];
      const after = await store.revision();
      await commit(other, put('a', 'other'));
      const revision = await commit(store, put('a', 'own'));
      expect((await store.list('')).entries.map((entry) => text(entry.value))).toEqual(['own']);
      expect((await take(store, 1, { after })).map((next) => next.revision)).toEqual([revision]);
    });

    it('reads /a//b/ as a/b', async () => {
      const store = await openStore({ endpoints: [shared.endpoint], prefix: '/same//place/' });
      await commit(store, put('a', 'x'));
      expect(await (await openStore({ endpoints: [shared.endpoint], prefix: 'same/place' })).get('a')).toBeDefined();
    });
  });

  it('lists the versions of more keys than one request returns, at one revision', async () => {
    const store = await openStore({ endpoints: [shared.endpoint] });
    const count = 5_500;
    const keys = Array.from({ length: count }, (_, n) => `k${String(n).padStart(5, '0')}`);
    for (let n = 0; n < count; n += 128) await commit(store, ...keys.slice(n, n + 128).map((key) => put(key)));
    const page = await store.versions('k');
    expect(page.keys).toEqual(keys);
    expect(page.revisions).toHaveLength(count);
    expect(page.revisions.at(-1)).toBe(page.revision);
    expect(page.next).toBeUndefined();
    const part = await store.versions('k', { limit: 5_200, at: page.revision });
    expect([part.keys.length, part.created.length, part.next]).toEqual([5_200, 5_200, keys[5_199]]);
  });

  it.each([
    ['a web page', 200, '<html>'],
    ['a response without a header', 200, '{"kvs":[]}'],
    ['a revision that is not a number', 200, '{"header":{"revision":"many"}}'],
    ['a revision that JavaScript cannot count', 200, '{"header":{"revision":"9223372036854775807"}}'],
    ['a missing gateway', 404, 'Not Found\n'],
    ['a proxy without a server', 502, '{"oops":true}'],
    ['a leaderless cluster', 503, '{"error":"etcdserver: no leader","message":"etcdserver: no leader","code":14}'],
  ])('is Unavailable, with the reason, when the response is %s', async (_, status, body) => {
    const endpoint = await serve((_request, response) => response.writeHead(status).end(body));
    expect(await failure(openStore({ endpoints: [endpoint] }))).toBe('Unavailable');
  });

  it.each([{ limit: 0 }, { limit: 1.5 }, { at: -1 }, { at: Number.NaN }])(
    'refuses to list with %j',
    async (options) => {
      const store = await openStore({ endpoints: [shared.endpoint] });
      expect(await failure(store.list('', options))).toBe('BadRequest');
    },
  );

  it('waits for calls in flight before it closes, and leaves no connection', async () => {
    const proxy = await proxyTo(shared);
    const store = await openStore({ endpoints: [proxy.endpoint] });
    const pending = Array.from({ length: 10 }, (_, n) => store.commit([put(`k${n}`)]));
    await store.close();
    expect((await Promise.all(pending)).every((outcome) => outcome.committed)).toBe(true);
    await until(() => proxy.connections === 0);
  });
});
