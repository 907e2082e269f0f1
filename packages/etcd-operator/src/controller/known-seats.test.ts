import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { createCluster } from '../resource/cluster.kit.ts';
import { KnownSeats } from './known-seats.ts';

const ageMsMax = 60_000;
const key = 'default/main';

describe('KnownSeats', () => {
  it('tells that a cluster needs another controller, until that is too old', async () => {
    const clock = new VirtualClock();
    const seats = new KnownSeats(clock, ageMsMax);
    expect(seats.isOther(key, 'scaling')).toBe(false);
    const cluster = await createCluster({ size: 3 });
    const status = { observedGeneration: cluster.metadata.generation, clusterID: 'a', phase: 'Running' } as const;
    seats.keep(key, { ...cluster, status });
    expect(seats.isOther(key, 'health')).toBe(false);
    expect(seats.isOther(key, 'scaling')).toBe(true);
    await clock.advance(ageMsMax);
    expect(seats.isOther(key, 'scaling')).toBe(true);
    await clock.advance(1);
    expect(seats.isOther(key, 'scaling')).toBe(false);
  });

  it('knows nothing about a cluster that was forgotten', async () => {
    const seats = new KnownSeats(new VirtualClock(), ageMsMax);
    seats.keep(key, await createCluster({ size: 3 }));
    expect(seats.isOther(key, 'health')).toBe(true);
    seats.forget(key);
    expect(seats.isOther(key, 'health')).toBe(false);
  });
});
