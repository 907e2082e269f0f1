/** Goal: a second kind with a controller costs one more watch, not one for each use. Method: a store that counts them. */
import { Crate, Widget } from '@ecsm/runtime/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WatchedStore } from '../informer/watches.kit.ts';
import { Manager } from '../manager/manager.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { Controller } from './controller.ts';
import { controllerReference, ownedBy } from './source.ts';

const eventually = (look: () => unknown) => expect.poll(look, { interval: 2 });

/** One controller creates a crate for each widget, another one labels crates. Both watch crates, and a third widgets. */
function shop() {
  const store = new WatchedStore();
  const registry = new EmbeddedRegistry({ store, kinds: [Widget, Crate] });
  const seen: string[] = [];
  const widgetController = new Controller({
    name: 'widgets',
    kind: Widget,
    watches: [{ kind: Crate, map: ownedBy(Widget) }],
    async reconcile({ name }, { get, registry: own }) {
      const widget = await get();
      if (!widget) return;
      const ownerReferences = [controllerReference(widget)];
      const { object } = await own.resource(Crate).apply({ metadata: { name, ownerReferences }, spec: {} });
      await own.resource(Widget).updateStatus({ ...widget, status: { phase: object.spec.label ?? 'waiting' } });
    },
  });
  const crateController = new Controller({
    name: 'crates',
    kind: Crate,
    async reconcile({ name }, { get, registry: own }) {
      if (await get()) await own.resource(Crate).patch(name, { spec: { label: `of ${name}` } });
    },
  });
  const audit = new Controller({
    name: 'audit',
    kind: Widget,
    reconcile: async ({ name }) => void seen.push(name),
  });
  const manager = new Manager({ registry }).add(widgetController).add(crateController).add(audit);
  const end = new AbortController();
  const running = manager.run({ signal: end.signal });
  const stop = async () => {
    end.abort();
    await running;
  };
  onTestFinished(stop);
  return { store, registry, seen, stop };
}

describe('controllers of one manager', () => {
  it('share one list and one watch for each of two kinds, and leave none open', async () => {
    const { store, registry, seen, stop } = shop();
    const phase = async (name: string) => (await registry.resource(Widget).get(name)).status?.phase;
    for (const name of ['a', 'b']) await registry.resource(Widget).create({ metadata: { name }, spec: {} });
    for (const name of ['a', 'b']) await eventually(() => phase(name)).toBe(`of ${name}`);
    await eventually(() => new Set(seen)).toEqual(new Set(['a', 'b']));
    expect([...store.watches].sort()).toEqual(['example.io/v1/crates/', 'example.io/v1/widgets/']);
    expect(store.lists).toBe(2);
    await stop();
    expect(store.watches).toEqual([]);
  });
});
