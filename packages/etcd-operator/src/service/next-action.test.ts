import { describe, expect, it } from 'vitest';
import { nextAction } from './next-action.ts';
import { ToyCluster } from './toy-cluster.kit.ts';

function running(size = 3): ToyCluster {
  const cluster = new ToyCluster();
  cluster.wanted = { ...cluster.wanted, size };
  cluster.run();
  return cluster;
}

const joins = (slot: number, start = 0) => [
  `addLearner ${slot}`,
  `setRange ${start}+${slot + 1 - start}`,
  `promote ${slot}`,
];

describe('create', () => {
  it('forms the cluster with one member, then adds learners one by one', () => {
    const cluster = new ToyCluster();
    expect(cluster.run()).toEqual(['createSet 0+1', ...joins(1), ...joins(2)]);
    expect(cluster.recorded).toMatchObject({ clusterId: 'c1', version: '3.5.30' });
    expect(cluster.recorded.operation).toBeUndefined();
  });

  it('is repeated with another version if the first one does not start', () => {
    const cluster = new ToyCluster();
    cluster.startsAs = (version) => version !== '3.5.99';
    cluster.wanted = { ...cluster.wanted, size: 1, version: '3.5.99' };
    cluster.run();
    cluster.wanted = { ...cluster.wanted, version: '3.5.30' };
    expect(cluster.run()).toEqual(['applyObjects', 'deletePod 0']);
    expect(cluster.recorded.clusterId).toBe('c1');
  });

  it('starts nothing at size 0', () => {
    const cluster = new ToyCluster();
    cluster.wanted = { ...cluster.wanted, size: 0 };
    expect(cluster.run()).toEqual([]);
  });

  it('is refused over the volumes of an earlier cluster', () => {
    const cluster = new ToyCluster();
    const input = cluster.input();
    const slot = {
      ...running(1).facts().slots[0],
      volume: { uid: 'x', phase: 'Bound', isDeleting: false, isOurs: false, requestBytes: 1_000 },
    };
    cluster.facts = () => ({ ...input.facts, slots: [slot as never] });
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.problem?.reason).toBe('VolumesExist');
  });
});

describe('scale', () => {
  it('up: a learner is added before its pod exists, and promoted before the next one', () => {
    const cluster = running(3);
    cluster.wanted = { ...cluster.wanted, size: 5 };
    expect(cluster.run()).toEqual([...joins(3), ...joins(4)]);
  });

  it('down: the member is removed before its pod and its volume', () => {
    const cluster = running(3);
    cluster.wanted = { ...cluster.wanted, size: 1 };
    expect(cluster.run()).toEqual([
      'removeMember 2',
      'setRange 0+2',
      'deleteVolume 2',
      'removeMember 1',
      'setRange 0+1',
      'deleteVolume 1',
    ]);
  });

  it('down: leadership moves away from the member that is removed', () => {
    const cluster = running(3);
    cluster.leader = 2;
    cluster.wanted = { ...cluster.wanted, size: 1 };
    expect(cluster.run().slice(0, 2)).toEqual(['moveLeader 0', 'removeMember 2']);
  });

  it('down with retained volumes keeps them, and refuses to grow over them', () => {
    const cluster = running(3);
    cluster.wanted = { ...cluster.wanted, size: 1, whenScaled: 'Retain' };
    expect(cluster.run()).not.toContain('deleteVolume 2');
    cluster.wanted = { ...cluster.wanted, size: 3 };
    expect(cluster.run()).toEqual([]);
    // The volume of one of the slots is enough: with the others it would have stopped at two members.
    for (const volumes of [['data-main-1', 'data-main-2'], ['data-main-2']]) {
      expect(cluster.last?.problem).toEqual({
        reason: 'VolumesExist',
        message: `volumes of earlier members exist and are retained: ${volumes.join(', ')}; delete them to let the cluster grow`,
      });
      expect(cluster.members).toHaveLength(1);
      cluster.volumes.delete(1);
      cluster.run();
    }
  });

  it('down and up again before etcd removed a member: the removal stayed in the status for ever', () => {
    const cluster = running();
    cluster.recorded = { ...cluster.recorded, operation: { type: 'RemoveMember', slot: 2, startedAtMs: 0 } };
    expect(cluster.run()).toEqual([]);
    expect(cluster.recorded.operation).toBeUndefined();
  });

  it.each([3, 1, 0])('up, and back to %i: a learner that does not join is given up', (size) => {
    for (const waitedMs of [0, 700_000]) {
      const cluster = running(3);
      cluster.unreachable.add(3);
      cluster.wanted = { ...cluster.wanted, size: 5 };
      expect(cluster.run()).toEqual(joins(3).slice(0, 2));
      cluster.nowMs += waitedMs;
      cluster.run();
      cluster.wanted = { ...cluster.wanted, size };
      expect(cluster.run().slice(0, 3)).toEqual(['removeMember 3', 'setRange 0+3', 'deleteVolume 3']);
      expect(cluster.recorded.operation).toBeUndefined();
      expect(cluster.members).toHaveLength(size === 0 ? 3 : size);
      expect(cluster.set?.replicas).toBe(size);
    }
  });

  it.each([1, 0])('up below the range, as after a recovery, and back to %i: the learner is given up, too', (size) => {
    for (const waitedMs of [0, 700_000]) {
      const cluster = running(3);
      for (const slot of [0, 1]) cluster.dead.add(slot);
      for (const slot of [0, 1]) cluster.volumes.set(slot, `another${slot}`);
      cluster.run();
      cluster.nowMs += 120_000;
      cluster.wanted = { ...cluster.wanted, recoverFrom: 'main-2' };
      expect(cluster.run().slice(-2)).toEqual(['addLearner 1', 'setRange 1+2']);
      cluster.nowMs += waitedMs;
      cluster.run();
      cluster.wanted = { ...cluster.wanted, size };
      expect(cluster.run().slice(0, 3)).toEqual(['removeMember 1', 'setRange 2+1', 'deleteVolume 1']);
      expect(cluster.recorded.operation).toBeUndefined();
      expect(cluster.members).toHaveLength(1);
      expect(cluster.set?.replicas).toBe(size);
    }
  });

  it('waits while a member does not serve', () => {
    const cluster = running(3);
    cluster.unreachable.add(1);
    cluster.wanted = { ...cluster.wanted, size: 5 };
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.waiting).toMatchObject({ reason: 'WaitingForPod', message: 'waiting for main-1 to be ready' });
  });
});

