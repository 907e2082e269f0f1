import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Region } from '@ecsm/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddedRegistry } from '../registry/embedded.ts';
import { FileStoreFixture } from '../store/file/file-store.kit.ts';
import { MemoryStore } from '../store/memory/store.ts';
import { availableStores } from '../store/stores.kit.ts';
import { restore } from './restore.ts';
import { damagedShownMax, registryStatus } from './status.ts';
import {
  backupOf,
  bytes,
  chunked,
  dying,
  entriesOf,
  failure,
  fillWith,
  furnish,
  overlaid,
  put,
  widgetKey,
} from './transfer.kit.ts';

describe.each(availableStores())('the status of a $name store', ({ harness }) => {
  afterEach(() => harness.cleanup());

  it('counts objects and their bytes by kind, known or not', async () => {
    const store = await harness.create();
    await furnish(store);
    const entries = await entriesOf(store);
    const bytesUnder = (prefix: string) =>
      entries.filter(({ key }) => key.startsWith(prefix)).reduce((sum, { value }) => sum + value.byteLength, 0);
    const status = await registryStatus(store);
    expect(status.kinds.map(({ prefix, objects }) => [prefix, objects])).toEqual([
      ['coordination.k8s.io/v1/leases', 1],
      ['ecsm.sh/v1/operatoridentities', 1],
      ['example.io/v1/crates', 1],
      ['example.io/v1/widgets', 11],
      ['unknown.io/v7/things', 3],
    ]);
    for (const { prefix, bytes: counted } of status.kinds) expect(counted).toBe(bytesUnder(`${prefix}/`));
    expect(status.others).toEqual([{ prefix: 'fences', objects: 1, bytes: bytesUnder('fences/') }]);
    expect(status).toMatchObject({ revision: await store.revision(), objects: 17, problems: [], damagedCount: 0 });
    expect(status.bytes).toBe(bytesUnder('') - bytesUnder('fences/'));
    expect(status).not.toHaveProperty('incomplete');
  });

  it('works for an empty registry', async () => {
    const store = await harness.create();
    expect(await registryStatus(store)).toMatchObject({ objects: 0, bytes: 0, kinds: [], others: [], damaged: [] });
  });
});

describe('the status of a registry', () => {
  it('counts objects of cluster-scoped kinds', async () => {
    const store = new MemoryStore();
    const registry = new EmbeddedRegistry({ store, kinds: [Region] });
    await registry.resource(Region).create({ metadata: { name: 'system:edge' }, spec: {} });
    const { objects, kinds, others } = await registryStatus(store);
    expect(kinds).toEqual([expect.objectContaining({ prefix: 'example.io/v1/regions', objects: 1 })]);
    expect({ objects, others }).toEqual({ objects: 1, others: [] });
  });

  it('reports an unfinished restore', async () => {
    const source = new MemoryStore();
    await fillWith(source, 300);
    const target = new MemoryStore();
    await failure(restore(chunked(await backupOf(source)), dying(target, 2, true), { file: 'b.jsonl' }));
    const status = await registryStatus(target);
    expect(status.incomplete).toMatchObject({ transfer: 'restore', objects: 127 });
    expect(status.incomplete?.source).toMatch(/^b\.jsonl \(revision 3 of /u);
    expect(status).toMatchObject({ objects: 127, others: [] });
  });

  it('shows the first damaged records and counts all', async () => {
    const whole = new MemoryStore();
    await put(whole, widgetKey('a'), bytes(1));
    const damaged = Array.from({ length: 150 }, (_, index) => ({ key: `k${index}`, revision: 1, reason: 'gone' }));
    const store = overlaid(whole, { list: async (...call) => ({ ...(await whole.list(...call)), damaged }) });
    const status = await registryStatus(store);
    expect(status.damaged).toEqual(damaged.slice(0, damagedShownMax));
    expect(status).toMatchObject({ damagedCount: 150, objects: 1 });
  });

  it('shows the files that an operator has to correct', async () => {
    const fixture = new FileStoreFixture();
    try {
      const store = await fixture.open({ scanMs: 50 });
      await put(store, widgetKey('a'), bytes({ a: 1 }));
      writeFileSync(fixture.path(`${widgetKey('a')}.json`), '{ "a": ');
      for (let looks = 0; store.problems().length === 0 && looks < 200; looks++) await sleep(50);
      const { problems, objects } = await registryStatus(store);
      expect(objects).toBe(1);
      expect(problems).toMatchObject([{ key: widgetKey('a'), file: fixture.path(`${widgetKey('a')}.json`) }]);
    } finally {
      await fixture.cleanup();
    }
  });
});
