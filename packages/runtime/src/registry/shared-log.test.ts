/**
 * Watches of one kind that share a reader of the log. What each of them receives is compared with the log itself, while
 * the shared part is too short for the slow ones, and while the store fails.
 */

import { getEventListeners, setMaxListeners } from 'node:events';
import { Crate, Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { sleep, systemClock } from '../ports/clock.ts';
import type { Store, WatchOptions } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import type { Selection } from './contract.ts';
import { EmbeddedRegistry } from './embedded.ts';
import { recentLimits } from './recent-commits.ts';
import { SharedLog } from './shared-log.ts';
import type { ObjectCommit } from './watch.ts';

/** A store that counts its watches, and fails those that are open on request. */
class CountingStore extends MemoryStore {
  opened = 0;
  open = 0;
  fail: (() => void) | undefined;
  isFailing = false;
  /** What a watch waits for when it ends. */
  closing: Promise<void> | undefined;

  override async *watch(prefix: string, options: WatchOptions) {
    this.opened++;
    this.open++;
    const failure = new Promise<never>((_, reject) => {
      const before = this.fail;
      this.fail = () => {
        before?.();
        reject(new ApiError('Unavailable', { what: 'the store', reason: 'test' }));
      };
    });
    failure.catch(() => {});
    const commits = super.watch(prefix, options)[Symbol.asyncIterator]();
    try {
      for (;;) {
        if (this.isFailing) throw new ApiError('Unavailable', { what: 'the store', reason: 'test' });
        const next = await Promise.race([commits.next(), failure]);
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await this.closing;
      this.open--;
    }
  }
}

const registryOn = (store: Store) => new EmbeddedRegistry({ store, kinds: [Widget, Crate] });
/** A linear congruential generator: enough for a mix of cases that can be repeated. */
function seededRandom(seed: number): { integer(min: number, max: number): number; pick<T>(of: readonly T[]): T } {
  let state = seed;
  const integer = (min: number, max: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return min + Math.floor((state / 2 ** 32) * (max - min + 1));
  };
  return { integer, pick: (of) => of[integer(0, of.length - 1)] ?? unreachable() };
}

function unreachable(): never {
  throw new RangeError('nothing to pick from');
}

const settled = () => sleep(systemClock, 5);

class Reader {
  readonly revisions: number[] = [];
  readonly stop = new AbortController();
  readonly ended: Promise<unknown>;
  readonly names: string[] = [];

  constructor(commits: (signal: AbortSignal) => AsyncIterable<ObjectCommit>, pause: () => Promise<void> | undefined) {
    this.ended = this.#run(commits(this.stop.signal), pause).catch((error: unknown) => error);
  }

  async #run(commits: AsyncIterable<ObjectCommit>, pause: () => Promise<void> | undefined): Promise<void> {
    for await (const { revision, changes } of commits) {
      if (changes.length === 0) continue;
      this.revisions.push(revision);
      this.names.push(...changes.map(({ key }) => key));
      await pause();
    }
  }
}

async function wanted(store: Store, after: number, newest: number): Promise<number[]> {
  const revisions: number[] = [];
  if (after === newest) return revisions;
  for await (const { revision, changes } of store.watch('example.io/v1/widgets/', { after, progress: true })) {
    if (changes.length > 0) revisions.push(revision);
    if (revision >= newest) break;
  }
  return revisions;
}

describe('watches of one kind', () => {
  it('read the log once for all of them, and not at all after the last has ended', async () => {
    const store = new CountingStore();
    const registry = registryOn(store);
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const seen = Array.from({ length: 100 }, (): string[] => []);
    const ended = seen.map(async (names) => {
      for await (const { events } of registry.resource(Widget).watch({ resourceVersion: '0', signal: stop.signal })) {
        for (const event of events) names.push(event.type === 'Problem' ? '' : event.object.metadata.name);
      }
    });
    await settled();
    for (const name of ['a', 'b', 'c']) await registry.resource(Widget).create({ metadata: { name }, spec: {} });
    await expect.poll(() => seen.filter(({ length }) => length === 3).length).toBe(100);
    expect(new Set(seen.map((names) => names.join()))).toEqual(new Set(['a,b,c']));
    expect(store.opened).toBe(1);
    stop.abort('over');
    await Promise.all(ended);
    await expect.poll(() => store.open).toBe(0);
  });

  it('end if they are aborted or left while the log is opened, and while they wait', async () => {
    const store = new CountingStore();
    const log = new SharedLog(store, Widget, systemClock);
    const opened = (signal?: AbortSignal) => log.watch({ after: 0, progress: false, signal }, (commit) => commit);
    for (const whileOpen of [() => Promise.resolve(), settled]) {
      const stop = new AbortController();
      const [aborted, left] = [opened(stop.signal), opened()];
      const ended = [aborted.next(), left.next()];
      await whileOpen();
      stop.abort('over');
      await left.return?.();
      expect(await Promise.all(ended)).toEqual([
        { done: true, value: undefined },
        { done: true, value: undefined },
      ]);
      expect(await aborted.next()).toEqual({ done: true, value: undefined });
      expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
      await expect.poll(() => store.open).toBe(0);
    }
  });

  it('are left when the store has closed what they read on their own', async () => {
    const store = new CountingStore();
    await registryOn(store)
      .resource(Widget)
      .create({ metadata: { name: 'a' }, spec: {} });
    const log = new SharedLog(store, Widget, systemClock);
    const behind = log.watch({ after: 0, progress: false, signal: undefined }, ({ revision }) => revision);
    expect(await behind.next()).toEqual({ done: false, value: 1 });
    let close = () => {};
    store.closing = new Promise((resolve) => {
      close = resolve;
    });
    const left = behind.return?.();
    expect(await Promise.race([left, settled()])).toBeUndefined();
    close();
    expect(await left).toEqual({ done: true, value: undefined });
    await expect.poll(() => store.open).toBe(0);
  });

  it('receive the same object, which is decoded once', async () => {
    const registry = registryOn(new MemoryStore());
    const first = async () => {
      for await (const { events } of registry.resource(Widget).watch({ resourceVersion: '0' })) return events[0];
      return undefined;
    };
    const watching = [first(), first()];
    await settled();
    await registry.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
    const [one, other] = await Promise.all(watching);
    expect(one).toMatchObject({ type: 'Added', object: { metadata: { name: 'a' } } });
    expect(Object(one).object).toBe(Object(other).object);
  });

  it('receive only what they select', async () => {
    const registry = registryOn(new MemoryStore());
    const widgets = registry.resource(Widget);
    const stop = new AbortController();
    const watch = async (selection: Selection) => {
      const seen: string[] = [];
      for await (const { events } of widgets.watch({ ...selection, resourceVersion: '0', signal: stop.signal })) {
        for (const event of events) {
          const { metadata } = event.type === 'Problem' ? expect.fail(event.reason) : event.object;
          seen.push(`${event.type} ${metadata.namespace}/${metadata.name}`);
          if (metadata.name === 'last') return seen;
        }
      }
      return seen;
    };
    const watching = [{}, { namespace: 'one' }, { namespace: 'two' }, { labelSelector: 'on=yes' }].map(watch);
    await settled();
    await widgets.create({ metadata: { name: 'a', namespace: 'one' }, spec: {} });
    await widgets.create({ metadata: { name: 'a', namespace: 'two', labels: { on: 'yes' } }, spec: {} });
    await widgets.patch('a', { metadata: { labels: { on: 'no' } } }, { namespace: 'two' });
    for (const namespace of ['one', 'two'])
      await widgets.create({ metadata: { name: 'last', namespace, labels: { on: 'yes' } }, spec: {} });
    expect(await Promise.all(watching)).toEqual([
      ['Added one/a', 'Added two/a', 'Modified two/a', 'Added one/last'],
      ['Added one/a', 'Added one/last'],
      ['Added two/a', 'Modified two/a', 'Added two/last'],
      ['Added two/a', 'Deleted two/a', 'Added one/last'],
    ]);
    stop.abort('over');
  });

  it('learn of progress that others make', async () => {
    const registry = registryOn(new MemoryStore());
    const versions: string[] = [];
    const stop = new AbortController();
    const options = { resourceVersion: '0', progress: true, signal: stop.signal };
    const ended = (async () => {
      for await (const { resourceVersion } of registry.resource(Widget).watch(options)) versions.push(resourceVersion);
    })();
    await settled();
    for (const name of ['a', 'b', 'c']) await registry.resource(Crate).create({ metadata: { name }, spec: {} });
    await expect.poll(() => versions.at(-1)).toBe('3');
    stop.abort('over');
    await ended;
  });

  it.each([1, 2, 3, 4, 5, 6])('miss and repeat nothing, fast or slow, from any version (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const store = new CountingStore();
    const registry = registryOn(store);
    const limits = { ...recentLimits, commitsMax: random.integer(1, 8), progressMs: 1 };
    const log = new SharedLog(store, Widget, systemClock, limits);
    const readers: { readonly after: number; readonly reader: Reader }[] = [];
    for (let n = 0; n < 200; n++) {
      const object = { metadata: { name: `n-${n}` }, spec: {} };
      if (random.integer(0, 2) === 0) await registry.resource(Crate).create(object);
      else await registry.resource(Widget).create(object);
      if (n % 10 === 0) {
        const after = random.integer(0, n + 1);
        const slowness = random.pick([0, 0, 1, 3]);
        const pause = () => (slowness === 0 ? undefined : sleep(systemClock, random.integer(0, slowness)));
        const progress = random.pick([true, false]);
        const watch = (signal: AbortSignal) => log.watch({ after, progress, signal }, (commit) => commit);
        readers.push({ after, reader: new Reader(watch, pause) });
      }
      if (n % 7 === 0) await sleep(systemClock, random.integer(0, 2));
      // The shared reader fails, and with it the watches that follow it.
      if (n === 100 && seed % 2 === 0) store.fail?.();
    }
    const newest = await store.revision();
    for (const { after, reader } of readers) {
      const expected = await wanted(store, after, newest);
      const isOver = async () => reader.revisions.length >= expected.length || (await failed(reader));
      await expect.poll(isOver, { interval: 5 }).toBe(true);
      reader.stop.abort('over');
      const error = await reader.ended;
      expect(reader.revisions).toEqual(error === undefined ? expected : expected.slice(0, reader.revisions.length));
      if (seed % 2 === 1) expect(error).toBeUndefined();
    }
    await expect.poll(() => store.open).toBe(0);
  });

  const failed = (reader: Reader): Promise<boolean> =>
    Promise.race([reader.ended.then((error) => error !== undefined), settled().then(() => false)]);

  it('fail with the error of the store when it fails for good', async () => {
    const store = new CountingStore();
    const log = new SharedLog(store, Widget, systemClock);
    const watch = (signal: AbortSignal) => log.watch({ after: 0, progress: false, signal }, (commit) => commit);
    const readers = Array.from({ length: 10 }, () => new Reader(watch, () => undefined));
    await settled();
    store.isFailing = true;
    store.fail?.();
    for (const { ended } of readers) expect(await ended).toMatchObject({ code: 'Unavailable' });
  });

  it('are Expired behind a compaction, and at a version that does not exist', async () => {
    const store = new MemoryStore();
    const registry = registryOn(store);
    const live = new AbortController();
    const widgets = registry.resource(Widget);
    const consume = async (resourceVersion: string) => {
      for await (const _ of widgets.watch({ resourceVersion, signal: live.signal }));
    };
    const living = consume('0');
    for (const name of ['a', 'b', 'c']) await widgets.create({ metadata: { name }, spec: {} });
    await settled();
    await expect(registry.capabilities.history?.compact('4')).rejects.toMatchObject({ code: 'BadRequest' });
    await registry.capabilities.history?.compact('2');
    await expect(consume('1')).rejects.toMatchObject({ code: 'Expired' });
    await expect(consume('4')).rejects.toMatchObject({ code: 'Expired' });
    live.abort('over');
    await living;
  });
});