describe('stop', () => {
  it('stops all members at once and keeps their volumes', () => {
    const cluster = running(3);
    cluster.wanted = { ...cluster.wanted, size: 0 };
    expect(cluster.run()).toEqual(['setRange 0+0']);
    expect([...cluster.volumes.keys()]).toEqual([0, 1, 2]);
  });

  it('starts the members that were stopped, and only then scales', () => {
    const cluster = running(3);
    cluster.wanted = { ...cluster.wanted, size: 0 };
    cluster.run();
    cluster.wanted = { ...cluster.wanted, size: 1 };
    expect(cluster.run().slice(0, 2)).toEqual(['setRange 0+3', 'removeMember 2']);
  });

  it('does not start without a quorum of volumes', () => {
    const cluster = running(3);
    cluster.wanted = { ...cluster.wanted, size: 0 };
    cluster.run();
    cluster.volumes.delete(0);
    cluster.volumes.delete(1);
    cluster.wanted = { ...cluster.wanted, size: 3 };
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.problem?.reason).toBe('DataMissing');
  });

  it('starts with one volume missing, and replaces that member', () => {
    const cluster = running(3);
    cluster.wanted = { ...cluster.wanted, size: 0 };
    cluster.run();
    cluster.volumes.delete(1);
    cluster.wanted = { ...cluster.wanted, size: 3 };
    expect(cluster.run()).toEqual(['setRange 0+3', 'removeMember 1', 'addLearner 1', 'deletePod 1', 'promote 1']);
  });
});

