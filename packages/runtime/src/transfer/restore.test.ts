import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lease } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { Widget } from '@ecsm/runtime/testing';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { fenceKey, keyOf } from '../registry/keys.ts';
import { openRegistry } from '../registry/open.ts';
import { limits } from '../store/contract.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { availableStores } from '../store/stores.kit.ts';
import { isLeadershipKey } from './leadership.ts';
import { incompleteTransfer, markerKey } from './marker.ts';
import type { TransferProgress } from './progress.ts';
import { restore } from './restore.ts';
import {
  addOddities,
  backupOf,
  bytes,
  chunked,
  contentOf,
  dying,
  entriesOf,
  failure,
  fillWith,
  furnish,
  leadershipRecords,
  put,
  widgetKey,
} from './transfer.kit.ts';

async function furnished(): Promise<MemoryStore> {
  const store = new MemoryStore();
  await furnish(store);
  return store;
}

const withoutLeadership = (content: readonly (readonly [string, string])[]) =>
  content.filter(([key]) => !isLeadershipKey(key));

describe.each(availableStores())('a restore into a $name store', ({ name, harness }) => {
  afterEach(() => harness.cleanup());

  it('restores every byte, and a second backup is equal', async () => {
    const source = await furnished();
    const whole = await backupOf(source);
    const target = await harness.create();
    const summary = await restore(() => chunked(whole), target);
    expect(await contentOf(target)).toEqual(withoutLeadership(await contentOf(source)));
    expect(summary).toMatchObject({ objects: 16, leftOut: leadershipRecords, backup: { objects: 18, damaged: 0 } });
    expect(summary.revision).toBe(await target.revision());
    expect(await incompleteTransfer(target)).toBeUndefined();

    const again = new MemoryStore();
    const copy = await backupOf(target);
    await restore(chunked(copy), again);
    expect(await contentOf(again)).toEqual(await contentOf(target));
  });

  it('keeps identity and history, with resource versions of the new store', async () => {
    const source = await furnished();
    const before = await new EmbeddedRegistry({ store: source, kinds: [Widget] }).resource(Widget).list();
    const target = await harness.create();
    await restore(chunked(await backupOf(source)), target);
    const widgets = new EmbeddedRegistry({ store: await harness.connect(target), kinds: [Widget] }).resource(Widget);
    const after = await widgets.list();
    const withoutVersion = ({ metadata: { resourceVersion, ...metadata }, ...rest }: (typeof after.items)[number]) => ({
      ...rest,
      metadata,
    });
    expect(after.items.map(withoutVersion)).toEqual(before.items.map(withoutVersion));
    const revisions = new Map((await entriesOf(target)).map(({ key, revision }) => [key, String(revision)]));
    for (const { metadata } of after.items) {
      expect(metadata.resourceVersion).toBe(revisions.get(keyOf(Widget, metadata.namespace, metadata.name)));
    }
    // It can be used.
    const changed = await widgets.patch('w3', { spec: { size: 34 } });
    expect(changed.metadata.generation).toBe(3);
  });

  it('that is interrupted anywhere is recognised, and can be repeated', async () => {
    const source = new MemoryStore();
    await fillWith(source, 300);
    const whole = await backupOf(source);
    const wanted = await contentOf(source);
    // The marker, three commits of objects, the removal of the marker.
    const points = name === 'memory' || name === 'sqlite' ? [1, 2, 3, 4, 5] : [3];
    for (const point of points) {
      for (const isCommitted of [false, true]) {
        const target = await harness.create();
        const error = await failure(restore(chunked(whole), dying(target, point, isCommitted)));
        expect(error.code).toBe('Unavailable');
        const next = await harness.connect(target);
        if (point === 5 && isCommitted) {
          // Only the response was lost.
          expect(await contentOf(next)).toEqual(wanted);
          expect((await failure(restore(chunked(whole), next))).code).toBe('Forbidden');
          continue;
        }
        const incomplete = await incompleteTransfer(next);
        const objects = Math.min(300, Math.max(0, point - (isCommitted ? 1 : 2)) * 127);
        if (point === 1 && !isCommitted) expect(incomplete).toBeUndefined();
        else expect(incomplete).toMatchObject({ transfer: 'restore', objects });
        // It dies again while it removes what is there, and once more.
        if (objects > 127) await failure(restore(chunked(whole), dying(next, 2, isCommitted)));
        await restore(() => chunked(whole), next);
        expect(await contentOf(next)).toEqual(wanted);
        expect(await incompleteTransfer(next)).toBeUndefined();
      }
    }
  });

  it('is refused if the target is not empty, with a count of its contents', async () => {
    const target = await harness.create();
    await furnish(target);
    const before = await contentOf(target);
    const revision = await target.revision();
    const whole = await backupOf(await furnished());
    for (const source of [() => chunked(whole), chunked(whole)]) {
      const error = await failure(restore(source, target, { startOver: true }));
      expect(error.code).toBe('Forbidden');
      expect(error.message).toBe(
        'the target is not empty, and nothing is overwritten: it holds 18 objects (1 coordination.k8s.io/v1/leases, ' +
          '1 ecsm.sh/v1/operatoridentities, 1 example.io/v1/crates, 11 example.io/v1/widgets, 3 unknown.io/v7/things, 1 fences)',
      );
    }
    expect(await contentOf(target)).toEqual(before);
    expect(await target.revision()).toBe(revision);
  });

  it('accepts an object of the maximum size of a commit', async () => {
    const source = new MemoryStore();
    const overhead = bytes('').byteLength;
    const large = (index: number) => bytes('x'.repeat(limits.commitBytesMax - overhead - index));
    for (const index of [0, 1, 2_047, 2_048, 2_049]) await put(source, widgetKey(`large-${index}`), large(index));
    await put(source, widgetKey('small'), bytes(1));
    const target = await harness.create();
    await restore(chunked(await backupOf(source), 100_000), target);
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });

  if (name !== 'file') {
    it('restores values that are not JSON', async () => {
      const source = new MemoryStore();
      await addOddities(source);
      const target = await harness.create();
      await restore(chunked(await backupOf(source)), target);
      expect(await contentOf(target)).toEqual(await contentOf(source));
    });
  } else {
    it('names the value that it cannot store', async () => {
      const source = await furnished();
      await addOddities(source);
      const target = await harness.create();
      const error = await failure(restore(chunked(await backupOf(source)), target));
      expect(error.code).toBe('BadRequest');
      expect(error.message).toBe(
        'the target cannot hold "unknown.io/v7/things/default/binary": a file store accepts only JSON: the value is not JSON',
      );
      expect(await incompleteTransfer(target)).toMatchObject({ objects: 13 });
    });
  }
});

