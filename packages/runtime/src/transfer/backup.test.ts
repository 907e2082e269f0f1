import { VirtualClock } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../store/memory/store.ts';
import { availableStores } from '../store/stores.kit.ts';
import { backup } from './backup.ts';
import type { BackupSummary } from './format.ts';
import { markerKey } from './marker.ts';
import { restore, verifyBackup } from './restore.ts';
import {
  addOddities,
  backupOf,
  bytes,
  chunked,
  contentOf,
  failure,
  fillWith,
  furnish,
  overlaid,
  put,
  widgetKey,
} from './transfer.kit.ts';

const clock = new VirtualClock(Date.UTC(2026, 10, 16, 2));

describe('a backup', () => {
  it('is readable text', async () => {
    const store = new MemoryStore();
    await put(store, widgetKey('a'), bytes({ spec: { size: 1 } }));
    await put(store, widgetKey('b'), Buffer.from('{"half'));
    const lines = (await backupOf(store, { clock })).toString().split('\n');
    expect(lines.map((line) => line.replace(/"sum":"[^"]{44}"/u, '"sum":"…"'))).toEqual([
      '{"format":"ecsm-registry-backup","version":1,"revision":2,"time":"2026-11-16T02:00:00Z","sum":"…"}',
      '{"key":"example.io/v1/widgets/default/a","created":1,"revision":1,"value":{"spec":{"size":1}},"sum":"…"}',
      '{"key":"example.io/v1/widgets/default/b","created":2,"revision":2,"base64":"eyJoYWxm","sum":"…"}',
      '{"end":true,"objects":2,"damaged":0,"sum":"…"}',
      '',
    ]);
  });

  it('stores the JSON of objects as JSON, whatever its content', async () => {
    const store = new MemoryStore();
    await furnish(store);
    const text = (await backupOf(store)).toString();
    expect(text).toContain('箱子');
    expect(text.match(/"base64":/gu)).toHaveLength(1); // the one that was written with spaces
  });

  it('ends with the same summary as its verification', async () => {
    const store = new MemoryStore();
    await furnish(store);
    await addOddities(store);
    const ends: BackupSummary[] = [];
    const whole = await backupOf(store, { onEnd: (summary) => ends.push(summary) });
    expect(ends).toEqual([await verifyBackup(chunked(whole))]);
  });

  it('of an empty registry is a backup', async () => {
    expect(await verifyBackup(chunked(await backupOf(new MemoryStore())))).toMatchObject({ objects: 0, revision: 0 });
  });

  it('fails with Expired when the registry is compacted meanwhile', async () => {
    const store = new MemoryStore();
    await fillWith(store, 1_200, 1_000);
    const reading = backup(store);
    await reading.next();
    await put(store, widgetKey('000000'), bytes('new'));
    await store.compact(await store.revision());
    const rest = async () => {
      for await (const _ of reading);
    };
    const error = await failure(rest());
    expect(error.code).toBe('Expired');
    expect(error.message).toBe('revision 10 was compacted while it was being read: start again from the beginning');
    expect((await verifyBackup(backup(store))).objects).toBe(1_200);
  });

  it('of an unfinished restore is refused', async () => {
    const store = new MemoryStore();
    await put(store, markerKey, bytes({ transfer: 'restore', source: 'x.jsonl', started: 'yesterday', objects: 0 }));
    const error = await failure(backupOf(store));
    expect(error.code).toBe('Forbidden');
    expect(error.message).toBe(
      'the registry is incomplete: the restore of x.jsonl, started yesterday, was not finished; repeat that first',
    );
  });

  it('fails at a damaged record, or skips and counts it if configured', async () => {
    const whole = new MemoryStore();
    await fillWith(whole, 3);
    const damaged = [{ key: widgetKey('x'), revision: 1, reason: 'its checksum does not match' }];
    const store = overlaid(whole, { list: async (...call) => ({ ...(await whole.list(...call)), damaged }) });
    const error = await failure(backupOf(store));
    expect(error.code).toBe('Corrupt');
    expect(error.message).toContain(`the record ${widgetKey('x')} is damaged: its checksum does not match; remove it`);
    const without = await backupOf(store, { leaveOutDamaged: true });
    expect(await verifyBackup(chunked(without))).toMatchObject({ objects: 3, damaged: 1 });
  });

  it('fails with the reason of its signal', async () => {
    const store = new MemoryStore();
    await fillWith(store, 1_200, 1_000);
    const stop = new AbortController();
    const reading = backup(store, { signal: stop.signal });
    await reading.next();
    stop.abort(new Error('enough'));
    const rest = async () => {
      for await (const _ of reading);
    };
    await expect(rest()).rejects.toThrow('enough');
  });

  it('reads pages on demand, and yields them in small chunks', async () => {
    const whole = new MemoryStore();
    await fillWith(whole, 2_000, 1_000);
    let pages = 0;
    const store = overlaid(whole, {
      list: (...call) => {
        pages++;
        return whole.list(...call);
      },
    });
    const reading = backup(store);
    expect(pages).toBe(0);
    let largest = 0;
    let chunks = 0;
    for await (const chunk of reading) {
      // 500 objects a page are more than seven chunks.
      expect(pages).toBeLessThanOrEqual(1 + Math.floor(++chunks / 7));
      largest = Math.max(largest, chunk.byteLength);
    }
    expect(pages).toBe(4);
    expect(largest).toBeLessThan(70_000);
  });
});

describe.each(availableStores())('a backup of a $name store', ({ harness }) => {
  afterEach(() => harness.cleanup());

  it('is of one revision, despite concurrent writes', async () => {
    const store = await harness.create();
    await fillWith(store, 1_300, 200);
    const before = await contentOf(store);
    const writer = await harness.connect(store);
    const chunks: Uint8Array[] = [];
    let turn = 0;
    for await (const chunk of backup(store)) {
      chunks.push(chunk);
      const victim = String(1_299 - turn).padStart(6, '0');
      await writer.commit([
        { type: 'put', key: widgetKey(String(turn).padStart(6, '0')), value: bytes({ changed: turn }) },
        { type: 'put', key: widgetKey(`new-${turn}`), value: bytes({ made: turn }) },
        { type: 'put', key: `zebra.io/v1/stripes/default/s${turn}`, value: bytes({ made: turn }) },
        { type: 'delete', key: widgetKey(victim) },
      ]);
      turn++;
    }
    expect(turn).toBeGreaterThan(5);
    const target = new MemoryStore();
    await restore(chunked(Buffer.concat(chunks)), target);
    expect(await contentOf(target)).toEqual(before);
    expect(await contentOf(store)).not.toEqual(before);
  });
});
