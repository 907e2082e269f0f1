/** A member is replaced only while the others have a quorum, whenever that ends. */
import { describe, expect, it } from 'vitest';
import { nextAction } from '../next-action.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';

/** Three members, of which the second has corrupt data and still runs. */
function corrupt(): ToyCluster {
  const cluster = new ToyCluster();
  cluster.run();
  cluster.alarms = [{ type: 'CORRUPT', memberId: cluster.members[1]?.id ?? '' }];
  return cluster;
}

describe('a member whose data is corrupt', () => {
  it('is not replaced while another one does not serve', () => {
    const cluster = corrupt();
    cluster.unreachable.add(2);
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.problem).toMatchObject({ reason: 'MemberUnhealthy' });
    expect(cluster.recorded.operation).toBeUndefined();
    cluster.unreachable.clear();
    expect(cluster.run()[0]).toBe('removeMember 1');
  });

  it('is not removed either if another one fails after its replacement has begun', () => {
    const cluster = corrupt();
    const { recorded } = nextAction(cluster.input());
    expect(recorded.operation).toMatchObject({ type: 'ReplaceMember', slot: 1 });
    cluster.recorded = recorded;
    cluster.unreachable.add(2);
    expect(cluster.run()).toEqual([]);
    expect(cluster.members).toHaveLength(3);
    expect(cluster.last?.problem).toMatchObject({ reason: 'MemberUnhealthy' });
    cluster.unreachable.clear();
    expect(cluster.run()[0]).toBe('removeMember 1');
  });

  it('stays if it was a passing fault', () => {
    const cluster = corrupt();
    cluster.recorded = nextAction(cluster.input()).recorded;
    cluster.alarms = [];
    expect(cluster.run()).toEqual([]);
    expect(cluster.recorded.operation).toBeUndefined();
    expect(cluster.members).toHaveLength(3);
  });
});

describe('a member whose volume is lost', () => {
  it.each([
    ['is another one', { uid: 'another' }, true],
    ['is lost by its driver', { phase: 'Lost' as const }, true],
    ['is about to be deleted, and still the same', { isDeleting: true }, false],
    ['is not bound', { phase: 'Pending' as const }, false],
  ])('is replaced only if its volume %s: %#', (_what, change, isReplaced) => {
    const cluster = new ToyCluster();
    cluster.run();
    const input = cluster.input();
    const slots = input.facts.slots.map((slot) =>
      slot.index === 1 && slot.volume ? { ...slot, volume: { ...slot.volume, ...change } } : slot,
    );
    const { operation } = nextAction({ ...input, facts: { ...input.facts, slots } }).recorded;
    expect(operation?.type).toBe(isReplaced ? 'ReplaceMember' : undefined);
  });
});

describe('a member that did not join', () => {
  it.each([
    [0, 'addLearner'],
    [1, undefined],
  ])('is tried again after another one that is broken, unless it is its first attempt: %i', (attempts, action) => {
    const cluster = new ToyCluster();
    cluster.wanted = { ...cluster.wanted, size: 5 };
    cluster.run();
    cluster.members = cluster.members.filter(({ name }) => name !== 'main-1');
    cluster.volumes.delete(1);
    cluster.pods.delete(1);
    const operation = { type: 'ReplaceMember', slot: 1, memberId: 'gone', startedAtMs: 0, attempts } as const;
    cluster.recorded = { ...cluster.recorded, operation };
    const healthy = nextAction(cluster.input());
    expect(healthy.action?.do).toBe('addLearner');
    const broken = cluster.members.find(({ name }) => name === 'main-3')?.id ?? '';
    cluster.alarms = [{ type: 'CORRUPT', memberId: broken }];
    const decision = nextAction(cluster.input());
    expect(decision.action?.do).toBe(action);
    expect(decision.recorded.operation?.slot).toBe(action === undefined ? undefined : 1);
  });
});

describe('a member that was promoted and does not serve', () => {
  it('does not prevent the replacement of another one', () => {
    const cluster = new ToyCluster();
    cluster.wanted = { ...cluster.wanted, size: 5 };
    cluster.run();
    const operation = {
      type: 'ReplaceMember',
      slot: 1,
      memberId: 'gone',
      volumeUid: 'former',
      startedAtMs: 0,
    } as const;
    cluster.recorded = { ...cluster.recorded, operation };
    cluster.unreachable.add(1);
    const broken = cluster.members.find(({ name }) => name === 'main-3')?.id ?? '';
    cluster.alarms = [{ type: 'CORRUPT', memberId: broken }];
    expect(cluster.run()).toContain('removeMember 3');
  });

  it.each([
    ['replaced, after it was added', false, 'ReplaceMember'],
    ['kept, while it is a learner', true, 'AddMember'],
  ])('lets another one whose container does not start be %s', (_what, isLearner, type) => {
    const cluster = new ToyCluster();
    cluster.wanted = { ...cluster.wanted, size: 5 };
    cluster.run();
    cluster.unreachable.add(4);
    cluster.members = cluster.members.map((one) => (one.name === 'main-4' ? { ...one, isLearner } : one));
    cluster.recorded = { ...cluster.recorded, operation: { type: 'AddMember', slot: 4, startedAtMs: cluster.nowMs } };
    const input = cluster.input();
    const crashing = { isReady: false, restarts: input.settings.restartsMax, waitingReason: 'CrashLoopBackOff' };
    const slots = input.facts.slots.map((slot) =>
      slot.index === 3 && slot.pod
        ? { ...slot, pod: { ...slot.pod, ...crashing }, status: undefined, isServing: false }
        : slot,
    );
    expect(nextAction({ ...input, facts: { ...input.facts, slots } }).recorded.operation).toMatchObject({ type });
  });
});

describe('a learner that is not in sync in time', () => {
  it.each([
    ['goes on', 'nothing else is broken', 1n, false, 'promote'],
    ['goes on', 'it has nine tenths of what the leader has', 9n, true, 'promote'],
    ['is removed', 'another member has to be replaced', 8n, true, undefined],
  ])('%s if %s', (_what, _when, raftIndex, isBroken, action) => {
    const cluster = new ToyCluster();
    cluster.wanted = { ...cluster.wanted, size: 5 };
    cluster.run();
    cluster.members = cluster.members.map((one) => (one.name === 'main-4' ? { ...one, isLearner: true } : one));
    const operation = { type: 'AddMember', slot: 4, startedAtMs: cluster.nowMs } as const;
    cluster.recorded = { ...cluster.recorded, operation };
    const broken = cluster.members.find(({ name }) => name === 'main-3')?.id ?? '';
    if (isBroken) cluster.alarms = [{ type: 'CORRUPT', memberId: broken }];
    const decide = () => {
      const input = cluster.input();
      const slots = input.facts.slots.map((slot) =>
        slot.status ? { ...slot, status: { ...slot.status, raftIndex: slot.index === 4 ? raftIndex : 10n } } : slot,
      );
      return nextAction({ ...input, facts: { ...input.facts, slots } });
    };
    expect(decide().action?.do).toBe('promote');
    cluster.nowMs += cluster.input().settings.learnerDeadlineMs + 1;
    expect(decide().action?.do).toBe(action);
    expect(decide().recorded.operation).toMatchObject(
      action ? operation : { type: 'ReplaceMember', slot: 4, attempts: 1 },
    );
  });
});
