/**
 * Faults of the store, as a client sees them. A client relies on two promises: what was acknowledged is stored, and what
 * was refused is not. Only 503 and 504 leave it open.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, openRegistry } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Fault, FaultyStore } from './faulty-store.kit.ts';
import { Gadget, type RunningServer, served, startServer, type WatchLine } from './server.kit.ts';
import { openWatch } from './wire.kit.ts';

const gadgets = '/apis/example.io/v1/namespaces/default/gadgets';
const gadget = (name: string, replicas = 0) => ({ metadata: { name }, spec: { replicas } });
const secretPlace = '/srv/private';

const full = new ApiError('StorageFull', { what: secretPlace, reason: 'the disk is full' });
const unavailable = new ApiError('Unavailable', { what: secretPlace, reason: 'flushing the disk failed' });
const timeout = new ApiError('Timeout', { what: secretPlace, timeoutMs: 5 });
const before = (error: unknown): Fault => ({ type: 'fail', error, when: 'before' });

let store: FaultyStore;
let running: RunningServer;
const start = async (options: Parameters<typeof startServer>[0] = {}) => {
  store = new FaultyStore();
  running = await startServer({ store, ...options });
};
afterEach(async () => {
  store.faultOf = () => undefined;
  await running.close();
});

const statusOf = (code: number, reason: string) => ({
  code,
  body: { apiVersion: 'v1', kind: 'Status', status: 'Failure', code, reason, message: expect.stringMatching(/./) },
});

describe('a store that fails', () => {
  beforeEach(() => start());

  it.each([
    [unavailable, 503, 'ServiceUnavailable', 'try again later'],
    [timeout, 504, 'Timeout', 'did not respond in time'],
    [full, 507, 'InternalError', 'no space left'],
    [new ApiError('ReadOnly', { what: secretPlace, reason: 'EROFS' }), 403, 'Forbidden', 'read-only'],
    [new ApiError('Corrupt', { what: secretPlace, reason: 'damaged' }), 500, 'InternalError', 'see the log'],
    [new ApiError('Closed', { what: secretPlace }), 503, 'ServiceUnavailable', 'try again later'],
    [new Error(`EIO ${secretPlace}`), 500, 'InternalError', 'see the log'],
  ] as const)('with %s is reported as %i %s, without the place of its files', async (error, code, reason, words) => {
    await running.call('POST', gadgets, gadget('a'));
    const requests = [
      ['commit', 'POST', gadgets, gadget('b')],
      ['commit', 'PATCH', `${gadgets}/a`, { spec: { replicas: 7 } }],
      ['commit', 'DELETE', `${gadgets}/a`, undefined],
      ['read', 'GET', `${gadgets}/a`, undefined],
      ['read', 'GET', gadgets, undefined],
      ['read', 'GET', `${gadgets}?watch=1`, undefined],
    ] as const;
    for (const [failing, method, path, body] of requests) {
      store.faultOf = (call) => (call === failing ? before(error) : undefined);
      const reply = await running.call(method, path, body);
      expect(reply).toMatchObject(statusOf(code, reason));
      expect(reply.body.message).toContain(words);
      expect(reply.text).not.toContain(secretPlace);
      expect(reply.headers['retry-after']).toBe(code === 503 || code === 504 ? '1' : undefined);
    }
    store.faultOf = () => undefined;
    const { items } = await running.registry.resource(Gadget).list();
    expect(items.map(({ metadata, spec }) => `${metadata.name} ${spec.replicas}`)).toEqual(['a 0']);
  });

  it('ends watches with an ERROR event, and a client resumes where it was', async () => {
    const from = (await running.registry.capabilities.history?.newest()) ?? '';
    const lines: WatchLine[] = [];
    const open = (version: string) =>
      openWatch(running, `${gadgets}?watch=1&resourceVersion=${version}`, (line) => lines.push(line));
    const watch = open(from);
    await watch.opened;
    await running.call('POST', gadgets, gadget('a'));
    await expect.poll(() => lines.length).toBe(1);
    store.faultOf = (call) => (call === 'watch' ? before(unavailable) : undefined);
    store.breakWatches(unavailable);
    await watch.ended;
    expect(lines[1]).toMatchObject({ type: 'ERROR', object: statusOf(503, 'ServiceUnavailable').body });
    expect(JSON.stringify(lines)).not.toContain(secretPlace);

    store.faultOf = () => undefined;
    await running.call('POST', gadgets, gadget('b'));
    const resumed = open(lines[0]?.object.metadata.resourceVersion);
    await expect.poll(() => lines.slice(2).map(({ object }) => object.metadata.name)).toEqual(['b']);
    resumed.cut();
    await resumed.ended;
  });

  it('says 410 Expired for a version and a list whose history is gone', async () => {
    for (const name of ['a', 'b', 'c']) await running.call('POST', gadgets, gadget(name));
    const { body } = await running.call('GET', `${gadgets}?limit=1`);
    await running.call('PATCH', `${gadgets}/a`, { spec: { replicas: 9 } });
    const { history } = running.registry.capabilities;
    await history?.compact((await history.newest()) ?? '');
    const { continue: token, resourceVersion } = body.metadata;
    expect(await running.call('GET', `${gadgets}?limit=1&continue=${token}`)).toMatchObject(statusOf(410, 'Expired'));
    const exact = `${gadgets}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
    expect(await running.call('GET', exact)).toMatchObject(statusOf(410, 'Expired'));
    const [line] = await running.watch(`${gadgets}?watch=1&resourceVersion=${resourceVersion}`, 1);
    expect(line).toMatchObject({ type: 'ERROR', object: statusOf(410, 'Expired').body });
  });
});

describe('a list with many records that cannot be read', () => {
  it('has the others, and as many warnings as clients accept in headers', async () => {
    await start();
    const value = Buffer.from('{damaged');
    for (let n = 0; n < 300; n++)
      await store.commit([{ type: 'put', key: `example.io/v1/gadgets/default/d-${n}`, value }]);
    await running.call('POST', gadgets, gadget('a'));
    const { code, body, headers } = await running.call('GET', gadgets);
    expect({ code, items: body.items.length }).toEqual({ code: 200, items: 1 });
    expect(String(headers['warning']).match(/ cannot be read/g)).toHaveLength(21);
    expect(headers['warning']).toContain('280 more records cannot be read');
  });
});

describe('a store that hangs', () => {
  it('is reported as 504, and does not hold up other requests', async () => {
    await start({ limits: { registryTimeoutMs: 50 } });
    await running.call('POST', gadgets, gadget('a'));
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    store.faultOf = () => ({ type: 'hang', until });
    const requests = [
      running.call('GET', `${gadgets}/a`),
      running.call('GET', gadgets),
      running.call('GET', `${gadgets}?watch=1`),
      running.call('POST', gadgets, gadget('b')),
      running.call('DELETE', `${gadgets}/a`),
    ];
    expect(await running.call('GET', '/livez')).toMatchObject({ code: 200 });
    for (const reply of await Promise.all(requests)) expect(reply).toMatchObject(statusOf(504, 'Timeout'));
    expect(await running.call('GET', '/readyz')).toMatchObject({ code: 504 });
    store.faultOf = () => undefined;
    release();
    // 504 leaves it open: these two happen after their answer.
    await expect.poll(async () => (await running.call('GET', `${gadgets}/b`)).code).toBe(200);
    await expect.poll(async () => (await running.call('GET', `${gadgets}/a`)).code).toBe(404);
  });

  it('is reported as 504 to a review of a token, too', async () => {
    const authenticate = ({ authorization }: { readonly authorization: string | undefined }) =>
      authorization === undefined ? Promise.resolve(undefined) : new Promise<never>(() => {});
    await start({ limits: { registryTimeoutMs: 20 }, authenticator: { authenticate } });
    const review = { spec: { token: 'x' } };
    expect(await running.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)).toMatchObject(
      statusOf(504, 'Timeout'),
    );
  });

  it('rejects requests once too many wait for it, and serves again afterwards', async () => {
    await start({ limits: { registryTimeoutMs: 20, inFlightMax: 3 } });
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    store.faultOf = () => ({ type: 'hang', until });
    for (let n = 0; n < 3; n++) expect(await running.call('GET', gadgets)).toMatchObject({ code: 504 });
    expect(await running.call('GET', gadgets)).toMatchObject(statusOf(429, 'TooManyRequests'));
    store.faultOf = () => undefined;
    release();
    await expect.poll(async () => (await running.call('GET', gadgets)).code).toBe(200);
  });
});

/** The values that an object of one client can have: undefined is an object that does not exist. */
class Possible {
  values: readonly (number | undefined)[] = [undefined];

