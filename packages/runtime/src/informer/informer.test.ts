import { Crate, fasterClock, Widget } from '@ecsm/runtime/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { versionPageOf } from '../registry/list.ts';
import { versionsOf } from '../registry/watch.ts';
import type { Commit, Store } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { Informer, type InformerOptions } from './informer.ts';
import { type Change, Versions } from './versions.ts';

/** Waits a tenth of the delay, so that backoffs and resyncs are quick. */
const hastyClock = fasterClock(10);

let memory: MemoryStore;
let stop: AbortController;
const running: Promise<void>[] = [];
beforeEach(() => {
  memory = new MemoryStore({ logCommitsMax: 50 });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running.splice(0));
  await memory.close();
});

const registryOn = (store: Store) => new EmbeddedRegistry({ store, kinds: [Widget, Crate], clock: hastyClock });
const name = (change: Change) => change.key.split('/').at(-1);
const shown = (change: Change) =>
  `${change.initial ? 'initial ' : ''}${change.relisted && !change.initial ? 'relisted ' : ''}${change.type} ${name(change)}`;

function start(
  registry: EmbeddedRegistry,
  options: Partial<InformerOptions> = {},
): { informer: Informer; seen: string[] } {
  const informer = new Informer({ registry, kind: Widget, ...options });
  const seen: string[] = [];
  informer.addHandler((change) => seen.push(shown(change)));
  running.push(informer.run(stop.signal));
  return { informer, seen };
}

const eventually = (look: () => unknown) => expect.poll(look, { interval: 2 });

describe('an informer', () => {
  it('reports existing objects, then every change, with keys only', async () => {
    const registry = registryOn(memory);
    const widgets = registry.resource(Widget);
    await widgets.create({ metadata: { name: 'a' }, spec: {} });
    await registry.resource(Crate).create({ metadata: { name: 'other' }, spec: {} });
    const { informer, seen } = start(registry);
    await eventually(() => informer.hasSynced).toBe(true);
    expect(seen).toEqual(['initial added a']);
    await widgets.create({ metadata: { name: 'b' }, spec: {} });
    await widgets.patch('a', { spec: { size: 2 } });
    await widgets.delete('b');
    await eventually(() => seen).toEqual(['initial added a', 'added b', 'updated a', 'deleted b']);
    expect(informer.size).toBe(1);
    expect(informer.state).toBe('watching');
  });

  it('watches one namespace if it is given', async () => {
    const registry = registryOn(memory);
    const { informer, seen } = start(registry, { namespace: 'mine' });
    await eventually(() => informer.state).toBe('watching');
    await registry.resource(Widget).create({ metadata: { name: 'a', namespace: 'other' }, spec: {} });
    await registry.resource(Widget).create({ metadata: { name: 'b', namespace: 'mine' }, spec: {} });
    await eventually(() => seen).toEqual(['added b']);
  });

  it('reports existing objects to a handler that is added later', async () => {
    const registry = registryOn(memory);
    const { informer } = start(registry);
    await registry.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
    await eventually(() => informer.size).toBe(1);
    const late: string[] = [];
    const remove = informer.addHandler((change) => late.push(shown(change)));
    expect(late).toEqual(['initial added a']);
    remove();
    await registry.resource(Widget).delete('a');
    await eventually(() => informer.size).toBe(0);
    expect(late).toHaveLength(1);
  });

  it('continues when a handler throws, and calls the other handlers', async () => {
    const registry = registryOn(memory);
    const informer = new Informer({ registry, kind: Widget });
    const seen: string[] = [];
    informer.addHandler(() => {
      throw new Error('a bug in a handler');
    });
    informer.addHandler((change) => seen.push(shown(change)));
    running.push(informer.run(stop.signal));
    await registry.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
    await registry.resource(Widget).create({ metadata: { name: 'b' }, spec: {} });
    await eventually(() => seen.length).toBe(2);
  });

  it('stops from any state when the signal aborts', async () => {
    const { informer } = start(registryOn(memory));
    await eventually(() => informer.state).toBe('watching');
    stop.abort();
    await Promise.all(running);
    expect(informer.state).toBe('stopped');
  });
});

