import { Crate, Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError, isApiError } from '../api/errors.ts';
import type { ApiObject } from '../api/object.ts';
import type { Store } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { EmbeddedRegistry } from './embedded.ts';
import { forgetful } from './forgetful-store.kit.ts';
import { collectGarbage, sweepGarbage } from './garbage.ts';
import { keyOf, prefixOf } from './keys.ts';
import { bare } from './registries.kit.ts';

let registry: EmbeddedRegistry;
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  registry = new EmbeddedRegistry({ store: new MemoryStore({ logCommitsMax: 100 }), kinds: [Widget, Crate] });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
  await registry.close();
});

const start = () => {
  running = collectGarbage(registry, { signal: stop.signal });
};
const crate = (name: string, namespace = 'default') =>
  registry.resource(Crate).create({ metadata: { name, namespace }, spec: {} });
const gone = { apiVersion: Crate.apiVersion, kind: Crate.kind, name: 'gone', uid: 'nobody' };
const ownedBy = (...owners: ApiObject<unknown, unknown>[]) =>
  owners.map(({ apiVersion, kind, metadata: { name, uid } }) => ({ apiVersion, kind, name, uid }));
const widget = (name: string, ...owners: ApiObject<unknown, unknown>[]) =>
  registry.resource(Widget).create({ metadata: { name, ownerReferences: ownedBy(...owners) }, spec: {} });
const names = async () => (await registry.resource(Widget).list()).items.map((item) => item.metadata.name);
const untilNames = (expected: string[]) => expect.poll(names, { interval: 5 }).toEqual(expected);