  answered(code: number, value: number | undefined): void {
    if (code < 300) this.values = [value];
    // Whether it happened is open, also for those before it.
    else if (code === 503 || code === 504) this.values = [...this.values, value];
  }
}

describe('random faults', () => {
  it.each([1, 2, 3, 4])(
    'acknowledge nothing that is lost, and refuse nothing that is stored (seed %i)',
    async (seed) => {
      await start();
      const random = new SeededRandom(seed);
      store.faultOf = (call) => {
        if (random.next() > 0.3) return undefined;
        const isRead = call !== 'commit';
        // Only these two may occur after the write has happened.
        const error = random.pick([unavailable, timeout, full, new ApiError('Corrupt', { what: 'x', reason: 'y' })]);
        const isOpen = error === unavailable || error === timeout;
        return { type: 'fail', error, when: !isRead && isOpen && random.next() < 0.5 ? 'after' : 'before' };
      };
      const codes = new Set<number>();
      const client = async (index: number) => {
        const possible = new Possible();
        const path = `${gadgets}/g-${index}`;
        for (let n = 1; n <= 60; n++) {
          const method = random.pick(['POST', 'PATCH', 'PATCH', 'PUT', 'DELETE', 'GET']);
          const value = method === 'DELETE' ? undefined : n;
          const put = method === 'PUT' ? await running.call('GET', path) : undefined;
          const body = put?.code === 200 ? { ...put.body, spec: { replicas: n } } : { ...gadget(`g-${index}`, n) };
          const target = method === 'POST' ? gadgets : path;
          const { code, body: answer } = await running.call(method, target, method === 'GET' ? undefined : body);
          codes.add(code);
          if (method !== 'GET') possible.answered(code, value);
          else if (code === 200 || code === 404) {
            const found = code === 404 ? undefined : answer.spec.replicas;
            expect(possible.values).toContain(found);
            possible.values = [found];
          }
        }
        return possible.values;
      };
      const left = await Promise.all([0, 1, 2, 3, 4].map(client));
      store.faultOf = () => undefined;
      for (const [index, values] of left.entries()) {
        const { code, body } = await running.call('GET', `${gadgets}/g-${index}`);
        expect(values).toContain(code === 404 ? undefined : body.spec.replicas);
      }
      expect([...codes]).toEqual(expect.arrayContaining([200, 201, 404, 500, 503, 504, 507]));
    },
  );
});

