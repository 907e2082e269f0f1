/**
 * One suite that every registry passes. It uses the contract alone. What needs a capability runs where the harness has it;
 * elsewhere it is reported as skipped, with the name of the capability.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConflictCause, isApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import type { Clock } from '../ports/clock.ts';
import { systemClock } from '../ports/clock.ts';
import type { Capabilities, EventBatch, Fencing, History, Registry, Resource } from './contract.ts';
import { Crate, Note, Region, Widget } from './widget.kit.ts';

export interface RegistryHarness {
  /** Those that its registries have. A test compares them. */
  readonly capabilities: readonly (keyof Capabilities)[];
  /** A new, empty registry. The clock is that of the component that sets the times of objects. */
  create(options: { readonly kinds: readonly Kind[]; readonly clock: Clock }): Promise<Registry>;
  /** Stores a text under a key, past all rules; undefined where that is not possible. */
  readonly damage: ((registry: Registry, key: string, text: string) => Promise<void>) | undefined;
  /**
   * A kube-apiserver with CustomResourceDefinitions: it has its own clock and wording, and neither core kinds of ours nor
   * names that are not DNS names.
   */
  readonly isKubernetes?: boolean;
  /** Closes and removes everything. */
  cleanup(): Promise<void>;
}

interface Failed {
  readonly code: string;
  readonly message: string;
  readonly causes?: readonly ConflictCause[] | undefined;
}

