/** Server-side apply, and the managers of fields. */
import { describe, expect, it } from 'vitest';
import { failure, type RegistrySuite } from './suite.kit.ts';

export function applyRules(suite: RegistrySuite): void {
  const { widgets, newest, isKubernetes } = suite;

  describe('apply', () => {
    const named = (spec: object) => ({ metadata: { name: 'a' }, spec });
    const causes = async (attempt: Promise<unknown>) => {
      const { code, causes: found } = await failure(attempt);
      return [code, found?.map(({ field, manager }) => `${manager} ${field}`)];
    };

    it('creates, changes, and does not write an unchanged object', async () => {
      expect((await widgets().apply(named({ size: 2 }))).outcome).toBe('created');
      const before = await newest();
      suite.advance(60_000);
      expect((await widgets().apply(named({ size: 2 }))).outcome).toBe('unchanged');
      expect(await newest()).toBe(before);
      const { outcome, object } = await widgets().apply(named({ size: 3 }));
      expect(outcome).toBe('configured');
      expect(object.spec.size).toBe(3);
    });

    it('removes a field that the file no longer contains, and keeps one that another manager set', async () => {
      await widgets().apply({
        metadata: { name: 'a', labels: { mine: '1', gone: '1' } },
        spec: { size: 2, note: 'n' },
      });
      await widgets().patch('a', { metadata: { labels: { theirs: '1' } }, spec: { options: { tuned: 'yes' } } });
      const { object } = await widgets().apply({ metadata: { name: 'a', labels: { mine: '2' } }, spec: {} });
      expect(object.metadata.labels).toEqual({ mine: '2', theirs: '1' });
      expect(object.spec).toEqual({ size: 1, options: { tuned: 'yes' } });
    });

    it('reports a value that another manager set as a conflict, or takes it over', async () => {
      await widgets().apply(named({ size: 2, note: 'n' }), { manager: 'one' });
      const before = await newest();
      expect(await causes(widgets().apply(named({ size: 3 }), { manager: 'two' }))).toEqual([
        'Conflict',
        ['one .spec.size'],
      ]);
      expect(await newest()).toBe(before);
      const { object } = await widgets().apply(named({ size: 3 }), { manager: 'two', force: true });
      expect(object.spec).toEqual({ size: 3, note: 'n' });
      expect(await causes(widgets().apply(named({ size: 2, note: 'n' }), { manager: 'one' }))).toEqual([
        'Conflict',
        ['two .spec.size'],
      ]);
    });

    it('applies only the status through its subresource, by owners of its own', async () => {
      const status = (phase: string) => ({ metadata: { name: 'a' }, spec: { size: 9 }, status: { phase } });
      const asOne = { manager: 'one', subresource: 'status' } as const;
      expect((await failure(widgets().apply(status('Up'), asOne))).code).toBe('NotFound');
      await widgets().apply(named({ size: 2 }), { manager: 'one' });
      const { outcome, object } = await widgets().apply(status('Up'), asOne);
      expect([outcome, object.spec.size, object.status]).toEqual(['configured', 2, { phase: 'Up' }]);
      expect((await widgets().apply(status('Up'), asOne)).outcome).toBe('unchanged');
      expect(await causes(widgets().apply(status('Down'), { ...asOne, manager: 'two' }))).toEqual([
        'Conflict',
        ['one .status.phase'],
      ]);
      const entries = object.metadata.managedFields ?? [];
      const text = entries.map(({ operation, subresource = 'object' }) => `${operation} ${subresource}`);
      expect(text.sort()).toEqual(['Apply object', 'Apply status']);
    });

    it('shares a field with the same value, and removes it with its last owner', async () => {
      await widgets().apply(named({ note: 'n', size: 2 }), { manager: 'one' });
      await widgets().apply(named({ note: 'n' }), { manager: 'two' });
      expect((await widgets().apply(named({ size: 2 }), { manager: 'one' })).object.spec).toEqual({
        size: 2,
        note: 'n',
      });
      expect((await widgets().apply(named({}), { manager: 'two' })).object.spec).toEqual({ size: 2 });
    });

    it('merges entries of a list by their key', async () => {
      await widgets().apply(named({ parts: [{ name: 'x', weight: 1 }] }), { manager: 'one' });
      await widgets().apply(named({ parts: [{ name: 'y' }] }), { manager: 'two' });
      expect((await widgets().get('a')).spec.parts).toEqual([{ name: 'x', weight: 1 }, { name: 'y' }]);
      expect(await causes(widgets().apply(named({ parts: [{ name: 'x', weight: 2 }] }), { manager: 'two' }))).toEqual([
        'Conflict',
        ['one .spec.parts[name="x"].weight'],
      ]);
      expect((await widgets().apply(named({}), { manager: 'one' })).object.spec.parts).toEqual([{ name: 'y' }]);
    });

    it('rejects two entries with the same key', async () => {
      await widgets().apply(named({ parts: [{ name: 'x' }] }));
      expect((await failure(widgets().apply(named({ parts: [{ name: 'x' }, { name: 'x' }] })))).code).toBe('Invalid');
    });

    it('conflicts with an update, and names its manager', async () => {
      await widgets().apply(named({ size: 2 }));
      await widgets().patch('a', { spec: { size: 5 } }, { manager: 'editor' });
      expect(await causes(widgets().apply(named({ size: 2 })))).toEqual(['Conflict', ['editor .spec.size']]);
      expect((await widgets().apply(named({ size: 5 }))).outcome).toBe('configured');
    });

    it('ignores status and the registry’s own fields in a file that was exported', async () => {
      const { object } = await widgets().apply(named({ size: 2 }));
      await widgets().updateStatus({ ...object, status: { phase: 'x' } });
      const exported = await widgets().get('a');
      expect((await widgets().apply({ ...exported, status: { phase: 'y' } })).outcome).toBe('unchanged');
      expect((await widgets().get('a')).status).toEqual({ phase: 'x' });
    });

    it('keeps a finalizer of a controller after a round trip and an apply of the original file', async () => {
      await widgets().apply(named({ size: 2 }));
      await widgets().patch('a', { metadata: { finalizers: ['example.io/cleanup'] } });
      await widgets().apply(await widgets().get('a'));
      const { object } = await widgets().apply(named({ size: 3 }));
      expect(object.metadata.finalizers).toEqual(['example.io/cleanup']);
      expect((await widgets().delete('a'))?.metadata.deletionTimestamp).toBeDefined();
    });

    it('adds the finalizers of a file to those of others and removes only its own', async () => {
      const withFinalizers = (finalizers: string[]) => ({ metadata: { name: 'a', finalizers }, spec: {} });
      const finalizersAfter = async (finalizers: string[]) =>
        (await widgets().apply(withFinalizers(finalizers))).object.metadata.finalizers;
      expect(await finalizersAfter(['example.io/one'])).toEqual(['example.io/one']);
      await widgets().patch('a', { metadata: { finalizers: ['example.io/theirs', 'example.io/one'] } });
      expect(await finalizersAfter(['example.io/two'])).toEqual(['example.io/theirs', 'example.io/two']);
      expect(await finalizersAfter([])).toEqual(['example.io/theirs']);
      expect((await widgets().apply(named({}))).outcome).toBe('unchanged');
    });

    it('rejects finalizers that are not a list', async () => {
      const wrong = { metadata: { name: 'a', finalizers: 'example.io/one' }, spec: {} };
      // @ts-expect-error: a file may hold anything.
      expect((await failure(widgets().apply(wrong))).code).toBe('Invalid');
    });

    it('writes nothing the second time with empty lists, empty maps and nulls', async () => {
      const sparse = {
        metadata: { name: 'a', labels: {}, annotations: {}, finalizers: [] },
        // Kubernetes refuses a null where the schema has none.
        spec: { size: 2, note: isKubernetes ? undefined : null, options: {}, parts: [] },
      };
      // @ts-expect-error: a file may have a field without a value.
      await widgets().apply(sparse);
      const before = await newest();
      suite.advance(60_000);
      // @ts-expect-error: a file may have a field without a value.
      expect((await widgets().apply(sparse)).outcome).toBe('unchanged');
      expect(await newest()).toBe(before);
    });

    it('writes nothing on a dry run', async () => {
      const { outcome, object } = await widgets().apply(named({ size: 2 }), { dryRun: true });
      expect([outcome, object.spec.size]).toEqual(['created', 2]);
      expect((await failure(widgets().get('a'))).code).toBe('NotFound');
      await widgets().apply(named({ size: 2 }));
      expect((await widgets().apply(named({ size: 5 }), { dryRun: true })).object.spec.size).toBe(5);
      expect((await widgets().get('a')).spec.size).toBe(2);
    });

    it('fails with Conflict if a precondition does not hold', async () => {
      const { object } = await widgets().apply(named({ size: 2 }));
      const { resourceVersion, uid } = object.metadata;
      await widgets().apply(named({ size: 3 }), { resourceVersion, uid });
      expect((await failure(widgets().apply(named({ size: 4 }), { resourceVersion }))).code).toBe('Conflict');
      expect((await failure(widgets().apply(named({ size: 4 }), { uid: 'other' }))).code).toBe('Conflict');
    });

    it('creates one object if several clients apply it at once', async () => {
      const results = await Promise.all(Array.from({ length: 8 }, () => widgets().apply(named({ size: 2 }))));
      expect(results.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
      expect(new Set(results.map(({ object }) => object.metadata.uid)).size).toBe(1);
    });
  });

  describe('managers', () => {
    it('are recorded for the writes that name one', async () => {
      await widgets().create({ metadata: { name: 'a' }, spec: { size: 2, note: 'n' } }, { manager: 'creator' });
      await widgets().patch('a', { spec: { size: 3 } }, { manager: 'scaler' });
      const status = { metadata: { name: 'a' }, status: { phase: 'x' } };
      const { metadata } = await widgets().updateStatus(status, { manager: 'operator' });
      const owned = metadata.managedFields?.map(({ manager, operation, subresource = '', fieldsV1 }) => [
        `${manager} ${operation} ${subresource}`.trim(),
        fieldsV1,
      ]);
      expect(Object.fromEntries(owned ?? [])).toEqual({
        'creator Update': { 'f:spec': { '.': {}, 'f:note': {} } },
        'operator Update status': { 'f:status': { '.': {}, 'f:phase': {} } },
        'scaler Update': { 'f:spec': { 'f:size': {} } },
      });
    });

    // Kubernetes drops the empty list of a custom resource before it looks at it.
    it.each(isKubernetes ? [[[{}]]] : [[[]], [[{}]]])('are reset by an update to %j', async (managedFields) => {
      const { object } = await widgets().apply({ metadata: { name: 'a' }, spec: { size: 2 } });
      const reset = await widgets().update({ ...object, metadata: { ...object.metadata, managedFields } });
      expect(reset.metadata.managedFields).toBeUndefined();
      expect(reset.metadata.generation).toBe(1);
    });

    it('can be replaced by an update, as tools do that migrate an object', async () => {
      const { object } = await widgets().apply({ metadata: { name: 'a' }, spec: { size: 2 } }, { manager: 'old' });
      const managedFields = object.metadata.managedFields?.map((entry) => ({ ...entry, manager: 'new' }));
      await widgets().update({
        ...object,
        metadata: { ...object.metadata, ...(managedFields && { managedFields }) },
      });
      const { outcome } = await widgets().apply({ metadata: { name: 'a' }, spec: { size: 3 } }, { manager: 'new' });
      expect(outcome).toBe('configured');
    });
  });
}
