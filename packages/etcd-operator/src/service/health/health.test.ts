import { describe, expect, it } from 'vitest';
import { nextAction } from '../next-action.ts';
import { withoutVolume } from '../rule.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';

/** Databases of 100 bytes, 50 of them unused, with a quota of 1,000. */
function running(): ToyCluster {
  const cluster = new ToyCluster();
  cluster.run();
  return cluster;
}

const never = { freeBytesMin: 1_000, usedBytesMin: 1_000, reclaimBytesMin: 1_000 };

describe('defragmentation', () => {
  it.each([
    ['enough of the database is unused', { freeBytesMin: 50 }, true],
    ['too little is unused', { freeBytesMin: 51 }, false],
    ['the database is large, and some of it is unused', { usedBytesMin: 100, reclaimBytesMin: 50 }, true],
    ['the database is small', { usedBytesMin: 101, reclaimBytesMin: 50 }, false],
    ['the database is large, and all of it is used', { usedBytesMin: 100, reclaimBytesMin: 51 }, false],
  ])('if %s', (_, rule, isDone) => {
    const cluster = running();
    cluster.wanted = { ...cluster.wanted, defragmentation: { ...never, ...rule } };
    expect(cluster.run().some((line) => line.startsWith('defragment'))).toBe(isDone);
  });

  it('starts with followers, and moves the leadership before the leader', () => {
    const cluster = running();
    cluster.wanted = { ...cluster.wanted, size: 1, defragmentation: { ...never, freeBytesMin: 50 } };
    expect(cluster.run().at(-1)).toBe('defragment 0');
    const three = running();
    three.wanted = { ...three.wanted, defragmentation: { ...never, freeBytesMin: 50 } };
    expect(three.run()[0]).toBe('defragment 2');
    expect(three.events.at(-1)?.message).toMatch(/^defragmenting main-\d: 50 bytes can be freed$/u);
    const slots = three.facts().slots.map((slot) => ({
      ...slot,
      status: slot.status && { ...slot.status, dbSizeBytes: slot.index === 0 ? 100 : 50 },
    }));
    const { facts } = three.input();
    three.facts = () => ({ ...facts, slots });
    expect(three.step()).toBe('moveLeader 1');
  });
});

