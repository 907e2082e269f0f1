/** Delete, with and without finalizers. */
import { describe, expect, it } from 'vitest';
import { failure, type RegistrySuite } from './suite.kit.ts';

export function deleteRules(suite: RegistrySuite): void {
  const { widgets, time } = suite;

  describe('delete', () => {
    it('removes an object without finalizers immediately', async () => {
      await widgets().create({ metadata: { name: 'a' }, spec: {} });
      expect((await widgets().delete('a', { dryRun: true }))?.metadata.name).toBe('a');
      expect((await widgets().get('a')).metadata.name).toBe('a');
      expect((await widgets().delete('a'))?.metadata.name).toBe('a');
      expect((await failure(widgets().get('a'))).code).toBe('NotFound');
    });

    it('sets the deletion timestamp of an object with finalizers, and removes it with the last one', async () => {
      await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/one', 'example.io/two'] }, spec: {} });
      const marked = await widgets().delete('a');
      expect(marked?.metadata.deletionTimestamp).toEqual(time('2030-01-01T12:00:00Z'));
      suite.advance(5_000);
      expect(await widgets().delete('a')).toEqual(marked);
      await widgets().patch('a', { metadata: { finalizers: ['example.io/two'] } });
      expect((await widgets().get('a')).metadata.deletionTimestamp).toBe(marked?.metadata.deletionTimestamp);
      await widgets().patch('a', { metadata: { finalizers: null } });
      expect((await failure(widgets().get('a'))).code).toBe('NotFound');
    });

    it('raises the generation when it marks an object', async () => {
      await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/one'] }, spec: {} });
      expect((await widgets().delete('a'))?.metadata.generation).toBe(2);
      expect((await widgets().delete('a'))?.metadata.generation).toBe(2);
    });

    it('records a policy for dependents as a finalizer, which a later one replaces', async () => {
      await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/one'] }, spec: {} });
      const marked = await widgets().delete('a', { propagationPolicy: 'Foreground' });
      expect(marked?.metadata.finalizers).toEqual(['example.io/one', 'foregroundDeletion']);
      const changed = await widgets().delete('a', { propagationPolicy: 'Orphan' });
      expect(changed?.metadata.finalizers).toEqual(['example.io/one', 'orphan']);
      const left = await widgets().delete('a', { propagationPolicy: 'Background' });
      expect(left?.metadata.finalizers).toEqual(['example.io/one']);
      expect(left?.metadata.deletionTimestamp).toBe(marked?.metadata.deletionTimestamp);
    });

    it('rejects new finalizers, and keeps the deletion timestamp, while an object is being deleted', async () => {
      await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/one'] }, spec: {} });
      await widgets().delete('a');
      const { message } = await failure(
        widgets().patch('a', { metadata: { finalizers: ['example.io/one', 'example.io/new'] } }),
      );
      expect(message).toContain('metadata.finalizers: Forbidden');
      expect(message).toContain('example.io/new');
      const read = await widgets().get('a');
      const { deletionTimestamp: _, ...metadata } = read.metadata;
      expect((await widgets().update({ ...read, metadata })).metadata.deletionTimestamp).toBeDefined();
    });

    it('fails with Conflict if a precondition does not hold', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      expect((await failure(widgets().delete('a', { uid: 'other' }))).code).toBe('Conflict');
      await widgets().patch('a', { spec: { size: 2 } });
      expect((await failure(widgets().delete('a', { resourceVersion: made.metadata.resourceVersion }))).code).toBe(
        'Conflict',
      );
      expect((await widgets().delete('a', { uid: made.metadata.uid }))?.metadata.uid).toBe(made.metadata.uid);
    });
  });
}
