/** What is remembered between reconciles: only ever a reason to do less, and never one to miss something. */
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ECSMService } from '../apis/ecsm-service.ts';
import { smallService } from '../apis/service.kit.ts';
import { platformFinalizer } from '../apis/well-known.ts';
import { Memory } from './owner-records.ts';

const defaulted = ECSMService.default(smallService());
const metadata = { name: 'web', namespace: 'default', uid: 'u', generation: 1, resourceVersion: '1' };
const service: ECSMService = {
  ...defaulted,
  metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z', finalizers: [platformFinalizer] },
};

describe('a service at rest', () => {
  it('is so until its spec or an annotation that counts changes, or its finalizer is missing', () => {
    const memory = new Memory(new VirtualClock());
    expect(memory.isAtRest('k', service)).toBe(false);
    memory.rests('k', service);
    expect(memory.isAtRest('k', service)).toBe(true);
    for (const change of [
      { generation: 2 },
      { uid: 'other' },
      { annotations: { 'ecsm.sh/adopt': 'true' } },
      { annotations: { 'ecsm.sh/restartedAt': 'now' } },
      { deletionTimestamp: '2026-01-01T00:00:00Z' },
    ]) {
      expect(memory.isAtRest('k', { ...service, metadata: { ...service.metadata, ...change } })).toBe(false);
    }
    const status = { replicas: 1, readyReplicas: 0, updatedReplicas: 0, unavailableReplicas: 0, conditions: [] };
    expect(memory.isAtRest('k', { ...service, status })).toBe(true);
    const stripped = { ...service, metadata: { ...service.metadata, finalizers: [] }, status };
    expect(memory.isAtRest('k', stripped)).toBe(false);
  });

  it('is not when something happened on the platform, before its reconcile or in the middle of it', () => {
    const memory = new Memory(new VirtualClock());
    memory.rests('k', service);
    memory.woken('k');
    expect(memory.isAtRest('k', service)).toBe(false);
    memory.begins('k');
    memory.woken('k');
    memory.rests('k', service);
    expect(memory.isAtRest('k', service)).toBe(false);
    memory.begins('k');
    memory.rests('k', service);
    expect(memory.isAtRest('k', service)).toBe(true);
  });
});

it('refusals make it wait longer each time, up to five minutes, until something is accepted', () => {
  const memory = new Memory(new VirtualClock());
  const waits = Array.from({ length: 9 }, () => memory.refused('k') / 1000);
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  memory.accepted('k');
  expect(memory.refused('k')).toBe(5_000);
});

it('a creation may come late: one of the process before, or one that nobody answered', async () => {
  const clock = new VirtualClock();
  const memory = new Memory(clock);
  expect(memory.lateCreationMs('k', 10_000)).toBe(10_000);
  await clock.advance(60_000);
  expect(memory.lateCreationMs('k', 10_000)).toBe(0);
  memory.creating('k', false);
  await clock.advance(3_000);
  expect(memory.lateCreationMs('k', 10_000)).toBe(7_000);
  memory.creating('k', true);
  expect(memory.lateCreationMs('k', 10_000)).toBe(0);
});

it('a process that leads again has forgotten everything: others may have acted in the meantime', async () => {
  const clock = new VirtualClock();
  const memory = new Memory(clock);
  memory.rests('k', service, false);
  memory.refused('k');
  memory.released('gone', 'u');
  memory.made('id', { name: 'web', image: { ref: 'a@1', action: 'run', config: {} }, node: { names: [] } });
  await clock.advance(60_000);
  memory.reset();
  expect(memory.isAtRest('k', service)).toBe(false);
  expect(memory.isUnaudited('k')).toBe(false);
  expect(memory.refused('k')).toBe(5_000);
  expect(memory.releasedUid('gone')).toBeUndefined();
  expect(memory.takeMade('id')).toBeUndefined();
  expect(memory.lateCreationMs('k', 10_000)).toBe(10_000);
});

it('only so many of those that were let go are remembered', () => {
  const memory = new Memory(new VirtualClock());
  for (let number = 0; number <= 1_000; number++) memory.released(`k${number}`, `u${number}`);
  expect(memory.releasedUid('k0')).toBeUndefined();
  expect(memory.releasedUid('k1000')).toBe('u1000');
});
