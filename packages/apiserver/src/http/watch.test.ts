/**
 * The guarantees of a watch over real connections: ordered, unique, complete and resumable. Random histories of several
 * writers, with cut connections, restarts of the server and compaction, are compared with the events of the registry.
 */
import { sleep, systemClock } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { usedBytes } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gadget, type RunningServer, startServer, type WatchLine } from './server.kit.ts';
import { ApiServer } from './server.ts';
import { Oracle, type Scope, Watcher } from './watcher.kit.ts';
import { openSocket, openWatch } from './wire.kit.ts';

const gadgetsIn = (namespace: string) => `/apis/example.io/v1/namespaces/${namespace}/gadgets`;
const gadgets = gadgetsIn('default');
const gadget = (name: string, labels: Readonly<Record<string, string>> = {}, colour = '') => ({
  metadata: { name, labels },
  spec: { colour },
});
const megabyte = 1024 * 1024;

let running: RunningServer;
beforeEach(async () => {
  // A server that waits for a client when it closes exceeds the time of the test.
  running = await startServer({ bookmarkMs: 5, limits: { closeTimeoutMs: 600_000 } });
});
afterEach(() => running.close());

const call: RunningServer['call'] = (...request) => running.call(...request);
const newest = async () => (await running.registry.capabilities.history?.newest()) ?? '';

/** Servers that come and go, on one registry. */
class Restarting {
  origin: Pick<RunningServer, 'url' | 'certificates'> = running;
  #server: ApiServer | undefined;

