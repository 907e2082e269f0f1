import { Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { keyOf } from '../registry/keys.ts';
import { SharedStore } from './shared-store.ts';

async function start() {
  const store = new SharedStore();
  const widgets = new EmbeddedRegistry({ store, kinds: [Widget] }).resource(Widget);
  await widgets.create({ metadata: { name: 'a' }, spec: { size: 1 } });
  return { store, widgets, key: keyOf(Widget, 'default', 'a') };
}

describe('SharedStore', () => {
  it('parses each version once, for oracles and registries', async () => {
    const { store, widgets, key } = await start();
    const { spec } = await widgets.get('a');
    expect((await widgets.get('a')).spec).toBe(spec);
    expect(store.json(key)).toHaveProperty('spec', spec);
    await widgets.patch('a', { spec: { size: 2 } });
    expect(store.json(key)).toHaveProperty('spec.size', 2);
    expect(spec.size).toBe(1);
  });

  it('shares values, which cannot be changed', async () => {
    const { widgets } = await start();
    const { spec } = await widgets.get('a');
    expect(() => Object.assign(spec, { size: 3 })).toThrow(TypeError);
    expect((await widgets.get('a')).spec.size).toBe(1);
  });

  it('has the entries of the newest revision', async () => {
    const { store, widgets, key } = await start();
    expect(store.contents.get(key)).toMatchObject({ revision: 1, created: 1 });
    await widgets.patch('a', { spec: { size: 2 } });
    expect(store.contents.get(key)).toMatchObject({ revision: 2, created: 1 });
    await widgets.delete('a');
    expect([...store.contents.keys()]).toEqual([]);
    expect(store.newest).toBe(3);
  });
});