describe('garbage collection', () => {
  it('deletes the dependents of a deleted owner, and keeps other objects', async () => {
    const [first, second] = [await crate('first'), await crate('second')];
    await widget('owned', first);
    await widget('shared', first, second);
    await widget('other', second);
    await widget('free');
    start();
    await registry.resource(Crate).delete('first');
    await untilNames(['free', 'other', 'shared']);
    await registry.resource(Crate).delete('second');
    await untilNames(['free']);
  });

  it('deletes dependents of dependents', async () => {
    const top = await crate('top');
    const middle = await widget('middle', top);
    await widget('bottom', middle);
    start();
    await registry.resource(Crate).delete('top');
    await untilNames([]);
  });

  it('does not let a dependent wait for its own dependents if nothing waits for it', async () => {
    const top = await crate('top');
    const middle = await widget('middle', top);
    const blocking = ownedBy(middle).map((owner) => ({ ...owner, blockOwnerDeletion: true }));
    const metadata = { name: 'bottom', ownerReferences: blocking, finalizers: ['example.io/wait'] };
    await registry.resource(Widget).create({ metadata, spec: {} });
    start();
    await registry.resource(Crate).delete('top');
    await untilNames(['bottom']);
    await registry.resource(Widget).patch('bottom', { metadata: { finalizers: null } });
    await untilNames([]);
  });

  it('deletes an orphan with one write, and changes nothing of it before', async () => {
    const [box, other] = [await crate('box'), await crate('other')];
    const middle = await widget('middle', box);
    await widget('bottom', middle);
    await registry.resource(Crate).delete('box');
    const before = await registry.revision();
    expect(await sweepGarbage(registry)).toBe(1);
    expect(await registry.revision()).toBe(before + 1);
    expect(other.metadata.resourceVersion).toBe((await registry.resource(Crate).get('other')).metadata.resourceVersion);
  });

  it('knows the dependents of an object that was changed while another one waits for its own', async () => {
    const [waiting, keep] = [await crate('waiting'), await crate('keep')];
    const blocking = ownedBy(waiting).map((owner) => ({ ...owner, blockOwnerDeletion: true }));
    const metadata = { name: 'blocks', ownerReferences: blocking, finalizers: ['example.io/wait'] };
    await registry.resource(Widget).create({ metadata, spec: {} });
    const middle = await widget('middle', keep);
    await widget('bottom', middle);
    start();
    await registry.resource(Crate).delete('waiting', { propagationPolicy: 'Foreground' });
    await expect
      .poll(async () => (await registry.resource(Widget).get('blocks')).metadata.deletionTimestamp, { interval: 5 })
      .toBeDefined();
    await registry.resource(Widget).patch('middle', { metadata: { labels: { changed: 'yes' } } });
    await registry.resource(Widget).delete('middle');
    await untilNames(['blocks']);
    await registry.resource(Widget).patch('blocks', { metadata: { finalizers: null } });
    await untilNames([]);
  });

  it('works in every namespace, and keeps objects of the same names in others', async () => {
    const other = await crate('box', 'other');
    const same = await crate('box');
    await widget('owned', same);
    const inOther = (name: string, ...owners: ApiObject<unknown, unknown>[]) =>
      registry
        .resource(Widget)
        .create({ metadata: { name, namespace: 'other', ownerReferences: ownedBy(...owners) }, spec: {} });
    const namesIn = async (namespace: string) =>
      (await registry.resource(Widget).list({ namespace })).items.map(({ metadata }) => metadata.name);
    await inOther('owned', other);
    await inOther('second', other);
    const last = { name: 'z', namespace: 'other', ownerReferences: [gone] };
    await registry.resource(Widget).create({ metadata: last, spec: {} });
    start();
    // The first sweep has seen all of them, so the deletion of the owner is what deletes them.
    await expect.poll(() => namesIn('other'), { interval: 5 }).toEqual(['owned', 'second']);
    await registry.resource(Crate).delete('box', { namespace: 'other' });
    await expect.poll(() => namesIn('other'), { interval: 5 }).toEqual([]);
    expect(await namesIn('default')).toEqual(['owned']);
  });

  it('reads all objects once, and then only what changes', async () => {
    let lists = 0;
    class CountingStore extends MemoryStore {
      override async list(...request: Parameters<Store['list']>) {
        lists++;
        return super.list(...request);
      }
    }
    registry = new EmbeddedRegistry({ store: new CountingStore(), kinds: [Widget, Crate] });
    const isCollected = (name: string) =>
      registry
        .resource(Widget)
        .get(name)
        .then(
          () => false,
          (error: unknown) => isApiError(error, 'NotFound'),
        );
    const collected = async (name: string) => {
      await widget(name, await crate(name));
      await registry.resource(Crate).delete(name);
      await expect.poll(() => isCollected(name), { interval: 5 }).toBe(true);
    };
    start();
    // The first sweep, which may collect the first one, is over when the second one was collected.
    for (const name of ['first', 'second']) await collected(name);
    const before = lists;
    for (const name of ['third', 'fourth']) await collected(name);
    expect(lists).toBe(before);
  });

  it('finds orphans that were created while it was not running', async () => {
    const gone = await crate('gone');
    await widget('owned', gone);
    await widget('free');
    await registry.resource(Crate).delete('gone');
    expect(await sweepGarbage(registry)).toBe(1);
    expect(await names()).toEqual(['free']);
    expect(await sweepGarbage(registry)).toBe(0);
  });

  it('does not accept a new object of the same name as the owner', async () => {
    const old = await crate('box');
    await widget('owned', old);
    start();
    await registry.resource(Crate).delete('box');
    await crate('box');
    await untilNames([]);
  });

  it('deletes the dependents of the former owner after one of the same name was created, also if it starts later', async () => {
    const former = await crate('box');
    await widget('of-former', former);
    await registry.resource(Crate).delete('box');
    const present = await crate('box');
    await widget('of-present', present);
    expect(await sweepGarbage(registry)).toBe(1);
    expect(await names()).toEqual(['of-present']);
  });

  it('deletes a new dependent of the former owner while another object has its name', async () => {
    const former = await crate('box');
    await widget('first', former);
    start();
    await registry.resource(Crate).delete('box');
    await untilNames([]);
    const present = await crate('box');
    await widget('of-former', former);
    await widget('of-present', present);
    await untilNames(['of-present']);
  });

  it('keeps a dependent that was changed between its check and its deletion', async () => {
    const owner = await crate('box');
    await widget('owned', owner);
    await registry.resource(Crate).delete('box');
    const { store } = registry;
    const plain = registry;
    let releases = 0;
    // The owner is looked for; meanwhile the dependent is released from it.
    const get: Store['get'] = async (key, at) => {
      if (key === keyOf(Crate, 'default', 'box') && releases++ === 0) {
        await plain.resource(Widget).patch('owned', { metadata: { ownerReferences: null } });
      }
      return store.get(key, at);
    };
    const interrupted = new Proxy(store, {
      get(target, property) {
        if (property === 'get') return get;
        const value = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    expect(await sweepGarbage(new EmbeddedRegistry({ store: interrupted, kinds: [Widget, Crate] }))).toBe(0);
    expect(releases).toBe(1);
    expect(await names()).toEqual(['owned']);
  });

  it('keeps the dependents of an owner whose record is damaged', async () => {
    const owner = await crate('box');
    await widget('owned', owner);
    const damage = new TextEncoder().encode('{"not an object');
    await registry.store.commit([{ type: 'put', key: keyOf(Crate, 'default', 'box'), value: damage }]);
    expect(await sweepGarbage(registry)).toBe(0);
    expect(await names()).toEqual(['owned']);
    start();
    await registry.resource(Widget).patch('owned', { spec: { size: 2 } });
    await crate('gone');
    await widget('of-gone', await registry.resource(Crate).get('gone'));
    await registry.resource(Crate).delete('gone');
    await untilNames(['owned']);
  });

  it('deletes an object that is created for a deleted owner', async () => {
    start();
    const old = await crate('box');
    await registry.resource(Crate).delete('box');
    await widget('late', old);
    await untilNames([]);
  });

  it('keeps dependents while the owner waits for its finalizers', async () => {
    const made = await registry
      .resource(Crate)
      .create({ metadata: { name: 'slow', finalizers: ['example.io/wait'] }, spec: {} });
    await widget('owned', made);
    start();
    await registry.resource(Crate).delete('slow');
    await crate('later');
    expect(await names()).toEqual(['owned']);
    await registry.resource(Crate).patch('slow', { metadata: { finalizers: null } });
    await untilNames([]);
  });

  it('sets the deletion timestamp of a dependent with finalizers', async () => {
    const owner = await crate('box');
    await registry.resource(Widget).create({
      metadata: { name: 'slow', finalizers: ['example.io/wait'], ownerReferences: ownedBy(owner) },
      spec: {},
    });
    start();
    await registry.resource(Crate).delete('box');
    await expect
      .poll(async () => (await registry.resource(Widget).get('slow')).metadata.deletionTimestamp)
      .toBeDefined();
  });

  it('keeps objects whose owner is of an unknown kind', async () => {
    await registry.resource(Widget).create({
      metadata: {
        name: 'foreign',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', uid: 'u' }],
      },
      spec: {},
    });
    expect(await sweepGarbage(registry)).toBe(0);
    expect(await names()).toEqual(['foreign']);
  });

  it('finds orphans beyond the first page of a list', async () => {
    registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget, Crate] });
    const gone = await crate('gone');
    const count = 601;
    for (let n = 0; n < count; n++) await widget(`owned-${n}`, gone);
    await registry.resource(Crate).delete('gone');
    const list = registry.store.list.bind(registry.store);
    const pages: number[] = [];
    registry.store.list = async (prefix, options) => {
      const page = await list(prefix, options);
      pages.push(page.entries.length);
      return page;
    };
    expect(await sweepGarbage(registry)).toBe(count);
    registry.store.list = list;
    expect(await names()).toEqual([]);
    // More would need memory for all objects of a kind.
    expect(Math.max(...pages)).toBe(200);
  });

  it('finds all orphans although its own deletions compact the list that it reads', async () => {
    const gone = await crate('gone');
    for (let n = 0; n < 401; n++) await widget(`owned-${n}`, gone);
    await registry.resource(Crate).delete('gone');
    expect(await sweepGarbage(registry)).toBe(401);
    expect(await names()).toEqual([]);
  });

  it('sweeps again when its position was compacted', async () => {
    const owner = await crate('box');
    await widget('owned', owner);
    start();
    await registry.resource(Crate).delete('box');
    // In one turn, so that the collector cannot keep up: far more commits than the log keeps.
    await Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        registry.store.commit([{ type: 'put', key: `noise/${n}`, value: new Uint8Array([123, 125]) }]),
      ),
    );
    await untilNames([]);
  });

  it('sweeps periodically, so that a stale read is corrected', async () => {
    const { store, freeze, thaw } = forgetful(registry.store);
    registry = new EmbeddedRegistry({ store, kinds: [Widget, Crate] });
    const owner = await crate('box');
    await widget('owned', owner);
    await freeze(prefixOf(Crate));
    running = collectGarbage(registry, { signal: stop.signal, sweepMs: 20 });
    await registry.store.commit([{ type: 'delete', key: keyOf(Crate, 'default', 'box') }]);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await names()).toEqual(['owned']);
    thaw();
    await untilNames([]);
  });
});

