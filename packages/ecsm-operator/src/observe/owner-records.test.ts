/** State between reconciles: it saves work, but never hides a change. */
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { ECSMService } from '../apis/ecsm-service.ts';
import { smallService } from '../apis/service.kit.ts';
import { platformFinalizer } from '../apis/well-known.ts';
import { OwnerRecords } from './owner-records.ts';

const defaulted = ECSMService.default(smallService());
const metadata = { name: 'web', namespace: 'default', uid: 'u', generation: 1, resourceVersion: '1' };
const service: ECSMService = {
  ...defaulted,
  metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z', finalizers: [platformFinalizer] },
};

describe('a service at rest', () => {
  it('is at rest until its spec or a relevant annotation changes, or its finalizer is missing', () => {
    const owners = new OwnerRecords(new VirtualClock());
    expect(owners.isAtRest('k', service)).toBe(false);
    owners.setAtRest('k', service);
    expect(owners.isAtRest('k', service)).toBe(true);
    for (const change of [
      { generation: 2 },
      { uid: 'other' },
      { annotations: { 'ecsm.sh/adopt': 'true' } },
      { annotations: { 'ecsm.sh/restartedAt': 'now' } },
      { deletionTimestamp: '2026-01-01T00:00:00Z' },
    ]) {
      expect(owners.isAtRest('k', { ...service, metadata: { ...service.metadata, ...change } })).toBe(false);
    }
    const status = { replicas: 1, readyReplicas: 0, updatedReplicas: 0, unavailableReplicas: 0, conditions: [] };
    expect(owners.isAtRest('k', { ...service, status })).toBe(true);
    const stripped = { ...service, metadata: { ...service.metadata, finalizers: [] }, status };
    expect(owners.isAtRest('k', stripped)).toBe(false);
  });

  it('is not at rest after a change on the platform before or during a pass', () => {
    const owners = new OwnerRecords(new VirtualClock());
    owners.setAtRest('k', service);
    owners.markChanged('k');
    expect(owners.isAtRest('k', service)).toBe(false);
    expect(owners.startPass('k', service)).toBe(false);
    owners.markChanged('k');
    owners.setAtRest('k', service);
    expect(owners.isAtRest('k', service)).toBe(false);
    expect(owners.startPass('k', service)).toBe(false);
    owners.setAtRest('k', service);
    expect(owners.isAtRest('k', service)).toBe(true);
    expect(owners.startPass('k', service)).toBe(true);
  });

  it('that was not read is read by the next pass, which may wait', () => {
    const owners = new OwnerRecords(new VirtualClock());
    owners.setAtRest('k', service, false);
    expect(owners.startPass('k', service, true)).toBe(true);
    expect([owners.isUnverified('k'), owners.unverifiedCount]).toEqual([true, 1]);
    expect(owners.startPass('k', service, false)).toBe(false);
    expect([owners.isAtRest('k', service), owners.isUnverified('k')]).toEqual([false, false]);
  });
});

it('a creation may take effect late: one of the previous process, or one without a response', async () => {
  const clock = new VirtualClock();
  const owners = new OwnerRecords(clock);
  expect(owners.lateCreationMs('k', 10_000)).toBe(10_000);
  await clock.advance(60_000);
  expect(owners.lateCreationMs('k', 10_000)).toBe(0);
  owners.creationSent('k');
  await clock.advance(3_000);
  expect(owners.lateCreationMs('k', 10_000)).toBe(7_000);
  owners.creationAnswered('k');
  expect(owners.lateCreationMs('k', 10_000)).toBe(0);
});

it('a new term starts without records: others may have acted in the meantime', async () => {
  const clock = new VirtualClock();
  const owners = new OwnerRecords(clock);
  owners.setAtRest('k', service, false);
  owners.release('gone', 'u');
  owners.created('id', { name: 'web', image: { ref: 'a@1', action: 'run', config: {} }, node: { names: [] } });
  await clock.advance(60_000);
  owners.clear();
  expect(owners.isAtRest('k', service)).toBe(false);
  expect(owners.isUnverified('k')).toBe(false);
  expect(owners.releasedUid('gone')).toBeUndefined();
  expect(owners.takePayload('id')).toBeUndefined();
  expect(owners.lateCreationMs('k', 10_000)).toBe(10_000);
});

it('the number of released objects is limited', () => {
  const owners = new OwnerRecords(new VirtualClock());
  for (let number = 0; number <= 1_000; number++) owners.release(`k${number}`, `u${number}`);
  expect(owners.releasedUid('k0')).toBeUndefined();
  expect(owners.releasedUid('k1000')).toBe('u1000');
});

it('a deleted service has nothing in progress and waits for no node', () => {
  const owners = new OwnerRecords(new VirtualClock());
  owners.setInProgress('a', true);
  owners.setInProgress('a', true);
  owners.setInProgress('b', true);
  owners.setLostNodes('a', ['node-1']);
  owners.setLostNodes('b', []);
  expect([owners.inProgressCount, owners.awaiting(new Set(['node-1']))]).toEqual([2, ['a']]);
  owners.release('a', 'u');
  owners.delete('a');
  expect([owners.inProgressCount, owners.inProgress]).toEqual([1, ['b']]);
  expect(owners.awaiting(new Set(['node-1']))).toEqual([]);
});