describe('replace', () => {
  it('a member whose volume was deleted', () => {
    const cluster = running(3);
    cluster.volumes.delete(1);
    cluster.pods.delete(1);
    expect(cluster.run()).toEqual(['removeMember 1', 'addLearner 1', 'deletePod 1', 'promote 1']);
    expect(cluster.recorded.operation).toBeUndefined();
  });

  it('a member whose container does not start: its volume is deleted too', () => {
    const cluster = running(3);
    const pod = cluster.pods.get(2);
    if (pod) pod.isBroken = true;
    expect(cluster.run()).toEqual(['removeMember 2', 'deleteVolume 2', 'addLearner 2', 'deletePod 2', 'promote 2']);
  });

  it('nothing for a container that does not start with a template that works for no member', () => {
    const cluster = running(3);
    cluster.startsAs = (version) => version !== '3.5.31';
    cluster.wanted = { ...cluster.wanted, version: '3.5.31' };
    expect(cluster.run()).toEqual(['applyObjects', 'deletePod 2']);
    expect(cluster.members).toHaveLength(3);
    expect(cluster.last?.waiting?.message).toBe('waiting for main-2 to be ready');
  });

  it('a corrupt member, after leadership moved, and disarms the alarm', () => {
    const cluster = running(3);
    const id = cluster.members[0]?.id ?? '';
    cluster.alarms = [{ type: 'CORRUPT', memberId: id }];
    expect(cluster.run()).toEqual([
      'moveLeader 1',
      'removeMember 0',
      'disarm',
      'deleteVolume 0',
      'addLearner 0',
      'deletePod 0',
      'promote 0',
    ]);
  });

  it('nothing if etcd cannot tell who is corrupt', () => {
    const cluster = running(3);
    cluster.alarms = [{ type: 'CORRUPT', memberId: '0' }];
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.problem?.reason).toBe('CorruptUnknownMember');
  });

  it('nothing for a pod that is only gone: it comes back with its volume', () => {
    const cluster = running(3);
    cluster.pods.delete(1);
    expect(cluster.run()).toEqual([]);
    expect(cluster.pods.has(1)).toBe(true);
  });
});

