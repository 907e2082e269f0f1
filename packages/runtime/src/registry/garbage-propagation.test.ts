/** Deletions with a policy for dependents, by the garbage collector. */
import { Crate, Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isApiError } from '../api/errors.ts';
import type { ApiObject } from '../api/object.ts';
import type { Store } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { EmbeddedRegistry } from './embedded.ts';
import { collectGarbage, sweepGarbage } from './garbage.ts';
import { keyOf } from './keys.ts';
import type { PropagationPolicy } from './propagation.ts';

let registry: EmbeddedRegistry;
let stop: AbortController;
let running: Promise<void> | undefined;

beforeEach(() => {
  registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Crate, Widget] });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
  running = undefined;
  await registry.close();
});

const start = () => {
  running = collectGarbage(registry, { signal: stop.signal });
};

const crate = (name: string, finalizers: string[] = []) =>
  registry.resource(Crate).create({ metadata: { name, finalizers }, spec: {} });

interface Owned {
  readonly blocks?: boolean;
  readonly finalizers?: string[];
}

const widget = (
  name: string,
  owners: readonly ApiObject<unknown, unknown>[],
  { blocks = true, finalizers = [] }: Owned = {},
) => {
  const ownerReferences = owners.map(({ apiVersion, kind, metadata }) => ({
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    blockOwnerDeletion: blocks,
  }));
  return registry.resource(Widget).create({ metadata: { name, finalizers, ownerReferences }, spec: {} });
};

const widgets = async () => {
  const { items } = await registry.resource(Widget).list();
  return items.map(({ metadata }) => [metadata.name, metadata.ownerReferences?.map(({ name }) => name) ?? []]);
};
const crates = async () => (await registry.resource(Crate).list()).items.map(({ metadata }) => metadata.name);
const remove = (name: string, propagationPolicy: PropagationPolicy) =>
  registry.resource(Crate).delete(name, { propagationPolicy });
const release = (name: string) => registry.resource(Widget).patch(name, { metadata: { finalizers: null } });
const until = (read: () => Promise<unknown>, expected: unknown) => expect.poll(read, { interval: 5 }).toEqual(expected);