describe('a file registry that was restored', () => {
  it('keeps everything when it is opened again, unknown kinds too, and has no problems', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ecsm-restore-'));
    try {
      const whole = await backupOf(await furnished());
      const first = await openRegistry(`file:${directory}`, { kinds: [Widget] });
      await restore(() => chunked(whole), first.store);
      const content = await contentOf(first.store);
      await first.close();
      const second = await openRegistry(`file:${directory}`, { kinds: [Widget] });
      expect(await contentOf(second.store)).toEqual(content);
      expect(second.problems()).toEqual([]);
      expect(readdirSync(directory).sort()).toEqual(['.registry', 'ecsm.sh', 'example.io', 'transfers', 'unknown.io']);
      expect(readdirSync(join(directory, 'transfers'))).toEqual([]);
      await second.close();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

describe('a restore', () => {
  let whole: Buffer;
  beforeAll(async () => {
    const store = new MemoryStore();
    await fillWith(store, 400, 20);
    whole = await backupOf(store);
  });

  it('of a damaged backup that can be read twice writes nothing at all', async () => {
    const random = new SeededRandom(7);
    for (let round = 0; round < 40; round++) {
      const damaged = Buffer.from(
        whole.subarray(0, random.chance(0.5) ? undefined : random.integer(0, whole.length - 2)),
      );
      const index = random.integer(0, Math.max(0, damaged.length - 1));
      if (damaged.length === whole.length) damaged[index] = (damaged[index] ?? 0) ^ 0x10;
      const target = new MemoryStore();
      expect(['Malformed', 'Corrupt']).toContain((await failure(restore(() => chunked(damaged), target))).code);
      expect(await target.revision()).toBe(0);
    }
  });

  it('of a damaged stream is never complete, and another restore can follow', async () => {
    const random = new SeededRandom(8);
    for (let round = 0; round < 40; round++) {
      const cut = whole.subarray(0, random.integer(0, whole.length - 2));
      const target = new MemoryStore();
      expect(['Malformed', 'Corrupt']).toContain((await failure(restore(chunked(cut), target))).code);
      expect((await target.revision()) === 0 || (await incompleteTransfer(target)) !== undefined).toBe(true);
      await restore(chunked(whole), target);
      expect((await entriesOf(target)).length).toBe(400);
    }
  });

  it('detects that the backup was replaced between two reads', async () => {
    const other = new MemoryStore();
    await fillWith(other, 5);
    const backups = [whole, await backupOf(other)];
    const target = new MemoryStore();
    const error = await failure(restore(() => chunked(backups.shift() ?? whole), target));
    expect(error.message).toBe('backup is damaged: it was replaced while it was being restored');
    expect(await incompleteTransfer(target)).toBeDefined();
  });

  it('transfers everything if configured', async () => {
    const source = await furnished();
    const target = new MemoryStore();
    const summary = await restore(chunked(await backupOf(source)), target, { leadership: 'carry over' });
    expect(await contentOf(target)).toEqual(await contentOf(source));
    expect(summary.leftOut).toBe(0);
  });

  it('recognises exactly leases and fences', () => {
    expect(isLeadershipKey(keyOf(Lease, 'default', 'operator'))).toBe(true);
    expect(isLeadershipKey(fenceKey('operator'))).toBe(true);
    expect(isLeadershipKey('ecsm.sh/v1/operatoridentities/default/registry')).toBe(false);
    expect(isLeadershipKey('other.io/v1/leases/default/operator')).toBe(false);
  });

  it('refuses the writes of former leaders', async () => {
    const source = await furnished();
    const fence = await new EmbeddedRegistry({ store: source, kinds: [Widget] }).raiseFence('operator');
    const target = new MemoryStore();
    await restore(chunked(await backupOf(source)), target);
    const former = new EmbeddedRegistry({ store: target, kinds: [Widget] }).fencedBy(fence);
    const error = await failure(former.resource(Widget).patch('w1', { spec: { size: 5 } }));
    expect(error.code).toBe('Fenced');
  });

  it('does not remove what other clients have written to an unfinished one, unless configured', async () => {
    const meddlings: readonly ((store: MemoryStore) => Promise<unknown>)[] = [
      (store) => put(store, widgetKey('mine'), bytes({})),
      (store) => put(store, widgetKey('000000'), bytes({})),
      (store) => store.commit([{ type: 'delete', key: widgetKey('000000') }]),
      (store) => put(store, markerKey, bytes('what is this')),
    ];
    for (const meddle of meddlings) {
      const target = new MemoryStore();
      await failure(restore(chunked(whole), dying(target, 3, true)));
      await meddle(target);
      const before = await contentOf(target);
      const error = await failure(restore(() => chunked(whole), target));
      expect(error.code).toBe('Forbidden');
      expect(error.details).toMatchObject({ remedy: 'startOver' });
      expect(error.message).toMatch(/^the target holds an unfinished .*others have written to it since.*start over/u);
      expect(await contentOf(target)).toEqual(before);
      await restore(() => chunked(whole), target, { startOver: true });
      expect((await entriesOf(target)).length).toBe(400);
    }
  });

  it('that is interrupted at an object too large to share a commit can be repeated', async () => {
    const source = new MemoryStore();
    await fillWith(source, 3);
    await put(source, widgetKey('large'), bytes('x'.repeat(limits.commitBytesMax - 2)));
    await put(source, widgetKey('last'), bytes(1));
    const large = await backupOf(source);
    for (let point = 1; point <= 5; point++) {
      for (const isCommitted of [false, true]) {
        const target = new MemoryStore();
        await failure(restore(chunked(large, 100_000), dying(target, point, isCommitted)));
        await restore(chunked(large, 100_000), target);
        expect(await contentOf(target)).toEqual(await contentOf(source));
      }
    }
  });

  it('detects any write of another client to the target', async () => {
    const meddlings: readonly ((store: MemoryStore) => Promise<unknown>)[] = [
      (store) => put(store, widgetKey('mine'), bytes({})),
      (store) => put(store, widgetKey('000000'), bytes({})),
      (store) => put(store, widgetKey('000399'), bytes({})),
      (store) => store.commit([{ type: 'delete', key: widgetKey('000000') }]),
    ];
    for (const meddle of meddlings) {
      const target = new MemoryStore();
      let meddled: Promise<unknown> | undefined;
      const onProgress = () => {
        meddled ??= meddle(target);
      };
      const error = await failure(restore(chunked(whole), target, { onProgress }));
      await meddled;
      expect(error.code).toBe('Conflict');
      expect(error.message).toMatch(/^Registry "target": .*stop it and start over$/u);
      expect(await incompleteTransfer(target)).toBeDefined();
    }
  });

  it('fails when a second one starts, and the two are not mixed', async () => {
    const target = new MemoryStore();
    async function* slow() {
      const half = whole.length / 2;
      yield whole.subarray(0, half);
      expect((await incompleteTransfer(target))?.objects).toBe(127);
      await restore(() => chunked(whole), target);
      yield whole.subarray(half);
    }
    const error = await failure(restore(slow(), target));
    expect(error.message).toBe('Registry "target": another transfer has taken it over from this restore');
    expect((await entriesOf(target)).length).toBe(400);
    expect(await incompleteTransfer(target)).toBeUndefined();
  });

  it('reports its progress, and stops on abort', async () => {
    const reports: TransferProgress[] = [];
    await restore(() => chunked(whole), new MemoryStore(), { onProgress: (progress) => reports.push(progress) });
    const writing = reports.filter(({ phase }) => phase === 'writing').map(({ objects }) => objects);
    expect(writing).toEqual([127, 254, 381, 400]);
    expect(reports.at(-1)).toMatchObject({ phase: 'comparing', objects: 400, objectsTotal: 400 });

    const target = new MemoryStore();
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error('enough'));
    await expect(restore(chunked(whole), target, { signal: stop.signal, onProgress })).rejects.toThrow('enough');
    expect(await incompleteTransfer(target)).toMatchObject({ objects: 127 });
  });
});