describe('quorum loss', () => {
  function lost(how: 'dead' | 'unreachable' = 'dead'): ToyCluster {
    const cluster = running(3);
    for (const slot of [1, 2]) cluster[how].add(slot);
    cluster.run();
    cluster.nowMs += 120_000;
    return cluster;
  }

  it('is reported with the reason of each member, and nothing is done', () => {
    const cluster = lost('unreachable');
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.problem).toEqual({
      reason: 'QuorumLost',
      message: 'no quorum: 1 of 3 members answer (main-1: connection refused; main-2: connection refused)',
    });
  });

  it('is recovered from the named member only if that is allowed: all stop, one starts, the others join again', () => {
    const cluster = lost();
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'main-0' };
    const volumes = new Map(cluster.volumes);
    expect(cluster.run()).toEqual([
      'setRange 0+0',
      'setRange 0+1',
      'deletePod 0',
      'addLearner 3',
      'setRange 0+4',
      'promote 3',
      'moveLeader 3',
      'removeMember 0',
      'setRange 3+1',
      ...joins(4, 3),
      ...joins(5, 3),
    ]);
    expect(cluster.events.map(({ reason }) => reason)).toContain('RecoveryCompleted');
    // No volume with the data of a member is deleted.
    expect(cluster.recorded.parked).toEqual(Object.fromEntries(volumes));
    for (const [slot, uid] of volumes) expect(cluster.volumes.get(slot)).toBe(uid);
    expect(Object.keys(cluster.recorded.volumes)).toEqual(['3', '4', '5']);
  });

  it('is recovered from the highest slot without moving its data, and deletes volumes without any', () => {
    const cluster = lost();
    for (const slot of [0, 1]) cluster.dead.add(slot);
    cluster.dead.delete(2);
    const { 0: kept } = cluster.recorded.volumes;
    cluster.volumes.set(1, 'another');
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'main-2' };
    expect(cluster.run()).toEqual([
      'setRange 2+0',
      'setRange 2+1',
      'deletePod 2',
      'deleteVolume 1',
      'addLearner 1',
      'setRange 1+2',
    ]);
    expect([cluster.recorded.parked, cluster.recorded.parkedByRecovery]).toEqual([{ 0: kept }, [0]]);
  });

  it('is recovered above every volume that is kept, also one that is not next to it', () => {
    const cluster = running(5);
    for (const slot of [0, 1, 3, 4]) cluster.dead.add(slot);
    for (const slot of [0, 1, 3]) cluster.volumes.set(slot, `another${slot}`);
    cluster.run();
    cluster.nowMs += 120_000;
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'main-2' };
    cluster.run();
    expect(Object.keys(cluster.recorded.volumes)).toEqual(['5', '6', '7', '8', '9']);
    expect(cluster.recorded.parkedByRecovery).toEqual([4, 2]);
    expect(cluster.last?.problem).toBeUndefined();
  });

  it('keeps the volumes of former members until the cluster was ready for a day', () => {
    const cluster = lost();
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'main-0' };
    cluster.run();
    const dayMs = 86_400_000;
    cluster.nowMs += 10 * dayMs;
    expect(cluster.run()).toEqual([]);
    cluster.recorded = { ...cluster.recorded, readySinceMs: cluster.nowMs - dayMs + 1 };
    expect(cluster.run()).toEqual([]);
    cluster.nowMs += 1;
    cluster.unreachable.add(4);
    expect(cluster.run()).toEqual([]);
    cluster.unreachable.clear();
    expect(cluster.run()).toEqual(['deleteVolume 1', 'deleteVolume 2', 'deleteVolume 0']);
    expect([cluster.recorded.parked, cluster.recorded.parkedByRecovery]).toEqual([undefined, undefined]);
    cluster.volumes.set(7, 'v7');
    cluster.recorded = { ...cluster.recorded, parked: { 7: 'v7', 8: 'v8' }, parkedByRecovery: [7, 8] };
    const { recorded } = nextAction(cluster.input());
    expect([recorded.parked, recorded.parkedByRecovery]).toEqual([{ 7: 'v7' }, [7]]);
  });

  it('keeps the oldest of more than three times the volumes of the cluster for an hour', () => {
    const cluster = lost();
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'main-0' };
    cluster.run();
    const [first = ''] = cluster.volumes.values();
    const all = [1, 2, 0].map((slot) => cluster.recorded.parked?.[slot] ?? '');
    // Volumes of 1,000 bytes each are wanted, three of them.
    for (const uid of all) cluster.volumeBytes.set(uid, 3_000);
    cluster.recorded = { ...cluster.recorded, readySinceMs: cluster.nowMs };
    cluster.nowMs += 3_600_000;
    expect(cluster.run()).toEqual([]);
    cluster.volumeBytes.set(first, 3_001);
    cluster.recorded = { ...cluster.recorded, readySinceMs: cluster.nowMs - 3_600_000 + 1 };
    expect(cluster.run()).toEqual([]);
    cluster.nowMs += 1;
    expect(cluster.run()).toEqual(['deleteVolume 1']);
  });

  it('deletes no volume that a restore has parked, and forgets those that a user has deleted', () => {
    const cluster = running();
    cluster.volumes.set(7, 'former');
    cluster.recorded = { ...cluster.recorded, parked: { 7: 'former' }, readySinceMs: cluster.nowMs };
    cluster.nowMs += 864_000_000;
    expect(cluster.run()).toEqual([]);
    cluster.recorded = { ...cluster.recorded, parkedByRecovery: [7] };
    cluster.volumes.delete(7);
    expect(cluster.run()).toEqual([]);
    expect(cluster.recorded.parked).toBeUndefined();
  });

  it('is not recovered while a majority of the processes may run, and the message names them', () => {
    const cluster = lost('unreachable');
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'auto' };
    expect(cluster.run()).toEqual([]);
    expect(cluster.recorded.recovery).toBeUndefined();
    const { reason, message } = cluster.last?.problem ?? {};
    expect(reason).toBe('QuorumLost');
    expect(message).toContain('recovery from auto is refused: the processes of main-0, main-1, main-2 may run');
    // One of the three is dead for certain, and the others are still a quorum.
    cluster.dead.add(1);
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.problem?.message).toContain('the processes of main-0, main-2 may run');
    cluster.dead.add(2);
    expect(cluster.run()).toContain('setRange 0+0');
  });

  it('is recovered although pods run that have another volume than their member had', () => {
    const cluster = lost('unreachable');
    for (const slot of [1, 2]) cluster.volumes.set(slot, `other${slot}`);
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'auto' };
    expect(cluster.run()).toContain('setRange 0+0');
  });

  it('is not recovered any more if the processes run again before they were stopped', () => {
    const cluster = lost();
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'auto' };
    cluster.recorded = { ...cluster.recorded, recovery: { survivor: 0, phase: 'Stopping', startedAtMs: 0 } };
    cluster.dead.clear();
    for (const slot of [1, 2]) cluster.unreachable.add(slot);
    const { recorded, events } = nextAction(cluster.input());
    expect(recorded.recovery).toBeUndefined();
    expect(events).toMatchObject([{ reason: 'RecoveryCancelled' }]);
  });

  it.each([
    ['CertificateUntrusted', 'TLS with them fails: main-1: alert unknown ca; main-2: alert unknown ca', true, false],
    ['Unreachable', 'ready pods are main-1, main-2', false, true],
  ])('is not what members have that %s keeps from the operator', (reason, text, isUntrusted, isReady) => {
    const cluster = lost('unreachable');
    const facts = cluster.facts();
    const slots = facts.slots.map((slot) => {
      if (slot.status || slot.pod === undefined) return slot;
      return { ...slot, isUntrusted, statusError: 'alert unknown ca', pod: { ...slot.pod, isReady } };
    });
    cluster.facts = () => ({ ...facts, nowMs: cluster.nowMs, slots });
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'auto' };
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.problem).toMatchObject({ reason, message: expect.stringContaining(text) });
    expect(cluster.recorded.recovery).toBeUndefined();
  });

  it('is one if TLS fails with the only member whose process runs', () => {
    const cluster = lost();
    const facts = cluster.facts();
    const slots = facts.slots.map((slot) => ({ ...slot, status: undefined, isUntrusted: slot.index === 0 }));
    cluster.facts = () => ({ ...facts, nowMs: cluster.nowMs, slots });
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.problem?.reason).toBe('QuorumLost');
  });

  it('is recovered from a member that has restarted, which does not answer: nothing could be recovered', () => {
    const cluster = running();
    for (const slot of [1, 2]) cluster.volumes.delete(slot);
    cluster.unreachable.add(0);
    cluster.nowMs += 100_000;
    cluster.run();
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'auto' };
    cluster.nowMs += 100_000;
    const { recorded } = nextAction(cluster.input());
    expect(recorded.recovery).toMatchObject({ survivor: 0, phase: 'Stopping' });
  });

  it('that ends while all members are about to stop starts them again', () => {
    const cluster = lost();
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'main-0' };
    cluster.recorded = { ...cluster.recorded, recovery: { survivor: 0, phase: 'Stopping', startedAtMs: 0 } };
    cluster.set = { start: 0, replicas: 0, hash: cluster.templateHash };
    cluster.dead.clear();
    // The StatefulSet has not stopped its pods yet.
    const { recorded, events } = nextAction(cluster.input());
    expect(events).toMatchObject([{ reason: 'RecoveryCancelled' }]);
    cluster.recorded = recorded;
    const { recoverFrom: _, ...wanted } = cluster.wanted;
    cluster.wanted = wanted;
    expect(cluster.run()).toEqual(['setRange 0+3']);
    expect(cluster.last?.problem).toBeUndefined();
    expect(cluster.hasQuorum()).toBe(true);
  });

  it('is not what a cluster has that refuses the operator: its data is not recovered from one member', () => {
    const cluster = running();
    const { facts } = cluster.input();
    const slots = facts.slots.map((slot) => ({ ...slot, member: undefined, isServing: false, isDenied: true }));
    cluster.facts = () => ({ ...facts, nowMs: cluster.nowMs, slots, membership: undefined });
    cluster.wanted = { ...cluster.wanted, recoverFrom: 'auto' };
    cluster.run();
    cluster.nowMs += 120_000;
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.problem?.reason).toBe('AuthenticationRequired');
    expect(cluster.recorded.recovery).toBeUndefined();
  });

  it('is over when the members come back', () => {
    const cluster = lost();
    cluster.dead.clear();
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.problem).toBeUndefined();
    expect(cluster.recorded.quorumLostAtMs).toBeUndefined();
  });
});

