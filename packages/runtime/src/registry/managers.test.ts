/** What the embedded registry adds to the managers of Kubernetes: writers without a name, and the old annotation. */
import { Widget } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { JSON_DEPTH_MAX, type JsonValue } from '../api/json.ts';
import { defineKind } from '../api/kind.ts';
import { KindSet } from '../api/kind-set.ts';
import { lastAppliedAnnotation } from '../api/managed-fields/migration.ts';
import { anything, object } from '../api/schema/build.ts';
import { MemoryStore } from '../store/memory/store.ts';
import type { Resource } from './contract.ts';
import { EmbeddedRegistry } from './embedded.ts';

describe('an embedded registry', () => {
  let registry: EmbeddedRegistry;
  const widgets = () => registry.resource(Widget);
  const named = (spec: object) => ({ metadata: { name: 'a' }, spec });
  type WidgetObject = Awaited<ReturnType<ReturnType<typeof widgets>['get']>>;
  const ownersOf = ({ metadata }: WidgetObject) =>
    metadata.managedFields?.map(({ manager, operation, fieldsV1 }) => [`${manager} ${operation}`, fieldsV1]);

  beforeEach(() => {
    registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: new KindSet([Widget]) });
  });

  it('records no managers if no write names one', async () => {
    const made = await widgets().create(named({ size: 2 }));
    await widgets().update({ ...made, spec: { size: 3 } });
    await widgets().patch('a', { spec: { size: 4 } });
    expect((await widgets().get('a')).metadata).not.toHaveProperty('managedFields');
  });

  it('records writes without a manager as those of unknown once an object has managers, except for its status', async () => {
    await widgets().apply(named({ size: 2, note: 'n' }));
    const patched = await widgets().patch('a', { spec: { size: 3 } });
    expect(ownersOf(patched)).toEqual([
      ['ecsm Apply', { 'f:spec': { 'f:note': {} } }],
      ['unknown Update', { 'f:spec': { 'f:size': {} } }],
    ]);
    const { managedFields: _, ...metadata } = patched.metadata;
    const updated = await widgets().update({ metadata, spec: { size: 3, note: 'n', colour: 'red' } });
    expect(ownersOf(updated)?.[1]).toEqual(['unknown Update', { 'f:spec': { 'f:colour': {}, 'f:size': {} } }]);
    const reported = await widgets().updateStatus({ ...updated, status: { phase: 'x' } });
    expect(reported.metadata.managedFields).toEqual(updated.metadata.managedFields);
  });

  it('records writes without a manager as those of the program that has opened it', async () => {
    const options = { store: new MemoryStore(), kinds: new KindSet([Widget]), manager: 'the-program' };
    registry = new EmbeddedRegistry(options).observedBy({});
    await widgets().apply(named({ size: 2 }));
    const patched = await widgets().patch('a', { metadata: { labels: { a: 'b' } } });
    expect(ownersOf(patched)?.map(([owner]) => owner)).toEqual(['ecsm Apply', 'the-program Update']);
    const made = await widgets().create({ metadata: { name: 'b' }, spec: {} });
    expect(made.metadata).not.toHaveProperty('managedFields');
  });

  it('can change and delete an object that is as deep as allowed', async () => {
    const Deep = defineKind({
      group: 'example.io',
      version: 'v1',
      kind: 'Deep',
      plural: 'deeps',
      spec: object({ settings: anything() }),
    });
    const deeps = new EmbeddedRegistry({ store: new MemoryStore(), kinds: new KindSet([Deep]) }).resource(Deep);
    let settings: JsonValue = 1;
    for (let level = 2; level < JSON_DEPTH_MAX; level++) settings = { settings };
    await deeps.create(
      { metadata: { name: 'a', finalizers: ['example.io/a'] }, spec: { settings } },
      { manager: 'one' },
    );
    await deeps.apply({ metadata: { name: 'a', labels: { a: 'b' } }, spec: { settings } }, { manager: 'two' });
    await deeps.delete('a');
    const left = await deeps.get('a');
    await deeps.update({ ...left, metadata: { ...left.metadata, finalizers: [] } });
    await expect(deeps.get('a')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('accepts names of managers with 1 to 128 printable characters', async () => {
    const write = (manager: string) => widgets().apply(named({ size: 2 }), { manager, force: true });
    for (const manager of ['a', 'x'.repeat(128), 'kubectl client-side apply']) {
      expect(ownersOf((await write(manager)).object)?.map(([owner]) => owner)).toContain(`${manager} Apply`);
    }
    for (const manager of ['', 'x'.repeat(129), 'a\nb', '\u007f']) {
      await expect(write(manager)).rejects.toMatchObject({ code: 'BadRequest' });
    }
  });

  it('ignores the managers of an object to create', async () => {
    const { object } = await widgets().apply(named({ size: 2 }));
    const { managedFields } = object.metadata;
    const copy = { metadata: { name: 'b', ...(managedFields && { managedFields }) }, spec: object.spec };
    expect((await widgets().create(copy)).metadata).not.toHaveProperty('managedFields');
  });

  it('assigns all fields of an object without managers to before-first-apply', async () => {
    await widgets().create(named({ size: 2, note: 'n' }));
    const { object } = await widgets().apply(named({ size: 2 }));
    expect(object.spec).toEqual({ size: 2, note: 'n' });
    expect(ownersOf(object)?.map(([owner]) => owner)).toEqual(['ecsm Apply', 'before-first-apply Update']);
  });

  it('continues from the annotation of a client-side apply, without losing a field', async () => {
    const last = JSON.stringify({ metadata: { name: 'a', labels: { gone: '1' } }, spec: { size: 2, note: 'n' } });
    const metadata = { name: 'a', labels: { gone: '1', theirs: '1' }, annotations: { [lastAppliedAnnotation]: last } };
    await widgets().create({ metadata, spec: { size: 2, note: 'n', options: { tuned: 'yes' } } });
    const { outcome, object } = await widgets().apply(named({ size: 3 }), { manager: 'kubectl' });
    expect(outcome).toBe('configured');
    expect(object.spec).toEqual({ size: 3, options: { tuned: 'yes' } });
    expect(object.metadata).toMatchObject({ labels: { theirs: '1' } });
    expect(JSON.parse(object.metadata.annotations?.[lastAppliedAnnotation] ?? '')).toMatchObject({ spec: { size: 3 } });
  });

  it('applies a part of an object, and validates the whole', async () => {
    const parts: Resource<unknown, unknown> = registry.resource(Widget) as Resource<unknown, unknown>;
    await widgets().apply(named({ size: 2, parts: [{ name: 'x' }] }));
    const { object } = await parts.apply(
      { metadata: { name: 'a', labels: { zone: 'a' } }, spec: {} },
      { manager: 'labeller' },
    );
    expect(object).toMatchObject({ metadata: { labels: { zone: 'a' } }, spec: { size: 2, parts: [{ name: 'x' }] } });
    const partial = { metadata: { name: 'a' }, spec: { parts: [{ weight: 1 }] } };
    await expect(parts.apply(partial)).rejects.toMatchObject({ code: 'Invalid' });
  });

  it('rejects a precondition for an object that does not exist', async () => {
    await expect(widgets().apply(named({}), { resourceVersion: '1' })).rejects.toMatchObject({ code: 'Conflict' });
  });

  it.each(['', 'x'.repeat(129), 'a\nb'])('rejects the manager %j', async (manager) => {
    await expect(widgets().create(named({}), { manager })).rejects.toMatchObject({ code: 'BadRequest' });
    await expect(widgets().apply(named({}), { manager })).rejects.toMatchObject({ code: 'BadRequest' });
  });
});
