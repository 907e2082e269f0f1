import { expect, it } from 'vitest';
import { keyOf } from '../registry/keys.ts';
import { Registry } from '../registry/registry.ts';
import { Widget } from '../registry/widget.kit.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { generationChanged } from './predicate.ts';
import { Source } from './source.ts';

it('lets the change through that brought an object seen before its time', async () => {
  const registry = new Registry({ store: new MemoryStore(), kinds: [Widget] });
  const widgets = registry.resource(Widget);
  const older = Number((await widgets.create({ metadata: { name: 'a' }, spec: { size: 1 } })).metadata.resourceVersion);
  const newer = Number((await widgets.patch('a', { spec: { size: 2 } })).metadata.resourceVersion);
  const key = keyOf(Widget, 'default', 'a');
  let seen = older;
  const source = new Source(registry, Widget, { kind: Widget, predicates: [generationChanged] }, () => seen);
  const wakes = (type: 'added' | 'updated', revision: number) =>
    source.wakes({ type, key, revision, relisted: false, initial: false });

  // A late list tells of the first version, though the second is what can be read by now.
  expect(await wakes('added', older)).toHaveLength(1);
  seen = newer;
  expect(await wakes('updated', newer)).toHaveLength(1);
  expect(await wakes('updated', newer)).toHaveLength(0);
  await registry.close();
});
