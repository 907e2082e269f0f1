import { Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import type { ObjectPlace } from './contract.ts';
import { EmbeddedRegistry } from './embedded.ts';

let registry: EmbeddedRegistry;
beforeEach(() => {
  registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget] });
});
afterEach(() => registry.close());

const widgets = () => registry.resource(Widget);
const places = (...names: string[]): ObjectPlace[] => names.map((name) => ({ name, namespace: 'default' }));
const sized =
  (size: number) =>
  ({ name, namespace }: ObjectPlace) => ({ metadata: { name, namespace }, spec: { size } });
const sizes = async () => (await widgets().list()).items.map(({ metadata, spec }) => `${metadata.name} ${spec.size}`);

describe('several objects in one commit', () => {
  it('are created and updated together, under one revision', async () => {
    await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
    const before = await registry.revision();
    await widgets().changeAll(places('a', 'b', 'c'), (place, known) =>
      known ? { ...known, spec: { ...known.spec, size: known.spec.size + 1 } } : sized(7)(place),
    );
    expect(await sizes()).toEqual(['a 2', 'b 7', 'c 7']);
    const { items } = await widgets().list();
    expect(items.map(({ metadata }) => Number(metadata.resourceVersion) - before)).toEqual([1, 1, 1]);
    expect(items.map(({ metadata }) => metadata.generation)).toEqual([2, 1, 1]);
    expect(new Set(items.map(({ metadata }) => metadata.uid)).size).toBe(3);
  });

  it('are not written if nothing changes', async () => {
    await widgets().changeAll(places('a', 'b'), sized(1));
    const before = await registry.revision();
    await widgets().changeAll(places('a', 'b', 'c'), (_, known) => known);
    expect(await registry.revision()).toBe(before);
  });

  it('are all rejected if one of them is invalid', async () => {
    await expect(
      widgets().changeAll(places('a', 'b'), (place) => sized(place.name === 'b' ? -1 : 1)(place)),
    ).rejects.toMatchObject({ code: 'Invalid' });
    expect(await sizes()).toEqual([]);
  });

  it('are computed again from the newest versions after a conflict', async () => {
    await widgets().changeAll(places('a', 'b'), sized(1));
    let overtakes = 2;
    const { store } = registry;
    const plain = widgets();
    registry = new EmbeddedRegistry({
      store: new Proxy(store, {
        get(target, property) {
          const value = Reflect.get(target, property);
          if (property !== 'commit') return typeof value === 'function' ? value.bind(target) : value;
          return async (writes: Parameters<typeof target.commit>[0]) => {
            if (overtakes-- > 0) await plain.patch('b', { spec: { size: 10 + overtakes } });
            return target.commit(writes);
          };
        },
      }),
      kinds: [Widget],
    });
    await widgets().changeAll(
      places('a', 'b'),
      (_, known) => known && { ...known, spec: { ...known.spec, size: known.spec.size + 1 } },
    );
    expect(await sizes()).toEqual(['a 2', 'b 11']);
  });

  it('are rejected after another leader raised the fence, and may fill a commit to its limit', async () => {
    const fenced = registry.fencedBy(await registry.raiseFence('leader')).resource(Widget);
    const many = (count: number) => places(...Array.from({ length: count }, (_, index) => `w${index}`));
    await fenced.changeAll(many(limits.commitWritesMax - 1), sized(1));
    expect(await sizes()).toHaveLength(limits.commitWritesMax - 1);
    await expect(fenced.changeAll(many(limits.commitWritesMax), sized(2))).rejects.toMatchObject({
      code: 'BadRequest',
    });
    await registry.raiseFence('leader');
    await expect(fenced.changeAll(places('w0'), sized(3))).rejects.toMatchObject({ code: 'Fenced' });
    expect((await sizes()).every((line) => line.endsWith(' 1'))).toBe(true);
  });
});