describe('a full database', () => {
  const full = () => {
    const cluster = running();
    cluster.alarms = [{ type: 'NOSPACE', memberId: cluster.members[0]?.id ?? '' }];
    return cluster;
  };

  it('stays reported while live data fills the quota, and is tried again after a while', () => {
    const cluster = full();
    cluster.dbSizeBytes = 900;
    cluster.keepsSize = true;
    const first = ['compact 2', 'compact 1', 'compact 0', 'defragment 2', 'defragment 1', 'defragment 0'];
    expect(cluster.run()).toEqual(first);
    expect(cluster.last?.problem).toEqual({
      reason: 'DatabaseQuotaExceeded',
      message:
        'the database has 900 bytes of a quota of 1000, 900 of them in use; the live data fills the quota: delete keys or raise spec.etcd.quotaBackendBytes',
    });
    cluster.nowMs += 600_000;
    expect(cluster.run()).toEqual(first);
  });

  it('is compacted up to what was written before the alarm, also if members were read before that', () => {
    const cluster = full();
    const { recorded } = nextAction(cluster.input());
    expect(recorded.space?.revision).toBe('7');
    cluster.recorded = recorded;
    cluster.revision = 9n;
    const first = nextAction(cluster.input());
    expect(first.action).toMatchObject({ do: 'compact', revision: 9n });
    cluster.recorded = first.afterwards ?? recorded;
    cluster.revision = 11n;
    expect(nextAction(cluster.input()).action).toMatchObject({ do: 'compact', revision: 9n });
  });

  it('is defragmented in a member that was replaced meanwhile, too: it has the file of the leader', () => {
    const cluster = full();
    const space = { startedAtMs: 0, revision: '7', compacted: [0, 1, 2], defragmented: [0, 1, 2] };
    const recorded = withoutVolume({ ...cluster.recorded, space }, 1);
    expect(recorded.space).toEqual({ ...space, compacted: [0, 2], defragmented: [0, 2] });
    cluster.recorded = { ...recorded, volumes: cluster.recorded.volumes };
    cluster.dbSizeBytes = 950;
    expect(cluster.run().slice(0, 2)).toEqual(['compact 1', 'defragment 1']);
  });

  it('is a problem until the alarm is gone, with every step', () => {
    const cluster = full();
    cluster.dbSizeBytes = 950;
    const space = { startedAtMs: 0, revision: '7', compacted: [0, 1, 2], defragmented: [0, 1, 2] };
    const stepOf = (changes: Partial<typeof space>, sizeBytes: number) => {
      cluster.recorded = { ...cluster.recorded, space: { ...space, ...changes } };
      cluster.dbSizeBytes = sizeBytes;
      const { action, problem } = nextAction(cluster.input());
      return [action?.do, problem?.reason];
    };
    expect(stepOf({ compacted: [0] }, 950)).toEqual(['compact', 'DatabaseQuotaExceeded']);
    expect(stepOf({ defragmented: [] }, 900)).toEqual(['defragment', 'DatabaseQuotaExceeded']);
    expect(stepOf({}, 900)).toEqual([undefined, 'DatabaseQuotaExceeded']);
    expect(stepOf({}, 899)).toEqual(['disarm', 'DatabaseQuotaExceeded']);
  });

  it('is tried again soon after keys were deleted', () => {
    const cluster = full();
    cluster.dbSizeBytes = 950;
    cluster.keepsSize = true;
    cluster.run();
    cluster.revision++;
    cluster.keepsSize = false;
    const { startedAtMs = 0 } = cluster.recorded.space ?? {};
    cluster.nowMs = startedAtMs + 29_999;
    expect(cluster.run()).toEqual([]);
    cluster.nowMs = startedAtMs + 30_000;
    expect(cluster.run()).toEqual(['compact 2', 'compact 1', 'compact 0', 'defragment 2', 'disarm']);
  });

  it('is not said to be full of live data while most of it is unused', () => {
    const cluster = full();
    cluster.dbSizeBytes = 950;
    cluster.shrinks = false;
    cluster.run();
    expect(cluster.last?.problem?.message).toBe(
      'the database has 950 bytes of a quota of 1000, 50 of them in use; the history was deleted, and the files did not shrink: trying again',
    );
  });

  it('is made room in by steps that are recorded when they are done: one that was refused was left out', () => {
    const cluster = full();
    cluster.dbSizeBytes = 950;
    cluster.recorded = nextAction(cluster.input()).recorded;
    for (const { recorded, afterwards, action } of [nextAction(cluster.input()), nextAction(cluster.input())]) {
      expect(action).toMatchObject({ do: 'compact', slot: 2 });
      expect(recorded.space).toMatchObject({ compacted: [], defragmented: [] });
      expect(afterwards?.space).toMatchObject({ compacted: [2], defragmented: [] });
    }
  });

  it('is over after members were restarted with a larger quota: they raised the alarm again before', () => {
    const cluster = full();
    cluster.dbSizeBytes = 950;
    cluster.keepsSize = true;
    cluster.run();
    const { alarms } = cluster;
    let raised = alarms;
    Object.defineProperty(cluster, 'alarms', {
      get: () => ([...cluster.pods.values()].some(({ hash }) => hash !== cluster.templateHash) ? alarms : raised),
      set: (left) => {
        raised = left;
      },
    });
    cluster.wanted = { ...cluster.wanted, quotaBytes: 2_000 };
    cluster.templateRevision = 2;
    const restarts = ['deletePod 2', 'deletePod 1', 'moveLeader 1', 'deletePod 0'];
    expect(cluster.run()).toEqual(['applyObjects', ...restarts, 'disarm']);
    expect(cluster.last?.problem).toBeUndefined();
  });

  it('is not disarmed between two restarts with a larger quota, unless the first one does not end', () => {
    for (const waitedMs of [0, 600_000]) {
      const cluster = full();
      cluster.dbSizeBytes = 950;
      cluster.keepsSize = true;
      cluster.run();
      cluster.unreachable.add(2);
      cluster.wanted = { ...cluster.wanted, quotaBytes: 2_000 };
      cluster.templateRevision = 2;
      expect(cluster.run()).toEqual(['applyObjects', 'deletePod 2']);
      expect(cluster.last?.problem?.reason).toBe('DatabaseQuotaExceeded');
      cluster.nowMs += waitedMs;
      if (waitedMs === 0) cluster.unreachable.clear();
      expect(cluster.run()).toEqual(
        waitedMs === 0 ? ['deletePod 1', 'moveLeader 1', 'deletePod 0', 'disarm'] : ['disarm'],
      );
    }
  });

  it('is over when the alarm is gone', () => {
    const cluster = full();
    cluster.run();
    expect(cluster.recorded.space).toBeUndefined();
    expect(cluster.events.at(-1)).toMatchObject({ reason: 'AlarmDisarmed' });
  });

  it('blocks an upgrade and a stop', () => {
    const cluster = full();
    cluster.dbSizeBytes = 950;
    cluster.keepsSize = true;
    cluster.wanted = { ...cluster.wanted, version: '3.5.31' };
    expect(cluster.run()).not.toContain('applyObjects');
    expect(cluster.recorded.version).toBe('3.5.30');
    cluster.wanted = { ...cluster.wanted, size: 0 };
    expect(cluster.run()).toEqual([]);
    expect(cluster.recorded.stopped).toBeUndefined();
  });
});
