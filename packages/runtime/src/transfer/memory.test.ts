/**
 * Memory does not grow with the registry. 10,000 objects, 30 MB, are backed up from one sqlite store and restored into
 * another while the backup is still being made. What lives after a garbage collection is sampled on the way.
 */
import { usedBytes } from '@ecsm/runtime/testing';
import { afterEach, expect, it } from 'vitest';
import { sqliteHarness } from '../store/stores.kit.ts';
import { backup } from './backup.ts';
import { migrate } from './migrate.ts';
import { restore } from './restore.ts';
import { registryStatus } from './status.ts';
import { fillWith } from './transfer.kit.ts';

const objects = 10_000;
const valueBytes = 3_000;
/** A page of 500 objects and its lines are 3 MB; what is transferred is 30. */
const growthBytesMax = 10 * 1024 * 1024;

afterEach(() => sqliteHarness.cleanup());

it('10,000 objects pass through a backup, a restore and a migration in bounded memory', {
  timeout: 600_000,
}, async () => {
  const source = await sqliteHarness.create();
  await fillWith(source, objects, valueBytes);
  const before = usedBytes();
  let most: number | undefined;
  let reports = 0;
  const onProgress = () => {
    if (++reports % 20 === 0) most = Math.max(most ?? 0, usedBytes() - before);
  };
  const restored = await sqliteHarness.create();
  const summary = await restore(backup(source, { onProgress }), restored, { onProgress });
  expect(summary).toMatchObject({ objects, leftOut: 0 });
  const migrated = await sqliteHarness.create();
  expect(await migrate(restored, migrated, { onProgress })).toMatchObject({ objects, hasSourceChanged: false });
  expect((await registryStatus(migrated)).bytes).toBe(summary.bytes);
  expect(summary.bytes).toBeGreaterThan(2.5 * growthBytesMax);
  // Not more than zero: what earlier tests left behind may be collected meanwhile.
  expect(most).toBeDefined();
  expect(most).toBeLessThan(growthBytesMax);
});
