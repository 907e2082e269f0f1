import { describe, expect, it } from 'vitest';
import type { Recorded } from './model.ts';
import { act, wait } from './rule.ts';
import { ToyCluster } from './toy-cluster.kit.ts';

const operation = { type: 'AddMember', slot: 1, startedAtMs: 0 } as const;
const action = { do: 'promote', slot: 1, memberId: 'a', why: 'it is in sync' } as const;

/** The settings of the toy: 1 s while busy, 30 s at rest. */
function intervalMs(recorded: Omit<Recorded, 'volumes'>, nowMs = 0): number {
  const toy = new ToyCluster();
  toy.recorded = { volumes: {}, ...recorded };
  toy.nowMs = nowMs;
  const waiting = wait(toy.input(), 'WaitingForPod', 'waiting').requeueAfterMs;
  if (recorded.operation) expect(act(toy.input(), action).requeueAfterMs).toBe(waiting);
  return waiting;
}

describe('the interval between passes', () => {
  it('grows with the time that an operation takes, up to that at rest', () => {
    expect(intervalMs({ operation }, 100)).toBe(1_000);
    expect(intervalMs({ operation }, 40_000)).toBe(2_000);
    expect(intervalMs({ operation }, 3_600_000)).toBe(30_000);
  });

  it('is the shortest if the operation was started by a clock that is ahead', () => {
    expect(intervalMs({ operation: { ...operation, startedAtMs: 5_000 } }, 0)).toBe(1_000);
  });

  it('is longer if it is not known how long something takes, and if nothing is in progress', () => {
    expect(intervalMs({ stopped: { start: 0, size: 3 } })).toBe(4_000);
    expect(intervalMs({})).toBe(20_000);
  });
});
