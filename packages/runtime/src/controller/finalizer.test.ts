import { Widget } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { withFinalizer } from './finalizer.ts';
import type { ReconcileResult } from './outcome.ts';

const finalizer = 'example.io/clean';
let registry: EmbeddedRegistry;
/** What exists outside, for which the finalizer stands. */
const outside = new Set<string>();
let cleanupAnswers: (() => ReconcileResult)[];

beforeEach(() => {
  registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget] });
  outside.clear();
  cleanupAnswers = [];
});

const widgets = () => registry.resource(Widget);
async function reconcile(name: string): Promise<ReconcileResult> {
  return withFinalizer(widgets(), await widgets().get(name), finalizer, {
    async apply({ metadata }) {
      // Nothing may be made outside before the finalizer is stored.
      expect((await widgets().get(name)).metadata.finalizers).toContain(finalizer);
      outside.add(metadata.name);
    },
    async cleanup({ metadata }) {
      const answer = cleanupAnswers.shift()?.();
      if (answer === undefined) outside.delete(metadata.name);
      return answer;
    },
  });
}

describe('a finalizer', () => {
  it('is stored before anything is created, and removed after everything is cleaned up', async () => {
    await widgets().create({ metadata: { name: 'a' }, spec: {} });
    await reconcile('a');
    expect(outside).toEqual(new Set(['a']));
    await widgets().delete('a');
    await reconcile('a');
    expect(outside).toEqual(new Set());
    expect((await widgets().list()).items).toEqual([]);
  });

  it('stays while clean-up fails or asks for more time', async () => {
    await widgets().create({ metadata: { name: 'a' }, spec: {} });
    await reconcile('a');
    await widgets().delete('a');
    cleanupAnswers = [
      () => {
        throw new Error('no link');
      },
      () => ({ requeueAfterMs: 100 }),
    ];
    await expect(reconcile('a')).rejects.toThrow('no link');
    expect(await reconcile('a')).toEqual({ requeueAfterMs: 100 });
    expect((await widgets().get('a')).metadata.finalizers).toEqual([finalizer]);
    await reconcile('a');
    expect((await widgets().list()).items).toEqual([]);
  });

  it('does not change the finalizers of others', async () => {
    await widgets().create({ metadata: { name: 'a', finalizers: ['other.io/theirs'] }, spec: {} });
    await reconcile('a');
    expect((await widgets().get('a')).metadata.finalizers).toEqual(['other.io/theirs', finalizer]);
    await widgets().delete('a');
    await reconcile('a');
    expect((await widgets().get('a')).metadata.finalizers).toEqual(['other.io/theirs']);
    expect(await reconcile('a')).toBeUndefined();
  });

  it('does not change an object that has changed since it was read', async () => {
    await widgets().create({ metadata: { name: 'a' }, spec: {} });
    const read = await widgets().get('a');
    await widgets().patch('a', { metadata: { finalizers: ['other.io/new'] } });
    const steps = { apply: async () => {}, cleanup: async () => {} };
    await expect(withFinalizer(widgets(), read, finalizer, steps)).rejects.toMatchObject({ code: 'Conflict' });
    expect((await widgets().get('a')).metadata.finalizers).toEqual(['other.io/new']);
  });

  it('does nothing when the object no longer exists', async () => {
    await widgets().create({ metadata: { name: 'a', finalizers: [finalizer] }, spec: {} });
    const marked = await widgets().delete('a');
    if (!marked) throw new Error('it was there');
    const removedByHand = async () => void (await widgets().patch('a', { metadata: { finalizers: null } }));
    const steps = { apply: async () => {}, cleanup: removedByHand };
    await expect(withFinalizer(widgets(), marked, finalizer, steps)).rejects.toMatchObject({ code: 'NotFound' });
  });
});
