/** Create, and the objects that do not exist. */
import { describe, expect, it } from 'vitest';
import { failure, type RegistrySuite } from './suite.kit.ts';

export function createRules(suite: RegistrySuite): void {
  const { widgets, newest, time } = suite;

  describe('create', () => {
    it('sets identity, generation, time, namespace and defaults', async () => {
      const made = await widgets().create({ metadata: { name: 'a', labels: { app: 'x' } }, spec: {} });
      expect({ ...made, metadata: { ...made.metadata, managedFields: undefined } }).toEqual({
        apiVersion: 'example.io/v1',
        kind: 'Widget',
        metadata: {
          name: 'a',
          namespace: 'default',
          labels: { app: 'x' },
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          generation: 1,
          creationTimestamp: time('2030-01-01T12:00:00Z'),
          resourceVersion: expect.stringMatching(/./),
        },
        spec: { size: 1 },
      });
      expect(await widgets().get('a')).toEqual(made);
    });

    it('rejects a second object of the same name in the namespace, not in another', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
      expect(await failure(widgets().create({ metadata: { name: 'a' }, spec: { size: 2 } }))).toEqual({
        code: 'AlreadyExists',
        message: 'Widget "a" already exists',
      });
      expect(await widgets().get('a')).toEqual(made);
      const other = await widgets().create({ metadata: { name: 'a', namespace: 'other' }, spec: { size: 2 } });
      expect(other.metadata.uid).not.toBe(made.metadata.uid);
    });

    it('rejects an invalid object, names every field, and stores nothing', async () => {
      const before = await newest();
      const { code, message } = await failure(widgets().create({ metadata: { name: 'A_' }, spec: { size: -1 } }));
      expect(code).toBe('Invalid');
      expect(message).toContain('metadata.name: Invalid value');
      expect(message).toContain('spec.size: Invalid value');
      const unknown = await failure(widgets().create({ metadata: { name: 'a' }, spec: { color: 'red' } } as never));
      expect(unknown.code).toBe('Invalid');
      expect(unknown.message).toContain('spec.color: Unknown field: did you mean "colour"?');
      expect(await newest()).toBe(before);
    });

    it('applies the rules between fields', async () => {
      const { message } = await failure(
        widgets().create({ metadata: { name: 'a' }, spec: { colour: 'red', size: 101 } }),
      );
      expect(message).toMatch(/^Widget "a" is invalid: spec\.size: Invalid value: .*: a red widget has at most 100$/);
    });

    it('ignores status, uid, generation and times of the input', async () => {
      const made = await widgets().create({
        metadata: {
          name: 'a',
          uid: 'mine',
          generation: 7,
          creationTimestamp: '2000-01-01T00:00:00Z',
          deletionTimestamp: '2000-01-01T00:00:00Z',
        },
        spec: {},
        status: { phase: 'Done' },
      });
      expect(made.status).toBeUndefined();
      expect(made.metadata).toMatchObject({ generation: 1, creationTimestamp: time('2030-01-01T12:00:00Z') });
      expect(made.metadata.uid).not.toBe('mine');
      expect(made.metadata.deletionTimestamp).toBeUndefined();
    });

    it('rejects an object with a resourceVersion', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const copy = { ...made, metadata: { ...made.metadata, name: 'b' } };
      expect((await failure(widgets().create(copy))).message).toContain('metadata.resourceVersion: Forbidden');
    });

    it('rejects input that is not an object', async () => {
      for (const bad of [null, undefined, 7, 'text', [], {}]) {
        expect(['BadRequest', 'Invalid']).toContain((await failure(widgets().create(bad as never))).code);
      }
    });

    it('writes nothing on a dry run, but validates', async () => {
      const before = await newest();
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} }, { dryRun: true });
      expect(made.spec.size).toBe(1);
      expect(await newest()).toBe(before);
      await widgets().create({ metadata: { name: 'a' }, spec: {} });
      expect((await failure(widgets().create({ metadata: { name: 'a' }, spec: {} }, { dryRun: true }))).code).toBe(
        'AlreadyExists',
      );
    });
  });

  describe('a missing object', () => {
    it('is NotFound for get, and no error for delete', async () => {
      const before = await newest();
      expect(await failure(widgets().get('a'))).toEqual({ code: 'NotFound', message: 'Widget "a" not found' });
      expect(await widgets().delete('a')).toBeUndefined();
      expect((await widgets().list()).items).toEqual([]);
      expect(await newest()).toBe(before);
    });
  });
}
