/**
 * Watches of a real etcd while its streams fail. The oracle is always the same: the acknowledged revisions, in order,
 * each once and complete.
 */
import { getEventListeners } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fasterClock } from '@ecsm/runtime/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Commit, Revision, Store } from '../contract.ts';
import { type EtcdServer, skipWithoutEtcd, startEtcd } from './etcd.kit.ts';
import { mailboxBytesMax, mailboxCommitsMax } from './mailbox.ts';
import { lineBytesMax } from './stream.ts';
import {
  afterwards,
  cleanup,
  commit,
  failure,
  freshPrefix,
  openStore,
  proxyTo,
  put,
  remove,
  serve,
  startOwn,
  take,
  until,
} from './testing.kit.ts';
import { EtcdWatch } from './watch.ts';

/** Collects what a watch delivers until the test is over. */
function follow(store: Store, after: Revision, prefix = '') {
  const controller = new AbortController();
  const commits: Commit[] = [];
  const run = (async () => {
    for await (const next of store.watch(prefix, { after, signal: controller.signal })) commits.push(next);
  })();
  const ended = failure(run);
  afterwards(async () => {
    controller.abort();
    await ended;
  });
  return { commits, ended, revisions: () => commits.map((next) => next.revision) };
}

function watchOf(store: Store, after: Revision): EtcdWatch {
  const watch = store.watch('', { after });
  if (!(watch instanceof EtcdWatch)) throw new Error('not a watch of etcd');
  return watch;
}