describe('a restart after a change of the template', () => {
  const restarting = (size: number, ...unready: readonly number[]) => {
    const cluster = running(size);
    cluster.leader = 0;
    cluster.templateRevision++;
    for (const slot of unready) cluster.unready.add(slot);
    return cluster;
  };

  it('goes on when the member before serves, if another one gets clients', () => {
    const cluster = restarting(3, 2);
    expect(cluster.run()).toEqual(['applyObjects', 'deletePod 2', 'deletePod 1', 'moveLeader 1', 'deletePod 0']);
    expect(cluster.recorded.operation).toBeUndefined();
    cluster.wanted = { ...cluster.wanted, size: 5 };
    expect(cluster.run()).toEqual([]);
    expect(cluster.last?.waiting?.message).toBe('waiting for main-2 to be ready');
    cluster.unready.clear();
    expect(cluster.run()).toContain('addLearner 3');
  });

  it('waits for the last member that gets clients', () => {
    const cluster = restarting(3, 1, 2);
    expect(cluster.run()).toEqual(['applyObjects', 'deletePod 2', 'deletePod 1']);
    expect(cluster.last?.waiting?.message).toBe('waiting for main-1, main-2 to be ready');
    cluster.unready.delete(2);
    expect(cluster.run()).toEqual(['moveLeader 1', 'deletePod 0']);
  });

  it('leaves as many members that get clients as may fail', () => {
    const cluster = restarting(5, 2, 3, 4);
    expect(cluster.run()).toEqual(['applyObjects', 'deletePod 4', 'deletePod 3', 'deletePod 2']);
    cluster.unready.delete(4);
    expect(cluster.run()).toEqual(['deletePod 1', 'moveLeader 1', 'deletePod 0']);
  });

  it('begins although no member gets clients with the former template', () => {
    const cluster = running(3);
    cluster.leader = 0;
    cluster.templateRevision++;
    for (const slot of [0, 1, 2]) cluster.unready.add(slot);
    expect(cluster.run()).toEqual(['applyObjects', 'deletePod 2']);
  });
});

