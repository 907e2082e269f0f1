/**
 * Goal: what an informer takes from a list is never a mixture, and never older than what it knows, unless the history was
 * lost. Method: a memory store whose answers to `versions` come in small pages, late, or from a store that replaced it.
 */
import { fasterClock, VirtualClock, Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import type { Commit, Store } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { Informer } from './informer.ts';

/** A tenth of every delay, so that backoff and resync are quick. */
const hastyClock = fasterClock(10);

let memory: MemoryStore;
let stop: AbortController;
let running: Promise<void> | undefined;
beforeEach(() => {
  memory = new MemoryStore();
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
  running = undefined;
  await memory.close();
});

const registryOn = (store: Store) => new EmbeddedRegistry({ store, kinds: [Widget], clock: hastyClock });
const widgetsIn = (store: Store) => registryOn(store).resource(Widget);
const create = (name: string, store: Store = memory) => widgetsIn(store).create({ metadata: { name }, spec: {} });
const eventually = (look: () => unknown) => expect.poll(look, { interval: 2 });

/** The memory store with some methods replaced. */
function replaced(methods: Partial<Pick<Store, 'versions' | 'watch' | 'get'>>): Store {
  return new Proxy<Store>(memory, {
    get(target, property) {
      const own = Reflect.get(methods, property);
      if (own !== undefined) return own;
      const value = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function start(store: Store, resyncMs?: number): { readonly informer: Informer; readonly seen: string[] } {
  const registry = registryOn(store);
  const informer = new Informer({ registry, kind: Widget, ...(resyncMs === undefined ? {} : { resyncMs }) });
  const seen: string[] = [];
  informer.addHandler(({ type, key }) => seen.push(`${type} ${key.split('/').at(-1)}`));
  running = informer.run(stop.signal);
  return { informer, seen };
}

describe('the lists of an informer', () => {
  it('are as of one revision: a write between two pages is not missed', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await create(name);
    let pages = 0;
    const { informer, seen } = start(
      replaced({
        async versions(prefix, options) {
          const page = await memory.versions(prefix, { ...options, limit: 2 });
          if (++pages === 1) {
            await widgetsIn(memory).delete('b');
            await create('aa');
          }
          return page;
        },
      }),
    );
    await eventually(() => seen).toEqual(['added a', 'added b', 'added c', 'added d', 'deleted b', 'added aa']);
    expect(informer.size).toBe(4);
    expect(pages).toBe(2);
  });

  it('are not taken from a store that is older than what is known', async () => {
    await create('a');
    const laggingAt = await memory.revision();
    let lagging = false;
    let oldAnswers = 0;
    const store = replaced({
      async versions(prefix, options = {}) {
        if (!lagging) return memory.versions(prefix, options);
        oldAnswers++;
        return memory.versions(prefix, { ...options, at: laggingAt });
      },
    });
    const { informer, seen } = start(store, 500);
    await eventually(() => informer.state).toBe('watching');
    await create('b');
    await eventually(() => seen).toEqual(['added a', 'added b']);
    lagging = true;
    await eventually(() => oldAnswers).toBeGreaterThan(1);
    expect(informer.state).not.toBe('watching');
    lagging = false;
    await create('c');
    await eventually(() => seen.at(-1)).toBe('added c');
    expect(seen).toEqual(['added a', 'added b', 'added c']);
  });

  it('start over after Expired, also on a store with lower revisions', async () => {
    for (const name of ['a', 'b', 'c']) await create(name);
    const restored = new MemoryStore();
    await create('b', restored);
    let current = memory;
    let cut = () => {};
    const { informer, seen } = start(
      replaced({
        versions: (...args) => current.versions(...args),
        async *watch(prefix, options): AsyncGenerator<Commit> {
          const inner = new AbortController();
          const end = () => inner.abort('the watch ends');
          cut = end;
          options.signal?.addEventListener('abort', end, { once: true });
          yield* current.watch(prefix, { ...options, signal: inner.signal });
          if (!options.signal?.aborted) {
            throw new ApiError('Unavailable', { what: 'the store', reason: 'the connection broke' });
          }
        },
      }),
    );
    await eventually(() => informer.state).toBe('watching');
    current = restored;
    cut();
    await eventually(() => [...seen.slice(3)].sort()).toEqual(['deleted a', 'deleted c', 'updated b']);
    await eventually(() => informer.state).toBe('watching');
    await create('d', restored);
    await eventually(() => seen.at(-1)).toBe('added d');
    expect(informer.size).toBe(2);
    stop.abort();
    await running;
    await restored.close();
  });

  it('start over on a store that was replaced by an older one while a list was due', async () => {
    const clock = new VirtualClock();
    for (const name of ['a', 'b', 'c']) await create(name);
    const restored = new MemoryStore();
    await create('b', restored);
    let current: MemoryStore | undefined = memory;
    const store = replaced({
      async versions(...args) {
        if (current) return current.versions(...args);
        throw new ApiError('Unavailable', { what: 'the store', reason: 'it is being restored' });
      },
      // As that of a cluster, this watch waits without an error until there is a server again.
      async *watch(prefix, options): AsyncGenerator<Commit> {
        if (current !== restored) await new Promise((end) => options.signal?.addEventListener('abort', end));
        else yield* restored.watch(prefix, options);
      },
    });
    const registry = new EmbeddedRegistry({ store, kinds: [Widget], clock });
    const informer = new Informer({ registry, kind: Widget, resyncMs: 600_000 });
    const seen: string[] = [];
    informer.addHandler(({ type, key }) => seen.push(`${type} ${key.split('/').at(-1)}`));
    running = informer.run(stop.signal);
    await clock.advance(1_000);
    current = undefined;
    await clock.advance(700_000);
    expect(informer.state).toBe('backing off');
    current = restored;
    await clock.advance(30_000);
    expect(seen).toEqual(['added a', 'added b', 'added c']);
    await clock.advance(120_000);
    expect(seen.slice(3).sort()).toEqual(['deleted a', 'deleted c', 'updated b']);
    expect(informer.state).toBe('watching');
    await create('d', restored);
    await clock.advance(1_000);
    expect(seen.at(-1)).toBe('added d');
    stop.abort();
    await running;
    await restored.close();
  });
});
