import { Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ObjectOf } from '../api/kind.ts';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { annotationsChanged, Digests, generationChanged, labelsChanged, type Predicate } from './predicate.ts';

type WidgetObject = ObjectOf<typeof Widget>;

let registry: EmbeddedRegistry;
let object: WidgetObject;
const widgets = () => registry.resource(Widget);
beforeEach(async () => {
  registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget] });
  object = await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/guard'] }, spec: {} });
});
afterEach(() => registry.close());

/** Whether the predicate passes the current object after the created one. */
async function passes(predicate: Predicate): Promise<boolean> {
  return predicate(await widgets().get('a')) !== predicate(object);
}

describe('generationChanged', () => {
  it('passes a change of the spec', async () => {
    await widgets().patch('a', { spec: { size: 2 } });
    expect(await passes(generationChanged)).toBe(true);
  });

  it('passes the deletion timestamp of an object with finalizers', async () => {
    await widgets().delete('a');
    expect(await passes(generationChanged)).toBe(true);
  });

  it('filters out status, labels and annotations', async () => {
    await widgets().updateStatus({ metadata: { name: 'a' }, status: { phase: 'x' } });
    await widgets().patch('a', { metadata: { labels: { x: 'y' }, annotations: { x: 'y' } } });
    expect(await passes(generationChanged)).toBe(false);
  });
});

describe('labelsChanged and annotationsChanged', () => {
  it('pass changes of their own field only, in any order of its keys', async () => {
    await widgets().patch('a', { metadata: { labels: { x: 'y' } } });
    expect([await passes(labelsChanged), await passes(annotationsChanged)]).toEqual([true, false]);
    const labelled = (labels: Record<string, string>) => ({ ...object, metadata: { ...object.metadata, labels } });
    expect(labelsChanged(labelled({ a: '1', b: '2' }))).toBe(labelsChanged(labelled({ b: '2', a: '1' })));
  });
});

describe('Digests', () => {
  it('report a key again after it was removed', () => {
    const digests = new Digests([labelsChanged]);
    const { resourceVersion } = object.metadata;
    expect(digests.changed('k', object, resourceVersion)).toBe(true);
    expect(digests.changed('k', object, resourceVersion)).toBe(false);
    digests.forget('k');
    expect(digests.changed('k', object, resourceVersion)).toBe(true);
  });
});
