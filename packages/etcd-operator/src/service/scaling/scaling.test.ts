/** A member that may never serve again: its node is lost, and its pod does not end. */
import { describe, expect, it } from 'vitest';
import { nextAction } from '../next-action.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';

/** A cluster of a size whose member in a slot is gone for a while. */
function withDead(size: number, slot: number): ToyCluster {
  const cluster = new ToyCluster();
  cluster.wanted = { ...cluster.wanted, size };
  cluster.run();
  cluster.stuck.add(slot);
  cluster.nowMs += 130_000;
  return cluster;
}

const namesOf = ({ members }: ToyCluster) => members.map(({ name }) => name);

describe('a smaller size', () => {
  it.each([0, 1, 2])('removes the member that is dead, in slot %i, before others', (slot) => {
    const cluster = withDead(3, slot);
    cluster.wanted = { ...cluster.wanted, size: 1 };
    expect(cluster.run()[0]).toBe(`removeMember ${slot}`);
    expect(cluster.members).toHaveLength(1);
    expect(cluster.last?.problem).toMatchObject({ reason: 'PodNotStopped' });
    cluster.stuck.clear();
    cluster.run();
    expect(cluster.set?.replicas).toBe(1);
    expect(cluster.last?.problem).toBeUndefined();
  });

  it('leaves a gap that is filled when the pod has ended', () => {
    const cluster = withDead(5, 1);
    cluster.wanted = { ...cluster.wanted, size: 3 };
    cluster.run();
    expect(namesOf(cluster)).toEqual(['main-0', 'main-2', 'main-3']);
    cluster.nowMs += 130_000;
    expect(nextAction(cluster.input()).problem).toMatchObject({ reason: 'PodNotStopped' });
    cluster.stuck.clear();
    cluster.run();
    expect(namesOf(cluster).sort()).toEqual(['main-0', 'main-1', 'main-2']);
    expect(cluster.set).toMatchObject({ start: 0, replicas: 3 });
  });

  it('waits while the others have no quorum without it', () => {
    const cluster = withDead(3, 1);
    cluster.unreachable.add(2);
    cluster.wanted = { ...cluster.wanted, size: 1 };
    expect(cluster.run()).toEqual([]);
  });

  it('does not remove a member that was down for a moment only', () => {
    const cluster = withDead(3, 1);
    cluster.nowMs = 1_000;
    cluster.wanted = { ...cluster.wanted, size: 1 };
    expect(cluster.run()).toEqual([]);
  });
});

describe('a member that a user has removed', () => {
  it('is forgotten with its volume before its pod goes: after a crash it was started again while no member could be asked', () => {
    const cluster = new ToyCluster();
    cluster.run();
    cluster.members = cluster.members.filter(({ name }) => name !== 'main-2');
    const { action, recorded } = nextAction(cluster.input());
    expect(action).toMatchObject({ do: 'setRange', start: 0, replicas: 2 });
    expect(Object.keys(recorded.volumes)).toEqual(['0', '1']);
  });
});

describe('a learner that does not join in time', () => {
  it('is added again, and each attempt is counted', () => {
    const cluster = new ToyCluster();
    cluster.run();
    cluster.members = cluster.members.map((one) => (one.name === 'main-2' ? { ...one, isLearner: true } : one));
    cluster.dead.add(2);
    const operation = { type: 'AddMember', slot: 2, startedAtMs: cluster.nowMs, attempts: 1 } as const;
    cluster.recorded = { ...cluster.recorded, operation };
    cluster.nowMs += 600_001;
    expect(nextAction(cluster.input()).recorded.operation).toMatchObject({ type: 'ReplaceMember', attempts: 2 });
  });
});

describe('a stop', () => {
  it('needs no member that serves, and reports the pod that does not end', () => {
    const cluster = withDead(3, 1);
    cluster.unreachable.add(0).add(2);
    cluster.wanted = { ...cluster.wanted, size: 0 };
    expect(cluster.run()).toEqual(['setRange 0+0']);
    expect(cluster.last?.problem).toEqual({
      reason: 'PodNotStopped',
      message: 'the stop, in progress since 1970-01-01T00:00:00Z: main-1 does not end',
    });
    cluster.stuck.clear();
    cluster.unreachable.clear();
    cluster.run();
    expect(cluster.last?.problem).toBeUndefined();
    cluster.wanted = { ...cluster.wanted, size: 3 };
    expect(cluster.run()).toEqual(['setRange 0+3']);
    expect(cluster.members).toHaveLength(3);
  });
});
