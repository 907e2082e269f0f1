import { Crate, Widget } from '@ecsm/runtime/testing';
import { expect, it } from 'vitest';
import { SharedReads } from '../informer/shared-reads.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { keyOf } from '../registry/keys.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { generationChanged, labelsChanged } from './predicate.ts';
import { controllerReference, ownedBy, Source, type SourceInformer, watchOf } from './source.ts';

/** `versionOf`: the version that was observed of a key. */
const informer = (versionOf: SourceInformer['versionOf'] = () => undefined): SourceInformer => ({
  versionOf,
  reads: new SharedReads(),
});

it('enqueues the change of an object that was already read with an earlier change', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget] });
  const widgets = registry.resource(Widget);
  const older = (await widgets.create({ metadata: { name: 'a' }, spec: { size: 1 } })).metadata.resourceVersion;
  const newer = (await widgets.patch('a', { spec: { size: 2 } })).metadata.resourceVersion;
  const key = keyOf(Widget, 'default', 'a');
  let seen = older;
  const source = new Source(
    registry,
    Widget,
    { kind: Widget, predicates: [generationChanged] },
    informer(() => seen),
  );
  const requests = (type: 'added' | 'updated', version: string) =>
    source.requests({ type, key, version, relisted: false, initial: false });

  // The change reports the first version, but the second one is read.
  expect(await requests('added', older)).toHaveLength(1);
  seen = newer;
  expect(await requests('updated', newer)).toHaveLength(1);
  expect(await requests('updated', newer)).toHaveLength(0);
  await registry.close();
});

it('enqueues a recreated object with the same digest as its predecessor', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget] });
  const widgets = registry.resource(Widget);
  const key = keyOf(Widget, 'default', 'a');
  const source = new Source(registry, Widget, { kind: Widget, predicates: [labelsChanged] }, informer());
  const requests = (type: 'added' | 'deleted', version: string) =>
    source.requests({ type, key, version, relisted: false, initial: false });
  const create = async () => (await widgets.create({ metadata: { name: 'a' }, spec: {} })).metadata.resourceVersion;
  expect(await requests('added', await create())).toHaveLength(1);
  await widgets.delete('a');
  expect(await requests('deleted', String(await registry.revision()))).toHaveLength(1);
  expect(await requests('added', await create())).toHaveLength(1);
  await registry.close();
});

it('enqueues the former and the new owner when the owner changes, and no owner that is not the controller', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget, Crate] });
  const crates = registry.resource(Crate);
  const source = new Source(registry, Widget, { kind: Crate, map: ownedBy(Widget) }, informer());
  const reference = (name: string, controller: boolean) => ({
    apiVersion: Widget.apiVersion,
    kind: Widget.kind,
    name,
    uid: `uid-of-${name}`,
    controller,
  });
  const enqueued = async (type: 'added' | 'updated' | 'deleted', version: string) => {
    const key = keyOf(Crate, 'default', 'part');
    const requests = await source.requests({ type, key, version, relisted: false, initial: false });
    return requests.map(({ key }) => key.split('/').at(-1));
  };
  const ownedByFirst = [reference('first', true), reference('bystander', false)];
  const created = await crates.create({ metadata: { name: 'part', ownerReferences: ownedByFirst }, spec: {} });
  expect(await enqueued('added', created.metadata.resourceVersion)).toEqual(['first']);
  const moved = await crates.patch('part', { metadata: { ownerReferences: [reference('second', true)] } });
  expect(await enqueued('updated', moved.metadata.resourceVersion)).toEqual(['first', 'second']);
  await crates.delete('part');
  expect(await enqueued('deleted', moved.metadata.resourceVersion)).toEqual(['second']);
  await registry.close();
});

it('enqueues the owner that a dependent object names as its controller', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget, Crate] });
  const owner = await registry.resource(Widget).create({ metadata: { name: 'first' }, spec: {} });
  const ownerReferences = [controllerReference(owner)];
  const part = await registry.resource(Crate).create({ metadata: { name: 'part', ownerReferences }, spec: {} });
  expect(part.metadata.ownerReferences).toEqual([
    { apiVersion: 'example.io/v1', kind: 'Widget', name: 'first', uid: owner.metadata.uid, controller: true },
  ]);
  expect(ownedBy(Widget)(part)).toEqual([{ name: 'first', namespace: 'default' }]);
  await registry.close();
});

it('maps an object of a watched kind by its spec', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget, Crate] });
  const watch = watchOf(Crate, ({ spec }) => (spec.label === undefined ? [] : [{ name: spec.label }]));
  const source = new Source(registry, Widget, watch, informer());
  const { metadata } = await registry.resource(Crate).create({ metadata: { name: 'part' }, spec: { label: 'first' } });
  const key = keyOf(Crate, 'default', 'part');
  const change = { type: 'added', key, version: metadata.resourceVersion, relisted: false, initial: false } as const;
  expect(await source.requests(change)).toMatchObject([{ key: keyOf(Widget, 'default', 'first') }]);
  await registry.close();
});

it('accepts an older object than that of the change once the informer has listed a restored registry', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget] });
  const { metadata } = await registry.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
  const key = keyOf(Widget, 'default', 'a');
  const change = { type: 'updated', key, version: '100', relisted: false, initial: false } as const;
  let seen: string = change.version;
  const watch = { kind: Widget, predicates: [generationChanged] };
  const source = new Source(
    registry,
    Widget,
    watch,
    informer(() => seen),
  );
  await expect(source.requests(change)).rejects.toMatchObject({ code: 'Unavailable' });
  seen = metadata.resourceVersion;
  expect(await source.requests(change)).toHaveLength(1);
  await registry.close();
});