  async restart(): Promise<void> {
    await this.close();
    const { registry, certificates } = running;
    this.#server = new ApiServer({ registry, credentials: certificates.server, bookmarkMs: 5 });
    const { port } = await this.#server.listen({ host: '127.0.0.1', port: 0 });
    this.origin = { url: `https://127.0.0.1:${port}`, certificates };
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}

const scopes: readonly Scope[] = [
  {},
  { namespace: 'default' },
  { namespace: 'other' },
  { labelSelector: 'app=x' },
  { namespace: 'default', labelSelector: 'app in (x,y)' },
  { fieldSelector: 'metadata.name=g-1' },
];
const allowedCodes = [200, 201, 404, 409];

async function write(random: SeededRandom): Promise<number> {
  const place = gadgetsIn(random.pick(['default', 'other']));
  const name = random.pick(['g-0', 'g-1', 'g-2', 'g-3', 'g-4']);
  const labels = { app: random.pick(['x', 'y', 'z']) };
  const spec = { replicas: random.integer(0, 100) };
  switch (random.pick(['create', 'create', 'patch', 'patch', 'patch', 'update', 'delete'])) {
    case 'create':
      return (await call('POST', place, { metadata: { name, labels }, spec })).code;
    case 'patch':
      return (await call('PATCH', `${place}/${name}`, { metadata: { labels }, spec })).code;
    case 'update': {
      const { code, body } = await call('GET', `${place}/${name}`);
      return code === 200 ? (await call('PUT', `${place}/${name}`, { ...body, spec })).code : code;
    }
    default:
      return (await call('DELETE', `${place}/${name}`)).code;
  }
}

describe('a watch that is cut, resumed at another server and expired', () => {
  it.each([1, 2, 3, 4])('misses, repeats and reorders nothing (seed %i)', async (seed) => {
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    const random = new SeededRandom(seed);
    const front = new Restarting();
    await front.restart();
    const start = await newest();
    const watchers = scopes.map((scope, index) => new Watcher(running, scope, new SeededRandom(seed * 100 + index)));
    const oracles = scopes.map((scope) => new Oracle(running.registry, scope, start));
    const runs = watchers.map((watcher) => watcher.run(() => front.origin));
    const caughtUp = async (at: () => readonly number[]) => {
      const wanted = Number(await newest());
      await expect.poll(() => Math.min(...at()), { interval: 5 }).toBe(wanted);
    };

    const codes = new Set<number>();
    for (let round = 0; round < 4; round++) {
      const writers = [0, 1, 2].map(async () => {
        for (let n = 0; n < 25; n++) codes.add(await write(random));
      });
      if (round % 2 === 1) await front.restart();
      await Promise.all(writers);
      await caughtUp(() => oracles.map(({ version }) => version));
      await running.registry.capabilities.history?.compact(await newest());
    }
    // The last change that only some select: the others learn of it by bookmarks.
    await call('POST', gadgetsIn('other'), gadget('last'));
    await caughtUp(() => watchers.map(({ version }) => version));

    for (const watcher of watchers) watcher.stop();
    await Promise.all([...runs, ...oracles.map((oracle) => oracle.stop())]);
    await front.close();
    for (const [index, watcher] of watchers.entries()) {
      watcher.check(oracles[index]?.events ?? []);
      expect(watcher.violations).toEqual([]);
      expect(watcher.state).toEqual(await watcher.listed());
      expect(watcher.connections).toBeGreaterThan(3);
    }
    expect([...codes].filter((code) => !allowedCodes.includes(code))).toEqual([]);
    expect(watchers.reduce((sum, { stretches }) => sum + stretches.length, 0)).toBeGreaterThan(watchers.length);
  });
});

describe('a bookmark', () => {
  it('follows changes that the watch does not select', async () => {
    const from = await newest();
    const lines: WatchLine[] = [];
    const query = `watch=1&allowWatchBookmarks=1&labelSelector=app%3Dx&resourceVersion=${from}`;
    const watch = openWatch(running, `${gadgets}?${query}`, (line) => lines.push(line));
    // The last change is marked without a later one.
    for (let n = 0; n < 3; n++) await call('POST', gadgets, gadget(`g-${n}`, { app: 'y' }));
    await expect.poll(async () => lines.at(-1)?.object.metadata.resourceVersion).toBe(await newest());
    expect(new Set(lines.map(({ type }) => type))).toEqual(new Set(['BOOKMARK']));
    watch.cut();
    await watch.ended;
  });

  it('is metadata for a client of metadata, which knows no other kind', async () => {
    await call('POST', gadgets, gadget('g-0'));
    const query = 'watch=1&allowWatchBookmarks=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const accept = { Accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
    expect(await running.watch(`${gadgets}?${query}`, 2, accept)).toMatchObject([
      { type: 'ADDED', object: partial },
      {
        type: 'BOOKMARK',
        object: {
          ...partial,
          metadata: { resourceVersion: await newest(), annotations: { 'k8s.io/initial-events-end': 'true' } },
        },
      },
    ]);
  });

  it('is sent only to clients that ask for it', async () => {
    const from = await newest();
    const lines = running.watch(`${gadgets}?watch=1&labelSelector=app%3Dx&resourceVersion=${from}`, 1);
    await call('POST', gadgets, gadget('g-0', { app: 'y' }));
    await sleep(systemClock, 10);
    await call('POST', gadgets, gadget('g-1', { app: 'x' }));
    expect((await lines).map(({ type }) => type)).toEqual(['ADDED']);
  });
});

it('ends no watch before a time that is longer than any timer', async () => {
  const lines = running.watch(`${gadgets}?watch=1&resourceVersion=${await newest()}&timeoutSeconds=99999999`, 1);
  await sleep(systemClock, 50);
  await call('POST', gadgets, gadget('g-0'));
  expect(await lines).toHaveLength(1);
});

it('keeps no list of the objects that it began with', async () => {
  const options = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`option-${index}`, 'on']));
  for (let n = 0; n < 500; n++) {
    await running.registry.resource(Gadget).create({ metadata: { name: `g-${n}` }, spec: { options } });
  }
  let received = 0;
  const openAll = async () => {
    const watches = Array.from({ length: 40 }, () => openWatch(running, `${gadgets}?watch=1`, () => received++));
    await expect.poll(() => received).toBe(40 * 500);
    received = 0;
    return watches;
  };
  // The first ones pay for what is created once.
  for (const watch of await openAll()) watch.cut();
  await expect.poll(() => running.server.watches).toBe(0);
  const before = usedBytes();
  const watches = await openAll();
  // 40 watches × 0.3 MB, if each kept its list.
  expect((usedBytes() - before) / megabyte).toBeLessThan(5);
  for (const watch of watches) watch.cut();
  await Promise.all(watches.map(({ ended }) => ended));
});