const canMount =
  spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d; s=$?; rmdir $d; exit $s'])
    .status === 0;
if (!canMount) console.warn('skipped: a full disk behind the API needs the right to mount a tmpfs');

describe.skipIf(!canMount)('a disk that is full', () => {
  it('is reported as 507, keeps what was acknowledged and nothing else, and takes writes again with more space', async () => {
    await start();
    await running.close();
    const scratch = mkdtempSync(join(tmpdir(), 'ecsm-full-'));
    const disk = join(scratch, 'disk');
    mkdirSync(disk);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status).toBe(0);
    try {
      const registry = await openRegistry(`sqlite:${join(disk, 'registry')}`, { kinds: served });
      const { storage } = registry.capabilities;
      running = await startServer(storage ? { store: storage } : {});
      const acknowledged: string[] = [];
      const codes = new Set<number>();
      const colour = 'x'.repeat(4_000);
      const write = async (name: string) => {
        const { code, body } = await running.call('POST', gadgets, { metadata: { name }, spec: { colour } });
        codes.add(code);
        if (code === 201) acknowledged.push(name);
        else expect(body).toMatchObject(statusOf(507, 'InternalError').body);
        return code;
      };
      for (let n = 100; n < 500 && !codes.has(507); n += 4) {
        await Promise.all([n, n + 1, n + 2, n + 3].map((name) => write(`g-${name}`)));
      }
      expect(codes).toEqual(new Set([201, 507]));
      const names = async () =>
        (await running.call('GET', gadgets)).body.items.map((item: WatchLine['object']) => item.metadata.name);
      expect(await names()).toEqual(acknowledged.sort());
      expect(spawnSync('mount', ['-o', 'remount,size=4m', disk]).status).toBe(0);
      expect(await write('g-999')).toBe(201);
      expect(await names()).toEqual(acknowledged.sort());
    } finally {
      await running.close();
      spawnSync('umount', ['-l', disk]);
      rmSync(scratch, { recursive: true, force: true });
    }
  });
});
