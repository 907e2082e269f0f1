/** Update, status and patch. */
import { Crate } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { failure, type RegistrySuite } from './suite.kit.ts';

export function updateRules(suite: RegistrySuite): void {
  const { widgets, newest } = suite;

  describe('update', () => {
    it('requires the resourceVersion that was read', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const { resourceVersion: _, ...metadata } = made.metadata;
      expect((await failure(widgets().update({ ...made, metadata }))).message).toContain(
        'metadata.resourceVersion: Required value',
      );
      const newer = await widgets().update({ ...made, spec: { size: 2 } });
      expect((await failure(widgets().update({ ...made, spec: { size: 3 } }))).code).toBe('Conflict');
      expect(await widgets().get('a')).toEqual(newer);
      expect((await failure(widgets().update({ ...made, metadata: { ...made.metadata, name: 'b' } }))).code).toBe(
        'NotFound',
      );
    });

    it('increases the generation only if the spec changes', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const labelled = await widgets().update({ ...made, metadata: { ...made.metadata, labels: { x: 'y' } } });
      expect(labelled.metadata.generation).toBe(1);
      const resized = await widgets().update({ ...labelled, spec: { size: 5 } });
      expect(resized.metadata.generation).toBe(2);
      const withStatus = await widgets().updateStatus({ ...resized, status: { phase: 'Done' } });
      expect(withStatus.metadata.generation).toBe(2);
    });

    it('does not change uid, creation time and status', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      await widgets().updateStatus({ ...made, status: { phase: 'Done' } });
      const read = await widgets().get('a');
      suite.advance(60_000);
      const changed = await widgets().update({
        ...read,
        metadata: { ...read.metadata, creationTimestamp: '2000-01-01T00:00:00Z', generation: 99 },
        spec: { size: 9 },
        status: { phase: 'Hacked' },
      });
      expect(changed.status).toEqual({ phase: 'Done' });
      expect(changed.metadata).toMatchObject({
        uid: made.metadata.uid,
        creationTimestamp: made.metadata.creationTimestamp,
        generation: 2,
      });
    });

    it('changes the newest object also if the known one is older, and reports one that was deleted', async () => {
      const known = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      await widgets().update({ ...known, spec: { size: 7 } });
      await widgets().updateStatus({ metadata: known.metadata, status: { phase: 'Done' } }, { known });
      await widgets().patch('a', { metadata: { labels: { x: 'y' } } }, { known });
      expect(await widgets().get('a')).toMatchObject({
        metadata: { labels: { x: 'y' } },
        spec: { size: 7 },
        status: { phase: 'Done' },
      });
      const { resourceVersion } = known.metadata;
      const stale = widgets().patch('a', { metadata: { labels: { x: 'z' } } }, { known, resourceVersion });
      expect((await failure(stale)).code).toBe('Conflict');
      await widgets().delete('a');
      const gone = widgets().patch('a', { metadata: { labels: { x: 'z' } } }, { known, resourceVersion });
      expect((await failure(gone)).code).toBe('NotFound');
    });

    it('compares with the newest object if the known one would not change', async () => {
      const known = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const done = await widgets().updateStatus({ metadata: known.metadata, status: { phase: 'Done' } });
      await widgets().updateStatus({ metadata: known.metadata, status: { phase: 'Failed' } });
      await widgets().updateStatus({ metadata: known.metadata, status: { phase: 'Done' } }, { known: done });
      expect((await widgets().get('a')).status).toEqual({ phase: 'Done' });
    });

    it('creates no revision and no event if nothing changes', async () => {
      const made = await widgets().create({ metadata: { name: 'a', labels: { b: '1', a: '2' } }, spec: { size: 3 } });
      const before = await newest();
      expect(await widgets().update(made)).toEqual(made);
      expect(
        await widgets().update({
          ...made,
          metadata: { ...made.metadata, labels: { a: '2', b: '1' }, finalizers: [], annotations: {} },
        }),
      ).toEqual(made);
      expect(await widgets().updateStatus(made)).toEqual(made);
      expect(await widgets().patch('a', { spec: { size: 3, note: null } })).toEqual(made);
      expect(await newest()).toBe(before);
    });

    it('rejects another object of the same name', async () => {
      const old = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      await widgets().delete('a');
      const fresh = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const mixed = { ...old, metadata: { ...old.metadata, resourceVersion: fresh.metadata.resourceVersion } };
      expect((await failure(widgets().update(mixed))).code).toBe('Conflict');
      expect((await failure(widgets().updateStatus({ ...old, status: { phase: 'x' } }))).code).toBe('Conflict');
    });

    it('checks rules about what may change', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: { colour: 'red' } });
      expect((await failure(widgets().update({ ...made, spec: { colour: 'blue' } }))).message).toContain(
        'spec.colour: Forbidden',
      );
    });

    it('writes nothing on a dry run', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const dry = await widgets().update({ ...made, spec: { size: 7 } }, { dryRun: true });
      expect(dry.spec.size).toBe(7);
      expect(dry.metadata.generation).toBe(2);
      expect(await widgets().get('a')).toEqual(made);
    });
  });

  describe('update of an object that the caller has read', () => {
    it('writes the same as without it', async () => {
      const known = await widgets().create({ metadata: { name: 'a' }, spec: { note: 'x' } }, { manager: 'me' });
      const updated = await widgets().update({ ...known, spec: { size: 2, note: 'x' } }, { known, manager: 'you' });
      expect(updated).toMatchObject({ metadata: { uid: known.metadata.uid, generation: 2 }, spec: { size: 2 } });
      expect(await widgets().get('a')).toEqual(updated);
    });

    it('fails with Conflict if the object has changed or was deleted since', async () => {
      const known = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      await widgets().patch('a', { spec: { size: 2 } });
      const stale = { ...known, spec: { size: 3 } };
      expect((await failure(widgets().update(stale, { known }))).code).toBe('Conflict');
      expect((await failure(widgets().update(stale, { known, dryRun: true }))).code).toBe('Conflict');
      await widgets().delete('a');
      expect(['Conflict', 'NotFound']).toContain((await failure(widgets().update(stale, { known }))).code);
    });

    it('does not take another object, or another version, for it', async () => {
      const other = await widgets().create({ metadata: { name: 'other' }, spec: { note: 'other' } });
      const first = await widgets().create({ metadata: { name: 'a' }, spec: { colour: 'red' } });
      const second = await widgets().patch('a', { spec: { size: 2 } });
      for (const known of [other, first]) {
        const { metadata } = await widgets().get('a');
        const { code } = await failure(widgets().update({ ...second, metadata, spec: { colour: 'blue' } }, { known }));
        expect(code).toBe('Invalid');
      }
    });
  });

  describe('updateStatus', () => {
    it('fails with Conflict if the object has changed since the given version', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
      const { metadata } = await widgets().updateStatus({ ...made, status: { phase: 'Seen' } });
      const old = { resourceVersion: made.metadata.resourceVersion };
      const stale = widgets().updateStatus({ metadata, status: { phase: 'Old' } }, old);
      expect((await failure(stale)).code).toBe('Conflict');
      expect((await widgets().get('a')).status).toEqual({ phase: 'Seen' });
      const { resourceVersion } = metadata;
      await widgets().updateStatus({ metadata, status: { phase: 'New' } }, { resourceVersion });
      expect((await widgets().get('a')).status).toEqual({ phase: 'New' });
    });

    it('changes the newest object and does not revert an edit of its spec', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      await widgets().update({ ...made, spec: { size: 42 } });
      const after = await widgets().updateStatus({ ...made, status: { phase: 'Seen' } });
      expect(after.spec.size).toBe(42);
      expect(after.status).toEqual({ phase: 'Seen' });
    });

    it('loses none of several concurrent writes of spec and status', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: { size: 0 } });
      const bump = async () => {
        for (;;) {
          const read = await widgets().get('a');
          const { code } = await failure(
            widgets().update({ ...read, spec: { ...read.spec, size: read.spec.size + 1 } }),
          );
          if (code === 'no error') return;
          expect(code).toBe('Conflict');
        }
      };
      const status = (n: number) =>
        widgets().updateStatus({ metadata: { name: 'a', uid: made.metadata.uid }, status: { phase: `p${n}` } });
      await Promise.all([...Array.from({ length: 8 }, bump), ...Array.from({ length: 8 }, (_, n) => status(n))]);
      const end = await widgets().get('a');
      expect(end.spec.size).toBe(8);
      expect(end.metadata.generation).toBe(9);
      expect(end.status?.phase).toMatch(/^p[0-7]$/);
    });

    it('adds a finalizer with the status, once', async () => {
      const known = await widgets().create({ metadata: { name: 'a', finalizers: ['example.com/other'] }, spec: {} });
      const { resourceVersion } = known.metadata;
      const finalizer = 'example.com/clean-up';
      const status = { phase: 'Seen' };
      const seen = await widgets().updateStatus({ ...known, status }, { known, resourceVersion, finalizer });
      expect(seen.metadata.finalizers).toEqual(['example.com/other', finalizer]);
      expect(seen.status).toEqual(status);
      const again = await widgets().updateStatus({ ...seen, status: { phase: 'Done' } }, { known: seen, finalizer });
      expect(again.metadata.finalizers).toEqual(['example.com/other', finalizer]);
      expect(await widgets().get('a')).toEqual(again);
    });

    it('adds no finalizer to an object that has changed since the given version, or is being deleted', async () => {
      const known = await widgets().create({ metadata: { name: 'a', finalizers: ['example.com/other'] }, spec: {} });
      const write = (given: typeof known) => {
        const { resourceVersion } = given.metadata;
        const options = { known: given, resourceVersion, finalizer: 'example.com/clean-up' };
        return failure(widgets().updateStatus({ ...given, status: { phase: 'Seen' } }, options));
      };
      const edited = await widgets().patch('a', { spec: { size: 2 } });
      expect((await write(known)).code).toBe('Conflict');
      await widgets().delete('a');
      expect((await write(edited)).code).toBe('Conflict');
      const deleted = await widgets().get('a');
      expect((await write(deleted)).code).toBe('Conflict');
      expect(deleted.metadata.finalizers).toEqual(['example.com/other']);
      expect(await widgets().get('a')).toEqual(deleted);
    });

    it('rejects an invalid status', async () => {
      await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const { message } = await failure(
        widgets().updateStatus({ metadata: { name: 'a' }, status: { phas: 'x' } as never }),
      );
      expect(message).toContain('status.phas: Unknown field: did you mean "phase"?');
    });

    it('adds the defaults of a status', async () => {
      const crates = suite.registry.resource(Crate);
      await crates.create({ metadata: { name: 'c' }, spec: {} });
      const seen = await crates.updateStatus({ metadata: { name: 'c' }, status: { note: 'x' } });
      expect(seen.status).toEqual({ count: 0, note: 'x' });
    });

    it('can remove a status', async () => {
      await widgets().create({ metadata: { name: 'a' }, spec: {} });
      await widgets().updateStatus({ metadata: { name: 'a' }, status: { phase: 'x' } });
      const bare = await widgets().updateStatus({ metadata: { name: 'a' } });
      expect(bare.status).toBeUndefined();
    });
  });

  describe('patch', () => {
    it('merges, removes with null, and keeps the rest', async () => {
      await widgets().create({ metadata: { name: 'a', labels: { x: '1', y: '2' } }, spec: { size: 3, note: 'n' } });
      const patched = await widgets().patch('a', {
        metadata: { labels: { x: null, z: '3' } },
        spec: { note: null, size: 4 },
      });
      expect(patched.metadata.labels).toEqual({ y: '2', z: '3' });
      expect(patched.spec).toEqual({ size: 4 });
    });

    it('cannot change name and status, and is validated', async () => {
      await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const renamed = await failure(widgets().patch('a', { metadata: { name: 'b' } }));
      expect(renamed.code).toMatch(/Invalid|BadRequest/);
      expect(renamed.message).toContain('name');
      const moved = await failure(widgets().patch('a', { metadata: { namespace: 'b' } }));
      expect(moved.code).toMatch(/Invalid|BadRequest/);
      expect(moved.message).toContain('namespace');
      expect((await widgets().list()).items.map(({ metadata }) => metadata.name)).toEqual(['a']);
      expect((await widgets().patch('a', { status: { phase: 'x' } })).status).toBeUndefined();
      expect((await failure(widgets().patch('a', { spec: { size: 'big' } }))).code).toBe('Invalid');
      expect((await failure(widgets().patch('a', 'nonsense'))).code).not.toBe('no error');
    });

    it('fails with Conflict if a precondition does not hold', async () => {
      const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
      const { resourceVersion, uid } = made.metadata;
      await widgets().patch('a', { spec: { size: 2 } }, { resourceVersion, uid });
      expect((await failure(widgets().patch('a', { spec: { size: 3 } }, { resourceVersion }))).code).toBe('Conflict');
      expect((await failure(widgets().patch('a', { spec: { size: 3 } }, { uid: 'other' }))).code).toBe('Conflict');
    });
  });
}
