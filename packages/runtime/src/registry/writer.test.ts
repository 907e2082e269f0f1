/** What an observer of a registry learns of the writes through it. */
import { Widget } from '@ecsm/runtime/testing';
import { expect, it } from 'vitest';
import { ApiError } from '../api/errors.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { EmbeddedRegistry } from './embedded.ts';

class BrokenStore extends MemoryStore {
  isBroken = false;

  override async commit(...args: Parameters<MemoryStore['commit']>): ReturnType<MemoryStore['commit']> {
    if (this.isBroken) throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
    return super.commit(...args);
  }
}

const input = { metadata: { name: 'a' }, spec: {} };
const key = 'example.io/v1/widgets/default/a';

it('an observer learns of every write, with its version and its keys, and of failures', async () => {
  const store = new BrokenStore();
  const seen: unknown[] = [];
  const registry = new EmbeddedRegistry({ store, kinds: [Widget] }).observedBy({
    written: (version, keys) => void seen.push([version, keys]),
    failed: (error) => void seen.push((error as ApiError).code),
  });
  const made = await registry.resource(Widget).create(input);
  await registry.resource(Widget).update(made);
  const changed = await registry.resource(Widget).patch('a', { spec: { size: 2 } });
  expect(seen.splice(0)).toEqual([
    [made.metadata.resourceVersion, [key]],
    [changed.metadata.resourceVersion, [key]],
  ]);
  store.isBroken = true;
  await expect(registry.resource(Widget).delete('a')).rejects.toMatchObject({ code: 'Unavailable' });
  expect(seen).toEqual(['Unavailable']);
});

it('a fence is checked without a write, and its loss is an error', async () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: [Widget] });
  const seen: unknown[] = [];
  const fenced = registry
    .fencedBy(await registry.raiseFence('main'))
    .observedBy({ written: (version, keys) => void seen.push([version, keys]) });
  const before = await registry.revision();
  await fenced.checkFence();
  expect([await registry.revision(), seen]).toEqual([before, []]);
  const { metadata } = await fenced.resource(Widget).create(input);
  expect(seen).toEqual([[metadata.resourceVersion, [key]]]);
  await registry.raiseFence('main');
  await expect(fenced.checkFence()).rejects.toMatchObject({ code: 'Fenced' });
  await expect(fenced.resource(Widget).delete('a')).rejects.toMatchObject({ code: 'Fenced' });
});