describe('an informer whose store fails', () => {
  /** A store whose watch can be broken, and whose calls can be made to fail. */
  function fragile() {
    const faults = { down: false, lose: 0, break: () => {} };
    const store: Store = Object.create(memory, {
      get: { value: (...args: Parameters<Store['get']>) => memory.get(...args) },
      list: { value: (...args: Parameters<Store['list']>) => memory.list(...args) },
      commit: { value: (...args: Parameters<Store['commit']>) => memory.commit(...args) },
      revision: { value: () => memory.revision() },
      versions: {
        value: async (...args: Parameters<Store['versions']>) => {
          if (faults.down) throw new ApiError('Unavailable', { what: 'the store', reason: 'it is down' });
          return memory.versions(...args);
        },
      },
      watch: {
        async *value(...[prefix, options]: Parameters<Store['watch']>): AsyncGenerator<Commit> {
          if (faults.down) throw new ApiError('Unavailable', { what: 'the store', reason: 'it is down' });
          const inner = new AbortController();
          let broken = false;
          faults.break = () => {
            broken = true;
            inner.abort();
          };
          options.signal?.addEventListener('abort', () => inner.abort());
          for await (const commit of memory.watch(prefix, { ...options, signal: inner.signal })) {
            if (faults.lose > 0) faults.lose--;
            else yield commit;
          }
          if (broken) throw new ApiError('Unavailable', { what: 'the store', reason: 'the connection broke' });
        },
      },
    });
    return { store, faults };
  }

  it('resumes at its position when the watch breaks: no change is lost or reported twice', async () => {
    const { store, faults } = fragile();
    const registry = registryOn(store);
    const { informer, seen } = start(registry);
    await eventually(() => informer.state).toBe('watching');
    await registry.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
    await registry.resource(Widget).create({ metadata: { name: 'b' }, spec: {} });
    await registry.resource(Widget).delete('b');
    await eventually(() => seen).toEqual(['added a', 'added b', 'deleted b']);
    faults.down = true;
    faults.break();
    await eventually(() => informer.state).toBe('backing off');
    await registry.resource(Widget).patch('a', { spec: { size: 2 } });
    faults.down = false;
    await eventually(() => seen).toEqual(['added a', 'added b', 'deleted b', 'updated a']);
  });

  it('lists again when its position was compacted: deletions found so are marked, and a recreated object is both', async () => {
    const { store, faults } = fragile();
    const registry = registryOn(store);
    const widgets = registry.resource(Widget);
    for (const each of ['gone', 'again', 'same', 'changed'])
      await widgets.create({ metadata: { name: each }, spec: {} });
    const { informer, seen } = start(registry);
    await eventually(() => informer.state).toBe('watching');
    seen.length = 0;
    faults.down = true;
    faults.break();
    await eventually(() => informer.state).toBe('backing off');
    await widgets.delete('gone');
    await widgets.delete('again');
    await widgets.create({ metadata: { name: 'again' }, spec: {} });
    await widgets.patch('changed', { spec: { size: 9 } });
    for (let n = 0; n < 100; n++) await memory.commit([{ type: 'put', key: 'noise/x', value: new Uint8Array([49]) }]);
    faults.down = false;
    await eventually(() => [...seen].sort()).toEqual([
      'relisted added again',
      'relisted deleted again',
      'relisted deleted gone',
      'relisted updated changed',
    ]);
  });

  it('finds changes that a watch lost without an error when it resyncs', async () => {
    const { store, faults } = fragile();
    const registry = registryOn(store);
    const { informer, seen } = start(registry, { resyncMs: 1_000 });
    await eventually(() => informer.state).toBe('watching');
    faults.lose = 2;
    await registry.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
    await registry.resource(Widget).create({ metadata: { name: 'b' }, spec: {} });
    await eventually(() => seen).toEqual(['relisted added a', 'relisted added b']);
    faults.lose = 1;
    await registry.resource(Widget).delete('a');
    await eventually(() => seen.at(-1)).toBe('relisted deleted a');
  });
});

describe('the versions of an informer', () => {
  it('match the store after lost, duplicate and relisted events, and adds and deletes alternate', async () => {
    const step = fc.record({
      key: fc.constantFrom('k/a', 'k/b', 'k/c'),
      act: fc.constantFrom('put' as const, 'delete' as const),
      event: fc.constantFrom('once' as const, 'twice' as const, 'lost' as const),
      relist: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const store = new MemoryStore();
        const versions = new Versions((version, than) => Number(version) > Number(than));
        const alive = new Set<string>();
        const report = (changes: Iterable<Change>) => {
          for (const { type, key } of changes) {
            expect(alive.has(key), `${type} ${key}`).toBe(type !== 'added');
            if (type === 'added') alive.add(key);
            if (type === 'deleted') alive.delete(key);
          }
        };
        for (const { key, act, event, relist } of steps) {
          const before = await store.revision();
          await store.commit([
            act === 'put' ? { type: 'put', key, value: new Uint8Array([49]) } : { type: 'delete', key },
          ]);
          const changed = (await store.revision()) > before;
          if (changed && event !== 'lost') {
            for await (const commit of store.watch('', { after: before })) {
              report(versions.observe(versionsOf(commit)));
              if (event === 'twice') report(versions.observe(versionsOf(commit)));
              break;
            }
          }
          if (relist) report(versions.compare([versionPageOf(await store.versions(''))], false));
        }
        const expected = await store.versions('');
        report(versions.compare([versionPageOf(expected)], false));
        expect([...versions.entries()].sort()).toEqual(
          expected.keys.map((key, index) => [key, String(expected.revisions[index])]),
        );
        expect([...alive].sort()).toEqual(expected.keys);
      }),
      { numRuns: 300 },
    );
  });
});
