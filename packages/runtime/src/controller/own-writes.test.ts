import { Crate, VirtualClock, Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Registry } from '../registry/contract.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { lagging } from '../registry/forgetful-store.kit.ts';
import type { Store } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { currentReads } from './own-writes.ts';

let clock: VirtualClock;
let replica: ReturnType<typeof lagging>;
/** Of another process, whose reads are not behind. */
let other: EmbeddedRegistry;
let registry: Registry;

const opened = (store: Store) => new EmbeddedRegistry({ store, kinds: [Widget, Crate], clock });

beforeEach(() => {
  clock = new VirtualClock();
  const store = new MemoryStore();
  replica = lagging(store);
  other = opened(store);
  registry = currentReads(opened(replica.store));
});
afterEach(() => other.close());

const widgets = () => registry.resource(Widget);
const create = (name: string, of: Registry = registry) =>
  of.resource(Widget).create({ metadata: { name }, spec: { size: 1 } });
const isStale = { code: 'Unavailable', message: expect.stringContaining('stale read') };

describe('a read that is older than a write of this process', () => {
  it('of an object fails, until the store has caught up', async () => {
    await create('a');
    await replica.stop();
    await widgets().patch('a', { spec: { size: 2 } });
    await expect(widgets().get('a')).rejects.toMatchObject(isStale);
    replica.resume();
    expect((await widgets().get('a')).spec.size).toBe(2);
  });

  it('does not find an object that was created: that is not known to be absent', async () => {
    await replica.stop();
    await create('a');
    await expect(widgets().get('a')).rejects.toMatchObject(isStale);
    replica.resume();
    expect((await widgets().get('a')).metadata.name).toBe('a');
  });

  it('finds an object that was deleted: that is not known to exist', async () => {
    await create('a');
    await replica.stop();
    await widgets().delete('a');
    await expect(widgets().get('a')).rejects.toMatchObject(isStale);
    replica.resume();
    await expect(widgets().get('a')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('of a list fails, whichever object of the kind was written', async () => {
    await create('a');
    await replica.stop();
    await create('b');
    await expect(widgets().list()).rejects.toMatchObject(isStale);
    await expect(widgets().list({ limit: 1 })).rejects.toMatchObject(isStale);
    replica.resume();
    expect((await widgets().list()).items).toHaveLength(2);
  });

  it('fails in a registry with one more observer, too', async () => {
    const observed: string[] = [];
    const more = registry.observedBy({ written: (_version, keys) => observed.push(...keys) });
    await create('a', more);
    await replica.stop();
    await more.resource(Widget).patch('a', { spec: { size: 2 } });
    await expect(more.resource(Widget).get('a')).rejects.toMatchObject(isStale);
    await expect(widgets().get('a')).rejects.toMatchObject(isStale);
    expect(observed).toHaveLength(2);
  });

  it('succeeds a minute later: that is a restored store', async () => {
    await create('a');
    await replica.stop();
    await widgets().patch('a', { spec: { size: 2 } });
    await clock.advance(59_999);
    await expect(widgets().get('a')).rejects.toMatchObject(isStale);
    await expect(widgets().list()).rejects.toMatchObject(isStale);
    await clock.advance(1);
    expect((await widgets().get('a')).spec.size).toBe(1);
    expect((await widgets().list()).items[0]?.spec.size).toBe(1);
  });

  it('succeeds if more than a thousand objects were written since', async () => {
    await create('a');
    await replica.stop();
    await widgets().patch('a', { spec: { size: 2 } });
    for (let number = 0; number < 1_022; number++) await create(`b-${number}`);
    await expect(widgets().get('a')).rejects.toMatchObject(isStale);
    await create('c');
    expect((await widgets().get('a')).spec.size).toBe(1);
    await expect(widgets().list()).rejects.toMatchObject(isStale);
  });
});

describe('other reads', () => {
  it('succeed: of objects that others have written, of other kinds, of a given version, of further pages', async () => {
    await create('a', other);
    await create('b', other);
    const first = await widgets().list({ limit: 1 });
    await replica.stop();
    await other.resource(Widget).patch('a', { spec: { size: 2 } });
    await create('c');
    expect((await widgets().get('a')).spec.size).toBe(1);
    expect((await registry.resource(Crate).list()).items).toEqual([]);
    expect((await widgets().list({ resourceVersion: first.resourceVersion })).items).toHaveLength(2);
    const { continue: token = '' } = first;
    expect((await widgets().list({ continue: token })).items).toHaveLength(1);
    await expect(widgets().get('d')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('find an object that one server does not know yet and another does', async () => {
    await create('a');
    const isBehind = new Proxy(replica.store, {
      get(target, property) {
        if (property === 'get') return async () => undefined;
        const value = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const own = currentReads(opened(isBehind));
    await own
      .resource(Widget)
      .updateStatus({ metadata: { name: 'a' }, status: { phase: 'x' } })
      .catch(() => {});
    await create('b', own);
    expect((await own.resource(Widget).get('b')).metadata.name).toBe('b');
  });
});

describe('a restored store', () => {
  it('protects the writes after its restoration, whose versions are lower', async () => {
    for (let size = 1; size <= 5; size++) await widgets().apply({ metadata: { name: 'a' }, spec: { size } });
    const restored = lagging(new MemoryStore());
    let current: Store = replica.store;
    const switched = new Proxy(replica.store, {
      get(_, property) {
        const value = Reflect.get(current, property);
        return typeof value === 'function' ? value.bind(current) : value;
      },
    });
    registry = currentReads(opened(switched));
    await widgets().patch('a', { spec: { size: 9 } });
    current = restored.store;
    await clock.advance(60_000);
    await create('a');
    await restored.stop();
    await widgets().patch('a', { spec: { size: 3 } });
    await expect(widgets().get('a')).rejects.toMatchObject(isStale);
  });
});