describe('upgrade', () => {
  it('restarts followers from the highest slot, and the leader last', () => {
    const cluster = running(3);
    cluster.leader = 2;
    cluster.wanted = { ...cluster.wanted, version: '3.6.1' };
    expect(cluster.run()).toEqual(['applyObjects', 'deletePod 1', 'deletePod 0', 'moveLeader 0', 'deletePod 2']);
    expect([...cluster.pods.values()].map(({ version }) => version)).toEqual(['3.6.1', '3.6.1', '3.6.1']);
  });

  it('is refused back, over a minor version, and to 3.6 from a release that may lose members', () => {
    for (const [from, to] of [
      ['3.5.30', '3.4.30'],
      ['3.4.30', '3.6.1'],
      ['3.5.20', '3.6.1'],
    ] as const) {
      const cluster = new ToyCluster();
      cluster.wanted = { ...cluster.wanted, version: from };
      cluster.run();
      cluster.wanted = { ...cluster.wanted, version: to };
      expect(cluster.run()).toEqual([]);
      expect(cluster.last?.problem?.reason).toBe('UpgradeBlocked');
    }
  });

  it('is taken back as long as no member runs the new version', () => {
    const cluster = running(3);
    cluster.startsAs = (version) => version !== '3.6.1';
    cluster.wanted = { ...cluster.wanted, version: '3.6.1' };
    cluster.run();
    expect(cluster.pods.get(2)?.isBroken).toBe(true);
    cluster.wanted = { ...cluster.wanted, version: '3.5.30' };
    expect(cluster.run()).toEqual(['applyObjects', 'deletePod 2']);
    expect(cluster.hasQuorum()).toBe(true);
    expect(cluster.last?.waiting).toBeUndefined();
  });

  it('stops at a member that does not come back', () => {
    const cluster = running(3);
    cluster.wanted = { ...cluster.wanted, version: '3.6.1' };
    cluster.unreachable.add(2);
    cluster.run();
    expect(cluster.last?.waiting?.reason).toBe('WaitingForPod');
    expect(cluster.pods.get(1)?.version).toBe('3.5.30');
  });
});

describe('space', () => {
  it('compacts, defragments each member and disarms the alarm', () => {
    const cluster = running(3);
    cluster.dbSizeBytes = 1_200;
    cluster.alarms = [{ type: 'NOSPACE', memberId: cluster.members[0]?.id ?? '' }];
    const compactions = ['compact 2', 'compact 1', 'compact 0'];
    expect(cluster.run()).toEqual([...compactions, 'defragment 2', 'disarm']);
  });
});

describe('delete', () => {
  it('deletes the pods, keeps the volumes, and removes the finalizer', () => {
    const cluster = running(3);
    cluster.wanted = { ...cluster.wanted, isDeleting: true };
    expect(cluster.run()).toEqual(['deleteSet', 'removeFinalizer']);
    expect(cluster.volumes.size).toBe(3);
  });

  it('deletes the volumes if the policy says so, also without a quorum', () => {
    const cluster = running(3);
    cluster.unreachable.add(0).add(1).add(2);
    cluster.wanted = { ...cluster.wanted, isDeleting: true, whenDeleted: 'Delete' };
    expect(cluster.run()).toEqual([
      'deleteSet',
      'deleteVolume 0',
      'deleteVolume 1',
      'deleteVolume 2',
      'removeFinalizer',
    ]);
  });
});

it('does nothing while paused', () => {
  const cluster = new ToyCluster();
  cluster.wanted = { ...cluster.wanted, isPaused: true };
  expect(cluster.run()).toEqual([]);
  expect(cluster.last?.waiting?.reason).toBe('Paused');
});