describe('a client that never reads', () => {
  const stuck = async () => {
    const socket = await openSocket(running);
    socket.pause();
    socket.write(`GET ${gadgets}?watch=1&resourceVersion=${await newest()} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  };
  /** One object of 200 KB, changed often: the history of the store is short, so only buffers could grow. */
  const change = async (changes: number) => {
    for (let n = 0; n < changes; n++) {
      await call('PATCH', `${gadgets}/big`, { spec: { colour: String(n % 10).repeat(200_000) } });
      if (n % 10 === 9) await running.registry.capabilities.history?.compact(await newest());
    }
  };

  it('costs no memory, and does not delay the end of the server', async () => {
    await call('POST', gadgets, gadget('big'));
    await change(20);
    const sockets = await Promise.all(Array.from({ length: 5 }, stuck));
    await expect.poll(() => running.server.watches).toBe(5);
    const before = usedBytes();
    await change(100);
    const grownMb = (usedBytes() - before) / megabyte;
    // 5 watchers × 20 MB, if the server buffered.
    expect(grownMb).toBeLessThan(60);
    expect(running.server.watches).toBe(5);
    await running.server.close();
    expect(running.server.watches).toBe(0);
    for (const socket of sockets) socket.destroy();
  });

  it('is disconnected when the time of its watch is over', async () => {
    await call('POST', gadgets, gadget('big'));
    const socket = await openSocket(running);
    socket.pause();
    const target = `${gadgets}?watch=1&resourceVersion=${await newest()}&timeoutSeconds=1`;
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await change(30);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await expect.poll(() => running.server.watches).toBe(0);
    socket.resume();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});

describe('the bytes of a watch', () => {
  /** Everything that the server sends until `end` occurs in it. */
  const received = async (socket: Awaited<ReturnType<typeof openSocket>>, end: RegExp) => {
    let text = '';
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      text += chunk;
      if (end.test(text)) break;
    }
    return text;
  };

  it('are chunks, one for each event, after which the connection can be used again', async () => {
    await call('POST', gadgets, gadget('a', {}, 'grün'));
    const socket = await openSocket(running);
    const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    ask(`${gadgets}?watch=1&timeoutSeconds=1`);
    const text = await received(socket, /0\r\n\r\n$/);
    expect(text).toMatch(/^HTTP\/1.1 200 .*\r\nTransfer-Encoding: chunked\r\n/is);
    const [size = '', line = '', last] = text.slice(text.indexOf('\r\n\r\n') + 4).split('\r\n');
    expect(Buffer.byteLength(line)).toBe(Number.parseInt(size, 16));
    expect(JSON.parse(line)).toMatchObject({ type: 'ADDED', object: { spec: { colour: 'grün' } } });
    expect(last).toBe('0');
    ask('/version');
    expect(await received(socket, /gitVersion/)).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
  });

  it('are lines for a client of HTTP/1.0', async () => {
    await call('POST', gadgets, gadget('a'));
    const socket = await openSocket(running);
    socket.write(`GET ${gadgets}?watch=1&timeoutSeconds=1 HTTP/1.0\r\nHost: x\r\n\r\n`);
    const text = await received(socket, /\n$/);
    expect(text).not.toMatch(/transfer-encoding/i);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4) || (await received(socket, /\n$/)))).toMatchObject({
      type: 'ADDED',
    });
    socket.destroy();
  });
});
