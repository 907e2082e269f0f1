import { VirtualClock } from '@ecsm/runtime/testing';
import { expect, it } from 'vitest';
import { Lease, type LeaseObject } from './lease.ts';
import { Observation } from './observation.ts';

const version = (resourceVersion: string): LeaseObject => ({
  apiVersion: Lease.apiVersion,
  kind: 'Lease',
  metadata: {
    name: 'main',
    namespace: 'default',
    uid: 'a1',
    generation: 1,
    creationTimestamp: '2026-01-02T03:04:05Z',
    resourceVersion,
  },
  spec: { holderIdentity: 'a', leaseDurationSeconds: 10 },
});

it('a lease has expired when one version of it was observed for its whole duration, and not before any was', async () => {
  const clock = new VirtualClock();
  const observation = new Observation(clock);
  const expiredAfter = async (ms: number) => {
    await clock.advance(ms);
    return observation.expired;
  };
  expect(await expiredAfter(20_000)).toBe(false);
  observation.observe(version('1'));
  expect(await expiredAfter(9_000)).toBe(false);
  observation.observe(version('2'));
  expect(await expiredAfter(9_999)).toBe(false);
  observation.observe(version('2'));
  expect(await expiredAfter(1)).toBe(true);
  observation.reset();
  expect(await expiredAfter(20_000)).toBe(false);
  expect(clock.timers).toBe(0);
});