describe('a store that fails in the middle of a sweep', () => {
  class FailingStore extends MemoryStore {
    calls = 0;
    failsAt = Number.POSITIVE_INFINITY;

    override async get(...args: Parameters<MemoryStore['get']>): ReturnType<MemoryStore['get']> {
      this.#count();
      return super.get(...args);
    }

    override async commit(...args: Parameters<MemoryStore['commit']>): ReturnType<MemoryStore['commit']> {
      this.#count();
      return super.commit(...args);
    }

    #count(): void {
      if (this.calls++ === this.failsAt) throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
    }
  }

  const untilCrates = (expected: string[]) =>
    expect
      .poll(async () => (await registry.resource(Crate).list()).items.map(({ metadata }) => metadata.name), {
        interval: 5,
      })
      .toEqual(expected);

  /** The same store, of which one call of the collector fails. */
  function failing(store: Store) {
    const counter = { calls: 0, failsAt: Number.POSITIVE_INFINITY, watches: 0 };
    const view = new Proxy(store, {
      get(target, property) {
        const value = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (property === 'watch') counter.watches++;
          if ((property === 'get' || property === 'commit') && counter.calls++ === counter.failsAt) {
            return Promise.reject(new ApiError('Unavailable', { what: 'store', reason: 'down' }));
          }
          return value.apply(target, args);
        };
      },
    });
    return { view, counter };
  }

  /** Dependents of deleted, existing and waiting owners, in all policies. */
  async function world(): Promise<FailingStore> {
    const store = new FailingStore();
    registry = new EmbeddedRegistry({ store, kinds: [Widget, Crate] });
    const [left, right, orphaning, waiting] = [
      await crate('left'),
      await crate('right'),
      await crate('orphaning'),
      await crate('waiting'),
    ];
    await widget('shared', left, right);
    await widget('alone', left);
    await widget('released', orphaning);
    const blocking = ownedBy(waiting).map((owner) => ({ ...owner, blockOwnerDeletion: true }));
    const middle = await registry
      .resource(Widget)
      .create({ metadata: { name: 'first', ownerReferences: blocking }, spec: {} });
    await widget('last', middle);
    await registry.resource(Crate).delete('left');
    await registry.resource(Crate).delete('orphaning', { propagationPolicy: 'Orphan' });
    await registry.resource(Crate).delete('waiting', { propagationPolicy: 'Foreground' });
    store.calls = 0;
    return store;
  }

  it('ends the collector with its error at every call while it follows, and the next one does the rest', async () => {
    for (let failsAt = 0, isCompleted = false; !isCompleted; failsAt++) {
      registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget, Crate] });
      const [box, other] = [await crate('box'), await crate('other')];
      const blocking = ownedBy(box).map((owner) => ({ ...owner, blockOwnerDeletion: true }));
      await registry.resource(Widget).create({ metadata: { name: 'owned', ownerReferences: blocking }, spec: {} });
      await widget('shared', box, other);
      const { view, counter } = failing(registry.store);
      const end = new AbortController();
      const collecting = collectGarbage(new EmbeddedRegistry({ store: view, kinds: [Widget, Crate] }), {
        signal: end.signal,
      }).then(
        () => 'stopped',
        (error: unknown) => (isApiError(error, 'Unavailable') ? 'failed' : error),
      );
      await expect.poll(() => counter.watches, { interval: 2 }).toBe(1);
      counter.calls = 0;
      counter.failsAt = failsAt;
      await registry.resource(Crate).delete('box', { propagationPolicy: 'Foreground' });
      const done = untilNames(['shared']).then(() => untilCrates(['other']));
      const first = await Promise.race([collecting, done.then(() => 'done')]);
      isCompleted = counter.calls <= failsAt;
      expect([failsAt, first]).toEqual([failsAt, isCompleted ? 'done' : 'failed']);
      end.abort();
      await collecting;
      running = collectGarbage(registry, { signal: stop.signal });
      await done;
      stop.abort();
      await running;
      stop = new AbortController();
    }
  });

  it('ends the sweep with its error at every call, and the next ones do the rest', async () => {
    let isCompleted = false;
    for (let failsAt = 0; !isCompleted; failsAt++) {
      const store = await world();
      store.failsAt = failsAt;
      const failed = await sweepGarbage(registry).then(
        () => false,
        (error: unknown) => isApiError(error, 'Unavailable'),
      );
      isCompleted = store.calls <= failsAt;
      expect([failsAt, failed]).toEqual([failsAt, !isCompleted]);
      store.failsAt = Number.POSITIVE_INFINITY;
      for (let sweeps = 0; sweeps < 3; sweeps++) await sweepGarbage(registry);
      expect(await names()).toEqual(['released', 'shared']);
      expect((await registry.resource(Crate).list()).items.map(({ metadata }) => metadata.name)).toEqual(['right']);
      const { items } = await registry.resource(Widget).list();
      expect(items.map(({ metadata }) => metadata.ownerReferences?.map(({ name }) => name))).toEqual([
        undefined,
        ['right'],
      ]);
    }
  });
});

it('does nothing on a registry without the capability', async () => {
  await registry.resource(Widget).create({ metadata: { name: 'owned', ownerReferences: [gone] }, spec: {} });
  running = collectGarbage(bare(registry), { signal: stop.signal });
  expect(await sweepGarbage(bare(registry))).toBe(0);
  expect((await registry.resource(Widget).list()).items).toHaveLength(1);
  stop.abort();
  await running;
});
