import { expect, it } from 'vitest';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { keyOf } from '../registry/keys.ts';
import { Crate, Widget } from '../registry/widget.kit.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { generationChanged, labelsChanged } from './predicate.ts';
import { ownedBy, Source } from './source.ts';

it('lets the change through that brought an object seen before its time', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget] });
  const widgets = registry.resource(Widget);
  const older = (await widgets.create({ metadata: { name: 'a' }, spec: { size: 1 } })).metadata.resourceVersion;
  const newer = (await widgets.patch('a', { spec: { size: 2 } })).metadata.resourceVersion;
  const key = keyOf(Widget, 'default', 'a');
  let seen = older;
  const source = new Source(registry, Widget, { kind: Widget, predicates: [generationChanged] }, () => seen);
  const wakes = (type: 'added' | 'updated', version: string) =>
    source.wakes({ type, key, version, relisted: false, initial: false });

  // A late list tells of the first version, though the second is what can be read by now.
  expect(await wakes('added', older)).toHaveLength(1);
  seen = newer;
  expect(await wakes('updated', newer)).toHaveLength(1);
  expect(await wakes('updated', newer)).toHaveLength(0);
  await registry.close();
});

it('wakes for a new object of an old name, though its digest is that of the one before', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget] });
  const widgets = registry.resource(Widget);
  const key = keyOf(Widget, 'default', 'a');
  const source = new Source(registry, Widget, { kind: Widget, predicates: [labelsChanged] }, () => undefined);
  const wakes = (type: 'added' | 'deleted', version: string) =>
    source.wakes({ type, key, version, relisted: false, initial: false });
  const create = async () => (await widgets.create({ metadata: { name: 'a' }, spec: {} })).metadata.resourceVersion;
  expect(await wakes('added', await create())).toHaveLength(1);
  await widgets.delete('a');
  expect(await wakes('deleted', String(await registry.revision()))).toHaveLength(1);
  expect(await wakes('added', await create())).toHaveLength(1);
  await registry.close();
});

it('wakes the owner before and the owner after when an object changes hands, and no owner that is not its controller', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget, Crate] });
  const crates = registry.resource(Crate);
  const source = new Source(registry, Widget, { kind: Crate, map: ownedBy(Widget) }, () => undefined);
  const reference = (name: string, controller: boolean) => ({
    apiVersion: Widget.apiVersion,
    kind: Widget.kind,
    name,
    uid: `uid-of-${name}`,
    controller,
  });
  const woken = async (type: 'added' | 'updated' | 'deleted', version: string) => {
    const key = keyOf(Crate, 'default', 'part');
    const wakes = await source.wakes({ type, key, version, relisted: false, initial: false });
    return wakes.map((wake) => wake.key.split('/').at(-1));
  };
  const ownedByFirst = [reference('first', true), reference('bystander', false)];
  const made = await crates.create({ metadata: { name: 'part', ownerReferences: ownedByFirst }, spec: {} });
  expect(await woken('added', made.metadata.resourceVersion)).toEqual(['first']);
  const moved = await crates.patch('part', { metadata: { ownerReferences: [reference('second', true)] } });
  expect(await woken('updated', moved.metadata.resourceVersion)).toEqual(['first', 'second']);
  await crates.delete('part');
  expect(await woken('deleted', moved.metadata.resourceVersion)).toEqual(['second']);
  await registry.close();
});