async function failure(promise: Promise<unknown>): Promise<Failed> {
  try {
    await promise;
  } catch (error) {
    if (isApiError(error, 'Conflict')) return { code: error.code, message: error.message, ...error.details };
    if (isApiError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'no error', message: '' };
}

export function registryRules(name: string, harness: RegistryHarness): void {
  describe(name, () => {
    let registry: Registry;
    let nowMs: number;
    const clock: Clock = { ...systemClock, now: () => nowMs };
    const open = () => harness.create({ kinds: [Widget, Crate, Region, Note], clock });
    const widgets = () => registry.resource(Widget);
    /** The newest version: unchanged as long as nothing is written. */
    const newest = async () => (await widgets().list({ limit: 1 })).resourceVersion;
    const whereCapable = (capability: keyof Capabilities, what: string, tests: () => void) =>
      harness.capabilities.includes(capability)
        ? describe(`${what} (capability: ${capability})`, tests)
        : describe.skip(`${what} (without the capability: ${capability})`, tests);
    const { isKubernetes = false } = harness;
    /** A time of the registry's clock; only its format if the server has another clock. */
    const time = (timestamp: string) =>
      isKubernetes ? expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}Z$/) : timestamp;
    const whereDamaged = harness.damage ? it : it.skip;
    const damage = async (key: string, text: string) => harness.damage?.(registry, key, text);

    beforeEach(async () => {
      nowMs = Date.UTC(2030, 0, 1, 12, 0, 0, 500);
      registry = await open();
    });
    afterEach(() => harness.cleanup());

    describe('a cluster-scoped kind', () => {
      const regions = () => registry.resource(Region);
      const edge = isKubernetes ? 'edge' : 'system:edge';

      it('has objects without a namespace, by whatever namespace they are requested', async () => {
        const made = await regions().create({ metadata: { name: edge }, spec: { size: 1 } });
        expect(made.metadata).not.toHaveProperty('namespace');
        expect(await regions().get(edge)).toEqual(made);
        expect((await regions().list({ namespace: 'other' })).items).toEqual([made]);
        const changed = await regions().update({ ...made, spec: { size: 2 } });
        expect(changed.metadata.generation).toBe(2);
        expect(await regions().delete(edge)).toEqual(changed);
        expect((await regions().list()).items).toEqual([]);
      });

      it('refuses an object with a namespace', async () => {
        const created = regions().create({ metadata: { name: 'a', namespace: 'default' }, spec: {} });
        expect(await failure(created)).toMatchObject({
          code: 'Invalid',
          message: expect.stringContaining('metadata.namespace'),
        });
      });

      it('is located by its key', async () => {
        await regions().create({ metadata: { name: edge }, spec: {} });
        const [key = ''] = (await regions().versions()).keys;
        expect(registry.locate(key)).toEqual({ kind: Region, namespace: '', name: edge });
      });

      it('has no status if its definition has none', async () => {
        await regions().create({ metadata: { name: 'a' }, spec: {} });
        const written = regions().updateStatus({ metadata: { name: 'a' } });
        expect((await failure(written)).code).toMatch(/BadRequest|NotFound/);
      });
    });

    describe.skipIf(isKubernetes)('a kind with top-level fields (not a custom resource of Kubernetes)', () => {
      const notes = () => registry.resource(Note);

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

    describe('a list as of a version', () => {
      it('shows the objects as they were', async () => {
        const made = await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
        const { resourceVersion } = await widgets().list();
        await widgets().patch('a', { spec: { size: 2 } });
        await widgets().create({ metadata: { name: 'b' }, spec: {} });
        const list = await widgets().list({ resourceVersion });
        expect(list).toMatchObject({ items: [made], resourceVersion });
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

    describe('create', () => {
      it('fills in identity, generation, time, namespace and defaults', async () => {
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

      it('refuses a second object of the same name in the namespace, not in another', async () => {
        const made = await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
        expect(await failure(widgets().create({ metadata: { name: 'a' }, spec: { size: 2 } }))).toEqual({
          code: 'AlreadyExists',
          message: 'Widget "a" already exists',
        });
        expect(await widgets().get('a')).toEqual(made);
        const other = await widgets().create({ metadata: { name: 'a', namespace: 'other' }, spec: { size: 2 } });
        expect(other.metadata.uid).not.toBe(made.metadata.uid);
      });

      it('refuses an invalid object, names every field, and stores nothing', async () => {
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

      it('takes no status, uid, generation or times from the writer', async () => {
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

      it('refuses a resourceVersion: what was read is not created', async () => {
        const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
        const copy = { ...made, metadata: { ...made.metadata, name: 'b' } };
        expect((await failure(widgets().create(copy))).message).toContain('metadata.resourceVersion: Forbidden');
      });

      it('refuses what is no object at all', async () => {
        for (const bad of [null, undefined, 7, 'text', [], {}]) {
          expect(['BadRequest', 'Invalid']).toContain((await failure(widgets().create(bad as never))).code);
        }
      });

      it('writes nothing on a dry run, and still finds what is wrong', async () => {
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

    describe('get and delete of what is not there', () => {
      it('is NotFound for get, and no error for delete', async () => {
        const before = await newest();
        expect(await failure(widgets().get('a'))).toEqual({ code: 'NotFound', message: 'Widget "a" not found' });
        expect(await widgets().delete('a')).toBeUndefined();
        expect((await widgets().list()).items).toEqual([]);
        expect(await newest()).toBe(before);
      });
    });

    describe('update', () => {
      it('needs the resourceVersion that was read', async () => {
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

      it('raises the generation when the spec changes, and only then', async () => {
        const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
        const labelled = await widgets().update({ ...made, metadata: { ...made.metadata, labels: { x: 'y' } } });
        expect(labelled.metadata.generation).toBe(1);
        const resized = await widgets().update({ ...labelled, spec: { size: 5 } });
        expect(resized.metadata.generation).toBe(2);
        const withStatus = await widgets().updateStatus({ ...resized, status: { phase: 'Done' } });
        expect(withStatus.metadata.generation).toBe(2);
      });

      it('leaves uid, creation time and status as they are', async () => {
        const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
        await widgets().updateStatus({ ...made, status: { phase: 'Done' } });
        const read = await widgets().get('a');
        nowMs += 60_000;
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

      it('makes no revision and no event when nothing changes', async () => {
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

      it('refuses another object of the same name', async () => {
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

      it('goes onto the newest object and never undoes an edit of the spec', async () => {
        const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
        await widgets().update({ ...made, spec: { size: 42 } });
        const after = await widgets().updateStatus({ ...made, status: { phase: 'Seen' } });
        expect(after.spec.size).toBe(42);
        expect(after.status).toEqual({ phase: 'Seen' });
      });

      it('survives a crowd: spec edits and status writes at once all arrive', async () => {
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

      it('refuses a status that does not fit', async () => {
        await widgets().create({ metadata: { name: 'a' }, spec: {} });
        const { message } = await failure(
          widgets().updateStatus({ metadata: { name: 'a' }, status: { phas: 'x' } as never }),
        );
        expect(message).toContain('status.phas: Unknown field: did you mean "phase"?');
      });

      it('completes a status with its defaults', async () => {
        const crates = registry.resource(Crate);
        await crates.create({ metadata: { name: 'c' }, spec: {} });
        const seen = await crates.updateStatus({ metadata: { name: 'c' }, status: { note: 'x' } });
        expect(seen.status).toEqual({ count: 0, note: 'x' });
      });

      it('can take a status away', async () => {
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

      it('cannot rename, cannot touch the status, and is validated', async () => {
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

      it('holds to a precondition', async () => {
        const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
        const { resourceVersion, uid } = made.metadata;
        await widgets().patch('a', { spec: { size: 2 } }, { resourceVersion, uid });
        expect((await failure(widgets().patch('a', { spec: { size: 3 } }, { resourceVersion }))).code).toBe('Conflict');
        expect((await failure(widgets().patch('a', { spec: { size: 3 } }, { uid: 'other' }))).code).toBe('Conflict');
      });
    });

    describe('apply', () => {
      const named = (spec: object) => ({ metadata: { name: 'a' }, spec });
      const causes = async (attempt: Promise<unknown>) => {
        const { code, causes: found } = await failure(attempt);
        return [code, found?.map(({ field, manager }) => `${manager} ${field}`)];
      };

      it('creates, then changes, then leaves alone', async () => {
        expect((await widgets().apply(named({ size: 2 }))).outcome).toBe('created');
        const before = await newest();
        nowMs += 60_000;
        expect((await widgets().apply(named({ size: 2 }))).outcome).toBe('unchanged');
        expect(await newest()).toBe(before);
        const { outcome, object } = await widgets().apply(named({ size: 3 }));
        expect(outcome).toBe('configured');
        expect(object.spec.size).toBe(3);
      });

      it('removes a field that is gone from the file and keeps one that another manager set', async () => {
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
        expect(await causes(widgets().apply(named({ parts: [{ name: 'x', weight: 2 }] }), { manager: 'two' }))).toEqual(
          ['Conflict', ['one .spec.parts[name="x"].weight']],
        );
        expect((await widgets().apply(named({}), { manager: 'one' })).object.spec.parts).toEqual([{ name: 'y' }]);
      });

      it('refuses two entries with the same key', async () => {
        await widgets().apply(named({ parts: [{ name: 'x' }] }));
        expect((await failure(widgets().apply(named({ parts: [{ name: 'x' }, { name: 'x' }] })))).code).toBe('Invalid');
      });

      it('conflicts with an update, and names who made it', async () => {
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

      it('refuses finalizers that are not a list', async () => {
        const wrong = { metadata: { name: 'a', finalizers: 'example.io/one' }, spec: {} };
        // @ts-expect-error: a file may hold anything.
        expect((await failure(widgets().apply(wrong))).code).toBe('Invalid');
      });

      it('comes to rest with empty lists, empty maps and nulls', async () => {
        const sparse = {
          metadata: { name: 'a', labels: {}, annotations: {}, finalizers: [] },
          // Kubernetes refuses a null where the schema has none.
          spec: { size: 2, note: isKubernetes ? undefined : null, options: {}, parts: [] },
        };
        // @ts-expect-error: a file may have a field without a value.
        await widgets().apply(sparse);
        const before = await newest();
        nowMs += 60_000;
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

      it('holds to a precondition', async () => {
        const { object } = await widgets().apply(named({ size: 2 }));
        const { resourceVersion, uid } = object.metadata;
        await widgets().apply(named({ size: 3 }), { resourceVersion, uid });
        expect((await failure(widgets().apply(named({ size: 4 }), { resourceVersion }))).code).toBe('Conflict');
        expect((await failure(widgets().apply(named({ size: 4 }), { uid: 'other' }))).code).toBe('Conflict');
      });

      it('ends in one object when several create it at once', async () => {
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

    describe('delete', () => {
      it('removes an object without finalizers at once', async () => {
        await widgets().create({ metadata: { name: 'a' }, spec: {} });
        expect((await widgets().delete('a', { dryRun: true }))?.metadata.name).toBe('a');
        expect((await widgets().get('a')).metadata.name).toBe('a');
        expect((await widgets().delete('a'))?.metadata.name).toBe('a');
        expect((await failure(widgets().get('a'))).code).toBe('NotFound');
      });

      it('waits for finalizers: marked first, gone with the last one', async () => {
        await widgets().create({ metadata: { name: 'a', finalizers: ['example.io/one', 'example.io/two'] }, spec: {} });
        const marked = await widgets().delete('a');
        expect(marked?.metadata.deletionTimestamp).toEqual(time('2030-01-01T12:00:00Z'));
        nowMs += 5_000;
        expect(await widgets().delete('a')).toEqual(marked);
        await widgets().patch('a', { metadata: { finalizers: ['example.io/two'] } });
        expect((await widgets().get('a')).metadata.deletionTimestamp).toBe(marked?.metadata.deletionTimestamp);
        await widgets().patch('a', { metadata: { finalizers: null } });
        expect((await failure(widgets().get('a'))).code).toBe('NotFound');
      });

      it('takes no new finalizer, and no revival, while an object is being deleted', async () => {
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

      it('holds to a precondition', async () => {
        const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
        expect((await failure(widgets().delete('a', { uid: 'other' }))).code).toBe('Conflict');
        await widgets().patch('a', { spec: { size: 2 } });
        expect((await failure(widgets().delete('a', { resourceVersion: made.metadata.resourceVersion }))).code).toBe(
          'Conflict',
        );
        expect((await widgets().delete('a', { uid: made.metadata.uid }))?.metadata.uid).toBe(made.metadata.uid);
      });
    });

    describe('list', () => {
      beforeEach(async () => {
        for (let n = 0; n < 7; n++) {
          await widgets().create({
            metadata: {
              name: `w${n}`,
              namespace: n < 5 ? 'default' : 'other',
              labels: { parity: n % 2 ? 'odd' : 'even', n: `${n}` },
            },
            spec: { size: n },
          });
        }
        await registry.resource(Crate).create({ metadata: { name: 'c' }, spec: {} });
      });
      const names = (list: Awaited<ReturnType<Resource<unknown, unknown>['list']>>) =>
        list.items.map((item) => item.metadata.name);

      it('lists one kind, in all namespaces or in one', async () => {
        expect(names(await widgets().list())).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6']);
        expect(names(await widgets().list({ namespace: 'other' }))).toEqual(['w5', 'w6']);
        expect(names(await widgets().list({ namespace: 'none' }))).toEqual([]);
      });

      it('selects by labels and fields', async () => {
        expect(names(await widgets().list({ labelSelector: 'parity=odd' }))).toEqual(['w1', 'w3', 'w5']);
        expect(names(await widgets().list({ labelSelector: 'n in (1,2),parity!=odd' }))).toEqual(['w2']);
        expect(names(await widgets().list({ fieldSelector: 'metadata.name=w3' }))).toEqual(['w3']);
        expect(
          names(
            await widgets().list({
              fieldSelector: 'spec.size!=3,metadata.namespace=default',
              labelSelector: 'parity=odd',
            }),
          ),
        ).toEqual(['w1']);
        expect((await failure(widgets().list({ labelSelector: 'a in b' }))).code).toBe('BadRequest');
      });

      it('pages through one version while writers go on', async () => {
        const first = await widgets().list({ limit: 3 });
        expect(names(first)).toEqual(['w0', 'w1', 'w2']);
        await widgets().delete('w3');
        await widgets().create({ metadata: { name: 'w3a' }, spec: {} });
        const second = await widgets().list({ limit: 3, ...(first.continue ? { continue: first.continue } : {}) });
        expect(names(second)).toEqual(['w3', 'w4', 'w5']);
        expect(second.resourceVersion).toBe(first.resourceVersion);
        const third = await widgets().list({ limit: 3, ...(second.continue ? { continue: second.continue } : {}) });
        expect(names(third)).toEqual(['w6']);
        expect(third.continue).toBeUndefined();
      });

      it('pages through a selection', async () => {
        const seen: string[] = [];
        let token: string | undefined;
        do {
          const page = await widgets().list({
            labelSelector: 'parity=even',
            limit: 1,
            ...(token ? { continue: token } : {}),
          });
          seen.push(...names(page));
          token = page.continue;
        } while (token);
        expect(seen).toEqual(['w0', 'w2', 'w4', 'w6']);
      });

      it('refuses nonsense', async () => {
        const first = await widgets().list({ limit: 3 });
        expect((await failure(widgets().list({ continue: 'nonsense' }))).code).toBe('BadRequest');
        expect((await failure(widgets().list({ limit: 0 }))).code).toBe('BadRequest');
        expect((await failure(registry.resource(Crate).list({ continue: first.continue ?? '' }))).code).toBe(
          'BadRequest',
        );
      });

      it('lists versions of one kind without reading an object', async () => {
        const { keys, ...page } = await widgets().versions();
        expect(keys).toHaveLength(7);
        expect(keys.map((_, index) => page.version(index))).toEqual(
          (await widgets().list()).items.map(({ metadata }) => metadata.resourceVersion),
        );
        expect(page.resourceVersion).toBe(await newest());
        expect(registry.locate(keys[6] ?? '')).toMatchObject({ kind: Widget, namespace: 'other', name: 'w6' });
        expect((await widgets().versions({ namespace: 'other' })).keys).toHaveLength(2);
        const named = await widgets().versions({ namespace: 'default', namePrefix: 'w1' });
        expect(named.keys).toEqual(['example.io/v1/widgets/default/w1']);
      });

      it('pages through versions as of one version', async () => {
        const first = await widgets().versions({ limit: 3 });
        await widgets().create({ metadata: { name: 'w9' }, spec: {} });
        const rest = await widgets().versions(first.continue === undefined ? {} : { continue: first.continue });
        expect([...first.keys, ...rest.keys]).toHaveLength(7);
        expect(rest.resourceVersion).toBe(first.resourceVersion);
        expect(rest.continue).toBeUndefined();
      });

      it('orders versions, and gives another identity to another object of the same name', async () => {
        const { keys, ...before } = await widgets().versions();
        const at = keys.indexOf('example.io/v1/widgets/default/w1');
        const identityNow = async () => (await widgets().versions()).identity(at);
        const [version, identity] = [before.version(at), before.identity(at)];
        const { metadata } = await widgets().patch('w1', { spec: { size: 50 } });
        expect(await identityNow()).toBe(identity);
        expect(registry.isNewer(metadata.resourceVersion, version)).toBe(true);
        expect(registry.isNewer(version, metadata.resourceVersion)).toBe(false);
        expect(registry.isNewer(version, version)).toBe(false);
        await widgets().delete('w1');
        await widgets().create({ metadata: { name: 'w1' }, spec: {} });
        expect(await identityNow()).not.toBe(identity);
      });

      whereDamaged('reports a record that cannot be read and shows the rest', async () => {
        const broken = ['{}', '{"kind":"Widget"}', JSON.stringify({ ...(await widgets().get('w1')), kind: 'Crate' })];
        for (const [n, text] of broken.entries()) await damage(`example.io/v1/widgets/default/broken${n}`, text);
        const list = await widgets().list();
        expect(list.items).toHaveLength(7);
        expect(list.problems.map((problem) => problem.key)).toEqual(
          [0, 1, 2].map((n) => `example.io/v1/widgets/default/broken${n}`),
        );
        expect((await failure(widgets().get('broken0'))).code).toBe('Corrupt');
      });
    });

    describe('watch', () => {
      async function take(
        count: number,
        options: Parameters<Resource<unknown, unknown>['watch']>[0],
      ): Promise<string[]> {
        const seen: string[] = [];
        for await (const batch of widgets().watch(options)) {
          seen.push(describeBatch(batch));
          if (seen.length >= count) break;
        }
        return seen;
      }
      const describeBatch = ({ events }: EventBatch<{ size: number }, unknown>) =>
        events
          .map((event) =>
            event.type === 'Problem'
              ? `Problem ${event.key}`
              : `${event.type} ${event.object.metadata.name} ${event.object.spec.size}`,
          )
          .join(', ');

      it('delivers what happened after a list, and goes on live', async () => {
        const { resourceVersion } = await widgets().list();
        await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
        await registry.resource(Crate).create({ metadata: { name: 'c' }, spec: {} });
        const watching = take(3, { resourceVersion });
        await widgets().patch('a', { spec: { size: 2 } });
        await widgets().delete('a');
        expect(await watching).toEqual(['Added a 1', 'Modified a 2', 'Deleted a 2']);
      });

      it('shows an object that starts or ceases to match a selector as added or deleted', async () => {
        const { resourceVersion } = await widgets().list();
        await widgets().create({ metadata: { name: 'a', labels: { on: 'no' } }, spec: { size: 1 } });
        await widgets().patch('a', { metadata: { labels: { on: 'yes' } } });
        await widgets().patch('a', { spec: { size: 2 } });
        await widgets().patch('a', { metadata: { labels: { on: 'no' } }, spec: { size: 3 } });
        await widgets().delete('a');
        await widgets().create({ metadata: { name: 'b', labels: { on: 'yes' } }, spec: { size: 4 } });
        expect(await take(4, { resourceVersion, labelSelector: 'on=yes' })).toEqual([
          'Added a 1',
          'Modified a 2',
          'Deleted a 2',
          'Added b 4',
        ]);
      });

      whereDamaged('reports a change that cannot be read and goes on', async () => {
        const { resourceVersion } = await widgets().list();
        await damage('example.io/v1/widgets/default/x', '{}');
        await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
        expect(await take(2, { resourceVersion })).toEqual(['Problem example.io/v1/widgets/default/x', 'Added a 1']);
      });

      it('says BadRequest for what is no version', async () => {
        expect((await failure(take(1, { resourceVersion: 'soon' }))).code).toBe('BadRequest');
      });

      it('gives keys and identities alone to those who need no objects', async () => {
        const resourceVersion = await newest();
        const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
        await widgets().delete('a');
        const seen: unknown[] = [];
        for await (const batch of widgets().watchVersions({ resourceVersion })) {
          if (seen.length === 0) expect(batch.resourceVersion).toBe(made.metadata.resourceVersion);
          seen.push(...batch.changes);
          if (seen.length >= 2) break;
        }
        const key = 'example.io/v1/widgets/default/a';
        expect(seen).toEqual([
          { type: 'put', key, identity: expect.stringMatching(/./) },
          { type: 'delete', key },
        ]);
      });

      it('ends quietly when its signal aborts', async () => {
        const resourceVersion = await newest();
        const stop = new AbortController();
        const ended = (async () => {
          for await (const _ of widgets().watchVersions({ resourceVersion, signal: stop.signal }));
        })();
        stop.abort('enough');
        await ended;
      });
    });

    describe('an observer', () => {
      it('is told of every write, and of no read, conflict or dry run', async () => {
        const seen: unknown[] = [];
        const observe = (who: string) => ({
          written: (version: string, keys: readonly string[]) => seen.push([who, version, ...keys]),
          failed: (error: unknown) => seen.push([who, error]),
        });
        const observed = registry.observedBy(observe('one')).observedBy(observe('two')).resource(Widget);
        const { metadata } = await observed.create({ metadata: { name: 'a' }, spec: {} });
        await observed.create({ metadata: { name: 'b' }, spec: {} }, { dryRun: true });
        await failure(observed.create({ metadata: { name: 'a' }, spec: {} }));
        await observed.get('a');
        await widgets().create({ metadata: { name: 'c' }, spec: {} });
        const key = 'example.io/v1/widgets/default/a';
        expect(seen).toEqual(['one', 'two'].map((who) => [who, metadata.resourceVersion, key]));
      });
    });

    it('refuses a kind that it was opened without', async () => {
      const bare = await harness.create({ kinds: [Crate], clock });
      expect(() => bare.resource(Widget)).toThrow('opened without the kind Widget');
      expect(registry.locate('fences/leader')).toBeUndefined();
      expect(registry.locate('example.io/v1/others/default/x')).toBeUndefined();
    });

    it('has the capabilities that are tested here, and no others', () => {
      const { fencing, multiKey, history, garbage, storage } = registry.capabilities;
      const found = Object.entries({ fencing, multiKey, history, garbage, storage }).filter(
        ([, value]) => value !== undefined,
      );
      expect(found.map(([name]) => name)).toEqual(harness.capabilities);
    });

    whereCapable('history', 'what a compaction forgets', () => {
      const compact = async () => {
        const { newest: newestOf, compact: compactTo } = registry.capabilities.history as History;
        await compactTo(await newestOf());
      };

      it('cannot be listed on: the rest of a list is Expired', async () => {
        for (const name of ['a', 'b', 'c']) await widgets().create({ metadata: { name }, spec: {} });
        const first = await widgets().list({ limit: 1 });
        const versions = await widgets().versions({ limit: 1 });
        await widgets().patch('a', { spec: { size: 100 } });
        await compact();
        expect((await failure(widgets().list({ limit: 1, continue: first.continue ?? '' }))).code).toBe('Expired');
        expect((await failure(widgets().versions({ continue: versions.continue ?? '' }))).code).toBe('Expired');
      });

      it('cannot be watched: a watch from before is Expired', async () => {
        const made = await widgets().create({ metadata: { name: 'a' }, spec: {} });
        await widgets().patch('a', { spec: { size: 2 } });
        await widgets().patch('a', { spec: { size: 3 } });
        await compact();
        const { resourceVersion } = made.metadata;
        const drain = async (batches: AsyncIterable<unknown>) => {
          for await (const _ of batches) return;
        };
        expect((await failure(drain(widgets().watch({ resourceVersion })))).code).toBe('Expired');
        expect((await failure(drain(widgets().watchVersions({ resourceVersion })))).code).toBe('Expired');
      });
    });

    whereCapable('multiKey', 'a commit of several keys', () => {
      it('writes all of them at one version', async () => {
        const places = ['a', 'b'].map((name) => ({ name, namespace: 'default' }));
        const { multiKey } = registry.capabilities;
        await multiKey?.resource(Widget).changeAll(places, ({ name }) => ({ metadata: { name }, spec: { size: 7 } }));
        const { items } = await widgets().list();
        expect(items.map(({ spec }) => spec.size)).toEqual([7, 7]);
        expect(new Set(items.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
      });
    });

    whereCapable('garbage', 'a garbage collection', () => {
      it('deletes what has lost its owner, and nothing else', async () => {
        const { apiVersion, kind, metadata } = await widgets().create({ metadata: { name: 'owner' }, spec: {} });
        const ownerReferences = [{ apiVersion, kind, name: 'owner', uid: metadata.uid }];
        await widgets().create({ metadata: { name: 'owned', ownerReferences }, spec: {} });
        expect(await registry.capabilities.garbage?.sweep()).toBe(0);
        await widgets().delete('owner');
        await widgets().create({ metadata: { name: 'free' }, spec: {} });
        expect(await registry.capabilities.garbage?.sweep()).toBe(1);
        expect((await widgets().list()).items.map((item) => item.metadata.name)).toEqual(['free']);
      });
    });

    whereCapable('fencing', 'fences', () => {
      const fencing = () => registry.capabilities.fencing as Fencing;
      const raise = async (name: string) => fencing().fencedBy(await fencing().raiseFence(name));

      it('refuse the writes of a former leader, and nothing else', async () => {
        const first = await raise('leader');
        const made = await first.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
        const second = await raise('leader');
        const late = [
          first.resource(Widget).update({ ...made, spec: { size: 2 } }),
          first.resource(Widget).create({ metadata: { name: 'b' }, spec: {} }),
          first.resource(Widget).updateStatus({ ...made, status: { phase: 'x' } }),
          first.resource(Widget).apply({ metadata: { name: 'a' }, spec: { size: 9 } }, { force: true }),
          first.resource(Widget).patch('a', { spec: { size: 9 } }),
          first.resource(Widget).delete('a'),
        ];
        expect((await Promise.all(late.map(failure))).map(({ code }) => code)).toEqual(late.map(() => 'Fenced'));
        expect(await widgets().get('a')).toEqual(made);
        expect((await second.resource(Widget).patch('a', { spec: { size: 2 } })).spec.size).toBe(2);
        expect((await first.resource(Widget).get('a')).spec.size).toBe(2);
      });

      it('tell a former leader before it does something outside the registry, and nothing is written', async () => {
        const seen: unknown[] = [];
        const first = (await raise('leader')).observedBy({ written: (...news) => seen.push(news) });
        const before = await newest();
        await first.checkFence();
        await registry.checkFence();
        expect(await newest()).toBe(before);
        await raise('leader');
        expect((await failure(first.checkFence())).code).toBe('Fenced');
        expect(seen).toEqual([]);
      });

      it('have a higher epoch each time, and fences of other names do not matter', async () => {
        const one = await fencing().raiseFence('leader');
        await raise('other');
        await fencing()
          .fencedBy(one)
          .resource(Widget)
          .create({ metadata: { name: 'a' }, spec: {} });
        expect((await fencing().raiseFence('leader')).epoch).toBeGreaterThan(one.epoch);
      });

      it('are raised only while the lease is still held', async () => {
        const lease = await registry.resource(Crate).create({ metadata: { name: 'lease' }, spec: { label: 'me' } });
        const leader = fencing().fencedBy(await fencing().raiseFence('leader', lease));
        const taken = await registry.resource(Crate).update({ ...lease, spec: { label: 'another' } });
        expect((await failure(fencing().raiseFence('leader', lease))).code).toBe('Conflict');
        await leader.resource(Widget).create({ metadata: { name: 'a' }, spec: {} });
        await fencing().raiseFence('leader', taken);
        expect((await failure(leader.resource(Widget).delete('a'))).code).toBe('Fenced');
      });

      it('have sensible names', async () => {
        expect((await failure(fencing().raiseFence('../x'))).code).toBe('BadRequest');
      });
    });
  });
}
