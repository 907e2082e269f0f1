/** Writes of callers that were shown an object without its secrets. */
import { beforeEach, describe, expect, it } from 'vitest';
import { defineKind } from '../api/kind.ts';
import { list, object, optional, string } from '../api/schema/build.ts';
import { withoutSecrets } from '../api/secrets.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { EmbeddedRegistry } from './embedded.ts';

const Safe = defineKind({
  group: 'example.io',
  version: 'v1',
  kind: 'Safe',
  plural: 'safes',
  spec: object({
    colour: string(),
    code: string({ secret: true }),
    env: optional(list(object({ name: string(), value: string({ secret: true }) }), { uniqueBy: 'name' })),
  }),
  status: object({ phase: optional(string()) }),
});
const unseen = { withoutSecrets: true, manager: 'user' };
const spec = { colour: 'red', code: '4711', env: [{ name: 'A', value: '4711' }] };

describe('a write without secrets', () => {
  const safes = () => registry.resource(Safe);
  let registry: EmbeddedRegistry;
  beforeEach(async () => {
    registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Safe] });
    await safes().create({ metadata: { name: 'a' }, spec }, { manager: 'owner' });
  });
  const stored = () => safes().get('a');
  const shown = async () => withoutSecrets(Safe, await stored());

  it('keeps required and optional ones, and changes nothing if nothing else changes', async () => {
    const before = await stored();
    expect(await safes().update(await shown(), unseen)).toEqual(before);
    const { metadata } = await shown();
    const changed = { metadata, spec: { colour: 'blue', env: [{ name: 'A' }] } } as unknown as typeof before;
    expect((await safes().update(changed, unseen)).spec).toEqual({ ...spec, colour: 'blue' });
  });

  it('changes the version and the owner for a right guess as for a wrong one, also in a dry run', async () => {
    for (const dryRun of [true, false]) {
      const { metadata } = await stored();
      for (const code of ['4711', '0815']) {
        const guessed = await safes().update({ metadata, spec: { ...spec, code } }, { ...unseen, dryRun: true });
        expect(guessed.metadata.generation).toBe(metadata.generation + 1);
        expect(guessed.metadata.managedFields?.map(({ manager }) => manager).sort()).toEqual(['owner', 'user']);
      }
      if (!dryRun) {
        const same = await safes().update({ metadata, spec: { colour: 'red', code: '4711' } }, unseen);
        expect(same.metadata.resourceVersion).not.toBe(metadata.resourceVersion);
      }
    }
  });

  it('needs the version that was read, and an object that exists', async () => {
    const old = await shown();
    await safes().patch('a', { spec: { colour: 'green' } });
    await expect(safes().update(old, unseen)).rejects.toMatchObject({ code: 'Conflict' });
    const other = { ...old, metadata: { ...old.metadata, name: 'b' } };
    await expect(safes().update(other, unseen)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(safes().update({ ...old, metadata: {} as never }, unseen)).rejects.toMatchObject({ code: 'Invalid' });
  });

  it('of a status by apply does not touch them', async () => {
    const status = { apiVersion: 'example.io/v1', kind: 'Safe', metadata: { name: 'a' }, spec, status: { phase: 'x' } };
    await safes().apply(status, { ...unseen, subresource: 'status' });
    expect(await stored()).toMatchObject({ spec, status: { phase: 'x' } });
  });
});