describe.skipIf(skipWithoutEtcd())('etcd watch', () => {
  let shared: EtcdServer;
  beforeAll(async () => {
    shared = await startEtcd();
  });
  afterAll(() => shared?.stop());
  afterEach(cleanup);

  it('after 0 delivers the whole history of a new server, and what follows', async () => {
    const server = await startOwn();
    const store = await openStore({ endpoints: [server.endpoint] });
    const first = await commit(store, put('a', '1'));
    const second = await commit(store, put('a', '2'), put('b', '2'));
    const watching = follow(store, 0);
    await until(() => watching.commits.length === 2);
    const third = await commit(store, remove('a'));
    await until(() => watching.commits.length === 3);
    expect(watching.revisions()).toEqual([first, second, third]);
  });

  it('loses and duplicates nothing when the server is killed and restarted during writes', async () => {
    const server = await startOwn();
    const prefix = freshPrefix();
    const store = await openStore({ endpoints: [server.endpoint], prefix, timeoutMs: 2_000 });
    const writer = await openStore({ endpoints: [server.endpoint], prefix, timeoutMs: 2_000 });
    const after = await store.revision();
    const watching = follow(store, after);
    const acknowledged: Revision[] = [];
    let writing = true;
    const write = (async () => {
      for (let n = 0; writing; n++) {
        const outcome = await writer.commit([put(`a${n % 7}`, String(n)), put('b', String(n))]).catch(() => undefined);
        if (outcome?.committed) acknowledged.push(outcome.revision);
        else await sleep(5);
      }
    })();
    for (let round = 0; round < 5; round++) {
      await sleep(100 + round * 37);
      await server.kill('SIGKILL');
      await server.restart();
    }
    writing = false;
    await write;
    const last = await commit(writer, put('last'));
    await until(() => watching.revisions().at(-1) === last);
    const seen = watching.revisions();
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(acknowledged.length).toBeGreaterThan(20);
    expect(acknowledged.filter((revision) => !seen.includes(revision))).toEqual([]);
    // Every revision of the store is a commit under the prefix, also those whose answer was lost.
    expect(seen).toEqual(Array.from({ length: last - after }, (_, n) => after + 1 + n));
    for (const { changes, revision } of watching.commits) expect(changes.length).toBe(revision === last ? 1 : 2);
  });

  it('continues after the server was stopped and continued', async () => {
    const server = await startOwn();
    const prefix = freshPrefix();
    const store = await openStore({ endpoints: [server.endpoint], prefix, timeoutMs: 5_000, clock: fasterClock(10) });
    const watching = follow(store, await store.revision());
    const writer = await openStore({ endpoints: [server.endpoint], prefix });
    const one = await commit(writer, put('a', '1'));
    await until(() => watching.revisions().includes(one));
    await server.kill('SIGSTOP');
    await sleep(1_500);
    await server.kill('SIGCONT');
    const two = await commit(writer, put('a', '2'));
    await until(() => watching.revisions().includes(two));
    expect(watching.revisions()).toEqual([one, two]);
  });

  it('throws Expired when the history was compacted while it was disconnected', async () => {
    const server = await startOwn();
    const proxy = await proxyTo(server);
    const prefix = freshPrefix();
    const store = await openStore({ endpoints: [proxy.endpoint], prefix, timeoutMs: 2_000 });
    const direct = await openStore({ endpoints: [server.endpoint], prefix });
    const watching = follow(store, await store.revision());
    const first = await commit(direct, put('a'));
    await until(() => watching.revisions().includes(first));
    proxy.mode = 'swallow';
    proxy.cutConnections();
    await commit(direct, remove('a'));
    await direct.compact(await commit(direct, put('b')));
    proxy.mode = 'pass';
    expect(await watching.ended).toBe('Expired');
    expect(watching.revisions()).toEqual([first]);
  });

  it('throws Expired for the deletion that a compaction to its own revision has discarded', async () => {
    const store = await openStore({ endpoints: [shared.endpoint] });
    const before = await commit(store, put('a'));
    await store.compact(await commit(store, remove('a')));
    expect(await failure(take(store, 1, { after: before }))).toBe('Expired');
  });

  it('throws Expired when the store was replaced by an empty one', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ecsm-etcd-'));
    afterwards(() => rm(dataDir, { recursive: true, force: true }));
    const server = await startOwn({ dataDir });
    const store = await openStore({ endpoints: [server.endpoint] });
    for (let n = 0; n < 5; n++) await commit(store, put('a', String(n)));
    const watching = follow(store, await store.revision());
    await sleep(150);
    await server.kill('SIGKILL');
    for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true });
    await server.restart();
    expect(await watching.ended).toBe('Expired');
  });

  it("advances an idle watch with etcd's progress, so that a compaction does not expire it", async () => {
    const server = await startOwn({ flags: ['--experimental-watch-progress-notify-interval=300ms'] });
    const store = await openStore({ endpoints: [server.endpoint] });
    const noise = await openStore({ endpoints: [server.endpoint], prefix: freshPrefix() });
    const watching = follow(store, await store.revision());
    for (let n = 0; n < 20; n++) await commit(noise, put('a', String(n)));
    const compacted = await noise.revision();
    await sleep(1_500);
    await noise.compact(compacted);
    await server.kill('SIGKILL');
    await server.restart();
    const revision = await commit(store, put('a'));
    await until(() => watching.revisions().length > 0);
    expect(watching.revisions()).toEqual([revision]);
  });

  it('delivers a complete commit that etcd sends in fragments', async () => {
    const store = await openStore({ endpoints: [shared.endpoint] });
    const after = await store.revision();
    const keys = Array.from({ length: 100 }, (_, n) => `k${String(n).padStart(3, '0')}`);
    const revisions: Revision[] = [];
    // More than a line may have, so that the watch has to ask for fragments.
    const count = Math.ceil(lineBytesMax / 1_000_000);
    for (let n = 0; n < count; n++)
      revisions.push(await commit(store, ...keys.map((key) => put(key, 'x'.repeat(10_000)))));
    const commits = await take(store, count, { after });
    expect(commits.map((next) => next.revision)).toEqual(revisions);
    for (const { changes } of commits) expect(changes.map((change) => change.key)).toEqual(keys);
  });

  it('closes the stream while the consumer is slow, and then delivers everything', async () => {
    const proxy = await proxyTo(shared);
    const prefix = freshPrefix();
    const store = await openStore({ endpoints: [proxy.endpoint], prefix });
    const writer = await openStore({ endpoints: [shared.endpoint], prefix });
    const watch = watchOf(store, await store.revision());
    const iterator = watch[Symbol.asyncIterator]();
    const valueBytes = 10_000;
    const revisions: Revision[] = [];
    // Three times what the mailbox holds, so that the stream is closed more than once.
    for (let n = 0; n * valueBytes < 3 * mailboxBytesMax; n += 30) {
      const batch = await Promise.all(
        Array.from({ length: 30 }, (_, m) => commit(writer, put(`k${m}`, 'x'.repeat(valueBytes)))),
      );
      revisions.push(...batch.sort((a, b) => a - b));
    }
    expect(revisions.length).toBeGreaterThan(mailboxCommitsMax);
    await until(() => watch.state === 'paused');
    await until(() => proxy.connections <= 1);
    const seen: Revision[] = [];
    while (seen.length < revisions.length) seen.push((await iterator.next()).value?.revision ?? -1);
    expect(seen).toEqual(revisions);
    await iterator.return?.();
    expect(watch.state).toBe('ended');
  });

  it('switches to another endpoint when its own hangs', async () => {
    const [first, second] = [await proxyTo(shared), await proxyTo(shared)];
    const prefix = freshPrefix();
    const store = await openStore({
      endpoints: [first.endpoint, second.endpoint],
      prefix,
      clock: fasterClock(20),
      timeoutMs: 10_000,
    });
    const watching = follow(store, await store.revision());
    const writer = await openStore({ endpoints: [shared.endpoint], prefix });
    const one = await commit(writer, put('a', '1'));
    await until(() => watching.revisions().includes(one));
    first.mode = 'swallow';
    const two = await commit(writer, put('a', '2'));
    await until(() => watching.revisions().includes(two));
    expect(watching.revisions()).toEqual([one, two]);
  });

  it('reopens a stream that a proxy has dropped', async () => {
    const proxy = await proxyTo(shared);
    const prefix = freshPrefix();
    const store = await openStore({ endpoints: [proxy.endpoint], prefix, clock: fasterClock(50), timeoutMs: 20_000 });
    const watching = follow(store, await store.revision());
    const writer = await openStore({ endpoints: [shared.endpoint], prefix });
    const one = await commit(writer, put('a', '1'));
    await until(() => watching.revisions().includes(one));
    proxy.forgetNewest();
    const two = await commit(writer, put('a', '2'));
    await until(() => watching.revisions().includes(two));
    expect(watching.revisions()).toEqual([one, two]);
  });

  it('signs in again when only the token of the watch is refused', async () => {
    const header = { revision: '7' };
    const watchAnswers = [
      { result: { header, created: true, canceled: true, cancel_reason: 'rpc error: etcdserver: invalid auth token' } },
      { result: { header, events: [{ kv: { key: 'cC9h', create_revision: '8', mod_revision: '8', value: 'eA==' } }] } },
    ];
    const paths: string[] = [];
    const endpoint = await serve((request, response) => {
      paths.push(request.url ?? '');
      if (request.url !== '/v3/watch') response.end(JSON.stringify({ header, token: 'token' }));
      else response.write(`${JSON.stringify(watchAnswers.shift())}\n`);
    });
    const store = await openStore({ endpoints: [endpoint], prefix: 'p', username: 'pilot', password: 'x' });
    expect((await take(store, 1, { after: 7 })).map((next) => next.revision)).toEqual([8]);
    expect(paths.filter((path) => path === '/v3/auth/authenticate')).toHaveLength(2);
  });

  it('leaves no connection, timer or listener after an abort, in any state', async () => {
    const proxy = await proxyTo(shared);
    const store = await openStore({ endpoints: [proxy.endpoint] });
    const after = await store.revision();
    const held = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await until(() => proxy.connections === 1);
    const timersBefore = held();
    const states = new Set<string>();
    const reached = { pass: 'streaming', swallow: 'connecting', 'lose answers': 'backing off' };
    for (const mode of ['pass', 'swallow', 'lose answers'] as const) {
      proxy.mode = mode;
      // The longer ones are for a busy machine.
      for (const delayMs of [0, 1, 5, 30, 150, 1_000, 5_000]) {
        if (delayMs > 150 && states.has(reached[mode])) break;
        const controller = new AbortController();
        const watch = store.watch('', { after, signal: controller.signal });
        const result = watch[Symbol.asyncIterator]().next();
        await sleep(delayMs);
        if (watch instanceof EtcdWatch) states.add(watch.state);
        controller.abort();
        expect(await result).toEqual({ done: true, value: undefined });
        expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      }
    }
    expect([...states].sort()).toEqual(['backing off', 'connecting', 'streaming']);
    await until(() => held() <= timersBefore && proxy.connections <= 1);
  });

  it('can be iterated once', async () => {
    const store = await openStore({ endpoints: [shared.endpoint] });
    const watch = store.watch('', { after: await store.revision() });
    const iterator = watch[Symbol.asyncIterator]();
    expect(() => watch[Symbol.asyncIterator]()).toThrow('iterated once');
    const waiting = iterator.next();
    await iterator.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});