describe('a deletion with the policy Orphan', () => {
  it('keeps the dependents, without their reference, and then removes the object', async () => {
    const [box, other] = [await crate('box'), await crate('other')];
    await widget('only', [box]);
    await widget('shared', [box, other]);
    start();
    const marked = await remove('box', 'Orphan');
    expect(marked?.metadata).toMatchObject({ finalizers: ['orphan'], deletionTimestamp: expect.any(String) });
    await until(crates, ['other']);
    expect(await widgets()).toEqual([
      ['only', []],
      ['shared', ['other']],
    ]);
  });

  it('is completed by a sweep if it began while no collector was running', async () => {
    const box = await crate('box');
    await widget('owned', [box]);
    await remove('box', 'Orphan');
    expect(await sweepGarbage(registry)).toBe(0);
    expect(await crates()).toEqual([]);
    expect(await widgets()).toEqual([['owned', []]]);
  });

  it('is given up by a later deletion in the background, which returns the object without its finalizer', async () => {
    await crate('box');
    expect((await remove('box', 'Orphan'))?.metadata.finalizers).toEqual(['orphan']);
    const gone = await remove('box', 'Background');
    expect(gone?.metadata.name).toBe('box');
    expect(gone?.metadata).not.toHaveProperty('finalizers');
    expect(await crates()).toEqual([]);
  });

  it('leaves the object if a dependent cannot be released', async () => {
    const box = await crate('box');
    await widget('owned', [box]);
    await remove('box', 'Orphan');
    const { store } = registry;
    const plain = registry;
    let size = 1;
    // Another writer changes the dependent after every read.
    const get: Store['get'] = async (key, at) => {
      const found = await store.get(key, at);
      if (key === keyOf(Widget, 'default', 'owned'))
        await plain.resource(Widget).patch('owned', { spec: { size: size++ } });
      return found;
    };
    const busy = new Proxy(store, {
      get(target, property) {
        if (property === 'get') return get;
        const value = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await sweepGarbage(new EmbeddedRegistry({ store: busy, kinds: [Crate, Widget] }));
    expect(size).toBeGreaterThan(2);
    expect(await crates()).toEqual(['box']);
    expect(await widgets()).toEqual([['owned', ['box']]]);
  });
});

describe('a deletion with the policy Foreground', () => {
  it('removes the object after the dependents that block it', async () => {
    const box = await crate('box');
    await widget('slow', [box], { finalizers: ['example.io/wait'] });
    await widget('quick', [box]);
    start();
    await remove('box', 'Foreground');
    await until(widgets, [['slow', ['box']]]);
    expect(await crates()).toEqual(['box']);
    await release('slow');
    await until(crates, []);
    expect(await widgets()).toEqual([]);
  });

  it('also removes a dependent that is created while the object waits', async () => {
    const box = await crate('box');
    await widget('slow', [box], { finalizers: ['example.io/wait'] });
    start();
    await remove('box', 'Foreground');
    const isDeleted = async () =>
      (await registry.resource(Widget).get('slow')).metadata.deletionTimestamp !== undefined;
    await until(isDeleted, true);
    await widget('late', [box]);
    await until(widgets, [['slow', ['box']]]);
    await release('slow');
    await until(crates, []);
  });

  it('does not wait for dependents that do not block it', async () => {
    const box = await crate('box');
    await widget('slow', [box], { finalizers: ['example.io/wait'], blocks: false });
    start();
    await remove('box', 'Foreground');
    await until(crates, []);
    expect((await registry.resource(Widget).get('slow')).metadata.deletionTimestamp).toBeDefined();
  });

  it('deletes the dependents of dependents first', async () => {
    const box = await crate('box');
    const middle = await widget('middle', [box]);
    await widget('bottom', [middle], { finalizers: ['example.io/wait'] });
    start();
    await remove('box', 'Foreground');
    const isDeleted = async () =>
      (await registry.resource(Widget).get('bottom')).metadata.deletionTimestamp !== undefined;
    await until(isDeleted, true);
    expect(await crates()).toEqual(['box']);
    expect((await registry.resource(Widget).get('middle')).metadata.finalizers).toEqual(['foregroundDeletion']);
    await release('bottom');
    await until(crates, []);
    expect(await widgets()).toEqual([]);
  });

  it('keeps a dependent that has another owner', async () => {
    const [box, other] = [await crate('box'), await crate('other')];
    await widget('shared', [box, other]);
    start();
    await remove('box', 'Foreground');
    await until(crates, ['other']);
    expect(await widgets()).toEqual([['shared', ['other']]]);
  });

  it('deletes a dependent that is created meanwhile', async () => {
    const box = await crate('box');
    await widget('slow', [box], { finalizers: ['example.io/wait'] });
    start();
    await remove('box', 'Foreground');
    await widget('late', [box]);
    await until(widgets, [['slow', ['box']]]);
    await release('slow');
    await until(crates, []);
  });

  it('removes the object when a dependent is released from it', async () => {
    const box = await crate('box');
    await widget('slow', [box], { finalizers: ['example.io/wait'] });
    start();
    await remove('box', 'Foreground');
    await until(
      async () => (await registry.resource(Widget).get('slow')).metadata.deletionTimestamp !== undefined,
      true,
    );
    await registry.resource(Widget).patch('slow', { metadata: { ownerReferences: null } });
    await until(crates, []);
  });

  it('ends although objects own each other', async () => {
    const first = await crate('first');
    const second = await widget('second', [first]);
    const { apiVersion, kind, metadata } = second;
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, blockOwnerDeletion: true };
    await registry.resource(Crate).patch('first', { metadata: { ownerReferences: [owner] } });
    start();
    await remove('first', 'Foreground');
    await until(crates, []);
    await until(widgets, []);
  });

  it('becomes another one with a later deletion', async () => {
    const box = await crate('box');
    await widget('slow', [box], { finalizers: ['example.io/wait'] });
    expect((await remove('box', 'Foreground'))?.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect((await registry.resource(Crate).delete('box'))?.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect((await remove('box', 'Orphan'))?.metadata.finalizers).toEqual(['orphan']);
    expect((await remove('box', 'Background'))?.metadata).not.toHaveProperty('finalizers');
    const gone = await registry
      .resource(Crate)
      .get('box')
      .catch((error: unknown) => error);
    expect(isApiError(gone, 'NotFound')).toBe(true);
  });

  it('is completed by a sweep if it began while no collector was running', async () => {
    const box = await crate('box');
    await widget('owned', [box]);
    await remove('box', 'Foreground');
    expect(await sweepGarbage(registry)).toBe(1);
    expect([await crates(), await widgets()]).toEqual([[], []]);
  });
});
