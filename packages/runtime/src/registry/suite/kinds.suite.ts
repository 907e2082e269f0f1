/** Kinds: their scope, their fields, generated names. */
import { Crate, Note, Region, Widget } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { failure, type RegistrySuite } from './suite.kit.ts';

export function kindRules(suite: RegistrySuite): void {
  const { widgets, isKubernetes, harness, clock } = suite;

  describe('a cluster-scoped kind', () => {
    const regions = () => suite.registry.resource(Region);
    const edge = isKubernetes ? 'edge' : 'system:edge';

    it('has objects without a namespace, whatever namespace a request names', async () => {
      const made = await regions().create({ metadata: { name: edge }, spec: { size: 1 } });
      expect(made.metadata).not.toHaveProperty('namespace');
      expect(await regions().get(edge)).toEqual(made);
      expect((await regions().list({ namespace: 'other' })).items).toEqual([made]);
      const changed = await regions().update({ ...made, spec: { size: 2 } });
      expect(changed.metadata.generation).toBe(2);
      expect(await regions().delete(edge)).toEqual(changed);
      expect((await regions().list()).items).toEqual([]);
    });

    it('rejects an object with a namespace', async () => {
      const created = regions().create({ metadata: { name: 'a', namespace: 'default' }, spec: {} });
      expect(await failure(created)).toMatchObject({
        code: 'Invalid',
        message: expect.stringContaining('metadata.namespace'),
      });
    });

    it('is located by its key', async () => {
      await regions().create({ metadata: { name: edge }, spec: {} });
      const [key = ''] = (await regions().versions()).keys;
      expect(suite.registry.locate(key)).toEqual({ kind: Region, namespace: '', name: edge });
    });

    it('has no status if its definition has none', async () => {
      await regions().create({ metadata: { name: 'a' }, spec: {} });
      const written = regions().updateStatus({ metadata: { name: 'a' } });
      expect((await failure(written)).code).toMatch(/BadRequest|NotFound/);
    });
  });

  describe.skipIf(isKubernetes)('a kind with top-level fields (not a custom resource of Kubernetes)', () => {
    const notes = () => suite.registry.resource(Note);

    it('stores them beside the metadata, and compares them', async () => {
      const made = await notes().create(Note.input({ name: 'a.b' }, { data: { one: '1' } }));
      expect(made).toMatchObject({ apiVersion: 'v1', kind: 'Note', data: { one: '1' } });
      expect(Note.fieldsOf(await notes().get('a.b')).data).toEqual({ one: '1' });
      const same = await notes().update(made);
      expect(same.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
      const changed = await notes().patch('a.b', { data: { one: null, two: '2' } });
      expect(changed).toMatchObject({ data: { two: '2' } });
      expect(Note.fieldsOf(changed).data).toEqual({ two: '2' });
    });

    it('enforces its schema and its rules', async () => {
      const unknown = notes().create(Object.assign(Note.input({ name: 'a' }, {}), { spec: {} }));
      expect(await failure(unknown)).toMatchObject({ code: 'Invalid' });
      await notes().create(Note.input({ name: 'b' }, { final: 1 }));
      expect(await failure(notes().patch('b', { final: 2 }))).toMatchObject({ code: 'Invalid' });
    });
  });

  describe('an object with generateName', () => {
    it('gets a name of that prefix and a random suffix', async () => {
      const input: { name: string } = JSON.parse('{ "generateName": "job-" }');
      const names = await Promise.all(
        Array.from({ length: 3 }, async () => (await widgets().create({ metadata: input, spec: {} })).metadata.name),
      );
      for (const name of names) expect(name).toMatch(/^job-[a-z0-9]{5}$/);
      expect(new Set(names).size).toBe(3);
    });
  });

  it('rejects a kind that it was opened without', async () => {
    const bare = await harness.create({ kinds: [Crate], clock });
    expect(() => bare.resource(Widget)).toThrow('opened without the kind Widget');
    expect(suite.registry.locate('fences/leader')).toBeUndefined();
    expect(suite.registry.locate('example.io/v1/others/default/x')).toBeUndefined();
  });
}
