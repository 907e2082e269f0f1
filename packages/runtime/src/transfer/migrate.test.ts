import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { availableStores } from '../store/stores.kit.ts';
import { isLeadershipKey } from './leadership.ts';
import { incompleteTransfer } from './marker.ts';
import { migrate } from './migrate.ts';
import type { TransferProgress } from './progress.ts';
import {
  bytes,
  contentOf,
  dying,
  entriesOf,
  failure,
  fillWith,
  furnish,
  overlaid,
  put,
  widgetKey,
} from './transfer.kit.ts';

const stores = availableStores();
const ways = stores.flatMap((from) => stores.map((to) => ({ way: `${from.name} to ${to.name}`, from, to })));

async function carriedOf(store: Store) {
  return (await contentOf(store)).filter(([key]) => !isLeadershipKey(key));
}

describe('a migration', () => {
  afterEach(async () => {
    for (const { harness } of stores) await harness.cleanup();
  });

  it.each(ways)('from $way transfers every byte', async ({ from, to }) => {
    const source = await from.harness.create();
    const target = await to.harness.create();
    await furnish(source);
    const sourceRevision = await source.revision();
    const summary = await migrate(source, target);
    expect(await contentOf(await to.harness.connect(target))).toEqual(await carriedOf(source));
    expect(summary).toMatchObject({ objects: 16, leftOut: 2, damaged: 0, hasSourceChanged: false });
    expect(summary.sourceRevision).toBe(sourceRevision);
    expect(summary.revision).toBe(await target.revision());
    expect((await failure(migrate(source, target))).code).toBe('Forbidden');
  });

  it.each(stores)('into $name that is interrupted is recognised, and can be repeated', async ({ harness }) => {
    const source = new MemoryStore();
    await fillWith(source, 300);
    const target = await harness.create();
    await failure(migrate(source, dying(target, 3, true), { name: 'sqlite:./old' }));
    expect(await incompleteTransfer(target)).toMatchObject({
      transfer: 'migration',
      source: `sqlite:./old (revision ${await source.revision()})`,
      objects: 254,
    });
    expect((await failure(migrate(target, new MemoryStore()))).code).toBe('Forbidden');
    await migrate(source, target);
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });

  it('of a registry to itself is refused, and changes nothing', async () => {
    const store = new MemoryStore();
    await furnish(store);
    const before = await contentOf(store);
    expect((await failure(migrate(store, store))).code).toBe('Forbidden');
    expect(await contentOf(store)).toEqual(before);
  });

  it('reports that the source has changed meanwhile, but not for leases and fences', async () => {
    for (const [key, hasSourceChanged] of [
      [widgetKey('new'), true],
      [widgetKey('w1'), true],
      ['coordination.k8s.io/v1/leases/default/operator', false],
    ] as const) {
      const source = new MemoryStore();
      await furnish(source);
      const before = await carriedOf(source);
      let written: Promise<void> | undefined;
      const onProgress = () => {
        written ??= put(source, key, bytes({ news: true }));
      };
      const target = new MemoryStore();
      expect((await migrate(source, target, { onProgress })).hasSourceChanged).toBe(hasSourceChanged);
      await written;
      expect(await contentOf(target)).toEqual(before);
    }
  });

  it('does not skip damaged records unless configured', async () => {
    const whole = new MemoryStore();
    await fillWith(whole, 3);
    const key = widgetKey('000001');
    const source = overlaid(whole, {
      async list(...call) {
        const page = await whole.list(...call);
        const damaged = [{ key, revision: 1, reason: 'its checksum does not match' }];
        return { ...page, entries: page.entries.filter((entry) => entry.key !== key), damaged };
      },
    });
    const target = new MemoryStore();
    expect((await failure(migrate(source, target))).code).toBe('Corrupt');
    expect(await target.revision()).toBe(0);
    const summary = await migrate(source, target, { leaveOutDamaged: true });
    expect(summary).toMatchObject({ objects: 2, damaged: 1, hasSourceChanged: false });
    expect((await entriesOf(target)).map((entry) => entry.key)).toEqual([widgetKey('000000'), widgetKey('000002')]);
  });

  it('of an empty registry creates an empty registry', async () => {
    const target = new MemoryStore();
    expect((await migrate(new MemoryStore(), target)).objects).toBe(0);
    expect(await entriesOf(target)).toEqual([]);
  });

  it('detects a target that does not return what was written', async () => {
    const source = new MemoryStore();
    await fillWith(source, 3);
    const underlying = new MemoryStore();
    const target = overlaid(underlying, {
      async list(...call) {
        const page = await underlying.list(...call);
        return { ...page, entries: page.entries.map((entry) => ({ ...entry, value: bytes('other') })) };
      },
    });
    expect((await failure(migrate(source, target))).code).toBe('Conflict');
    expect(await incompleteTransfer(underlying)).toBeDefined();
  });

  it('reports its progress, and stops on abort', async () => {
    const source = new MemoryStore();
    await fillWith(source, 300);
    const reports: TransferProgress[] = [];
    await migrate(source, new MemoryStore(), { onProgress: (progress) => reports.push(progress) });
    expect(reports.map(({ phase, objects }) => `${phase} ${objects}`)).toEqual([
      'writing 127',
      'writing 254',
      'writing 300',
      'comparing 300',
    ]);
    const target = new MemoryStore();
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('enough'));
    await expect(migrate(source, target, { signal: stop.signal, onProgress })).rejects.toThrow('enough');
    expect(await incompleteTransfer(target)).toMatchObject({ objects: 127 });
  });
});
