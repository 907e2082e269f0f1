import { describe, expect, it } from 'vitest';
import type { EtcdCluster, EtcdClusterStatus } from '../../apis/etcd-cluster.ts';
import { EtcdCluster as EtcdClusterKind } from '../../apis/etcd-cluster.ts';
import { createCluster, memoryRegistry } from '../../resource/cluster.kit.ts';
import { invalidStatus } from '../cluster/cluster.ts';
import type { Decision, OperationType, PassInput, Recorded } from '../model.ts';
import { nextAction } from '../next-action.ts';
import { steadyCertificates } from '../pass-settings.kit.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';
import { recordedOf, statusOf } from './status.ts';

const second = 1_000;

function running(): ToyCluster {
  const toy = new ToyCluster();
  toy.nowMs = 100 * second;
  toy.run();
  return toy;
}

async function write(toy: ToyCluster, changes: Partial<Decision> = {}, before?: EtcdClusterStatus) {
  const cluster = { ...(await createCluster()), ...(before ? { status: before } : {}) };
  const decision = { recorded: toy.recorded, events: [], ...changes };
  return statusOf(cluster, toy.input(), decision);
}

describe('what is recorded', () => {
  const operation = (type: OperationType) => ({
    type,
    slot: 2,
    startedAtMs: 3 * second,
    memberId: 'a1',
    volumeUid: 'v1',
    podUid: 'p1',
    attempts: 4,
  });
  const types = ['Bootstrap', 'AddMember', 'RemoveMember', 'ReplaceMember', 'Restart', 'Upgrade'] as const;
  const phases = ['Stopping', 'Forcing', 'Cleaning', 'Moving'] as const;
  const volumes = { 0: 'v0', 2: 'v2' };
  it.each<Recorded>([
    { volumes: {} },
    { volumes },
    { volumes, clusterId: 'c1' },
    { volumes, version: '3.5.21' },
    { volumes, stopped: { start: 2, size: 3 } },
    { volumes, quorumLostAtMs: 7 * second },
    { volumes, space: { startedAtMs: 5 * second, revision: '7', compacted: [0, 1, 2], defragmented: [2, 1] } },
    { volumes, space: { startedAtMs: 5 * second, revision: '7', compacted: [], defragmented: [] } },
    { volumes, operation: { type: 'AddMember', slot: 0, startedAtMs: second } },
    ...types.map((type) => ({ volumes, operation: operation(type) })),
    { volumes, recovery: { survivor: 1, phase: 'Moving', startedAtMs: second, podUid: 'p1', target: 5 } },
    { volumes, parked: { 7: 'v7' } },
    { volumes, parked: { 1: 'v1', 4: 'v4', 7: 'v7' }, parkedByRecovery: [7, 1] },
    ...phases.map((phase) => ({ volumes, recovery: { survivor: 1, phase, startedAtMs: 2 * second } })),
  ])('is read from the status again: %j', async (recorded) => {
    const status = await write(running(), { recorded });
    // As a server stores it.
    const registry = memoryRegistry();
    const { metadata } = await createCluster({}, { registry });
    const stored = await registry.resource(EtcdClusterKind).updateStatus({ metadata, status });
    expect(recordedOf(stored.status)).toEqual(recorded);
  });

  it('includes since when the cluster is ready', () => {
    const condition = (status: 'True' | 'False') =>
      ({ type: 'Ready', status, reason: 'Running', message: '', lastTransitionTime: '1970-01-01T00:00:09Z' }) as const;
    expect(recordedOf({ conditions: [condition('True')] })).toEqual({ volumes: {}, readySinceMs: 9 * second });
    expect(recordedOf({ conditions: [condition('False')] })).toEqual({ volumes: {} });
  });

  it('is empty without a status, and without an operation that this version does not know', () => {
    expect(recordedOf(undefined)).toEqual({ volumes: {} });
    expect(recordedOf({ operation: { type: 'Later' } })).toEqual({ volumes: {} });
  });

  it('is complete where times and lists are missing', () => {
    const status = { operation: { type: 'Restart' }, recovery: { survivor: 0, phase: 'Forcing' }, space: {} } as const;
    expect(recordedOf({ ...status, stoppedSize: 3 })).toEqual({
      volumes: {},
      operation: { type: 'Restart', slot: 0, startedAtMs: 0 },
      recovery: { survivor: 0, phase: 'Forcing', startedAtMs: 0 },
      space: { startedAtMs: 0, revision: '0', compacted: [], defragmented: [] },
      stopped: { start: 0, size: 3 },
    });
  });
});

describe('the status', () => {
  it('lists the members by slot, with their roles', async () => {
    const toy = running();
    toy.members = [...toy.members].reverse();
    const { members = [], replicas, readyReplicas, leaderID, clusterID, currentVersion } = await write(toy);
    expect(members.map(({ name, role, ready }) => [name, role, ready])).toEqual([
      ['main-0', 'leader', true],
      ['main-1', 'follower', true],
      ['main-2', 'follower', true],
    ]);
    expect(members[1]).toMatchObject({
      id: toy.members[1]?.id,
      peerURL: 'https://main-1:2380',
      clientURL: 'https://main-1.main-peer.default.svc:2379',
      version: '3.5.30',
      dbSizeBytes: 100,
      lag: 0,
    });
    expect({ replicas, readyReplicas, leaderID, clusterID, currentVersion }).toEqual({
      replicas: 3,
      readyReplicas: 3,
      leaderID: members[0]?.id,
      clusterID: 'c1',
      currentVersion: '3.5.30',
    });
  });

  it('tells why a member is not ready', async () => {
    const toy = running();
    toy.unreachable.add(1);
    const messages = async () => (await write(toy)).members?.map(({ message }) => message);
    expect(await messages()).toEqual([undefined, 'connection refused', undefined]);
    const pod = toy.pods.get(1);
    if (pod) pod.isBroken = true;
    expect(await messages()).toEqual([undefined, 'CrashLoopBackOff', undefined]);
    toy.pods.delete(1);
    expect(await messages()).toEqual([undefined, 'no pod', undefined]);
  });

  it('keeps the last members while they are unknown, and counts none of them as ready', async () => {
    const toy = running();
    const before = await write(toy);
    toy.unreachable.add(1).add(2);
    const status = await write(toy, {}, before);
    expect(status.members?.map(({ id }) => id)).toEqual(before.members?.map(({ id }) => id));
    expect(status.members?.map(({ ready }) => ready)).toEqual([false, false, false]);
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 0 });
    expect(status.leaderID).toBeUndefined();
  });

  it('lists members that belong to no slot last', async () => {
    const toy = running();
    const stranger = { id: 'x', name: 'x', peerURLs: [], clientURLs: [], isLearner: true };
    const facts = toy.facts();
    const membership = facts.membership && { ...facts.membership, members: [stranger, ...toy.members] };
    toy.facts = () => ({ ...facts, membership });
    expect((await write(toy)).members?.at(-1)).toEqual({ name: 'x', id: 'x', ready: false, role: 'learner' });
  });

  it('does not change with small changes of the database or of the lag', async () => {
    const toy = running();
    const before = await write(toy);
    toy.dbSizeBytes = 110;
    expect(await write(toy, {}, before)).toEqual(before);
    toy.dbSizeBytes = 111;
    expect((await write(toy, {}, before)).members?.[0]?.dbSizeBytes).toBe(111);
  });

  it('shows how far a member is behind, in hundreds of entries', async () => {
    const toy = running();
    const facts = toy.facts();
    const slots = facts.slots.map((slot) => ({
      ...slot,
      status: slot.status && {
        ...slot.status,
        raftIndex: 1_000n,
        raftAppliedIndex: BigInt(1_000 - slot.index * 170),
      },
    }));
    toy.facts = () => ({ ...facts, slots });
    expect((await write(toy)).members?.map(({ lag }) => lag)).toEqual([0, 100, 300]);
  });

  it('shows the step of the operation, before it is taken', async () => {
    const toy = running();
    const recorded: Recorded = { ...toy.recorded, operation: { type: 'AddMember', slot: 3, startedAtMs: 9e12 } };
    const action = { do: 'addLearner', slot: 3, peerURL: 'x', why: 'size is 5' } as const;
    expect((await write(toy, { recorded, action })).operation).toMatchObject({
      type: 'AddMember',
      step: 'addLearner',
      message: 'addLearner: size is 5',
    });
    const waiting = { reason: 'WaitingForPod', message: 'waiting for main-3' } as const;
    expect((await write(toy, { recorded, waiting })).operation).toMatchObject({ message: 'waiting for main-3' });
  });

  it('shows when certificates expire, and when the phase changed', async () => {
    const toy = running();
    const cluster: EtcdCluster = await createCluster();
    const certificates = { ...steadyCertificates, notAfterMs: 86_400_000 };
    const input: PassInput = { ...toy.input(), certificates };
    const decision = { recorded: toy.recorded, events: [] };
    const first = statusOf(cluster, input, decision);
    expect(first.certificates).toEqual({ notAfter: '1970-01-02T00:00:00Z' });
    const later = { ...input, facts: { ...input.facts, nowMs: 9_000 * second } };
    expect(statusOf({ ...cluster, status: first }, later, decision).lastUpdateTime).toBe(first.lastUpdateTime);
    const deleting = { ...later, wanted: { ...later.wanted, isDeleting: true } };
    expect(statusOf({ ...cluster, status: first }, deleting, decision).lastUpdateTime).toBe('1970-01-01T02:30:00Z');
  });
});

describe('an invalid spec', () => {
  const errors = Array.from(
    { length: 7 },
    (_, n) => ({ path: `spec.f${n}`, type: 'Invalid value', message: 'bad' }) as const,
  );

  it('is reported with the first errors, and the rest of the status stays', async () => {
    const cluster = { ...(await createCluster()), status: { phase: 'Running', clusterID: 'c1' } as const };
    const status = invalidStatus(cluster, errors, 0);
    expect(status).toMatchObject({
      phase: 'Running',
      clusterID: 'c1',
      observedGeneration: cluster.metadata.generation,
    });
    expect(status.conditions?.map(({ type, status: value, reason }) => `${type}=${value} ${reason}`)).toEqual([
      'Ready=False InvalidSpec',
      'Degraded=True InvalidSpec',
    ]);
    expect(status.conditions?.[0]?.message).toBe(
      'spec.f0: bad; spec.f1: bad; spec.f2: bad; spec.f3: bad; spec.f4: bad; and 2 more',
    );
    expect(invalidStatus(cluster, errors.slice(0, 1), 0).conditions?.[0]?.message).toBe('spec.f0: bad');
    expect(invalidStatus(cluster, errors.slice(0, 5), 0).conditions?.[0]?.message).not.toContain('more');
  });
});

it('does not report members as ready that were ready before the quorum was lost', async () => {
  const toy = new ToyCluster();
  toy.run();
  const before: PassInput = toy.input();
  const cluster = await createCluster();
  const running = statusOf(cluster, before, nextAction(before));
  expect(running.members?.map(({ ready }) => ready)).toEqual([true, true, true]);

  const slots = before.facts.slots.map((slot) => ({
    ...slot,
    member: undefined,
    status: undefined,
    isServing: false,
    ...(slot.index === 0 ? { statusError: 'connection refused' } : { pod: undefined }),
  }));
  const after: PassInput = { ...before, facts: { ...before.facts, membership: undefined, slots } };
  const lost = statusOf({ ...cluster, status: running }, after, nextAction(after));
  expect(lost).toMatchObject({ replicas: 3, readyReplicas: 0 });
  expect(lost.members?.map(({ id, ready, role, message }) => ({ id, ready, role, message }))).toEqual(
    ['connection refused', 'no pod', 'no pod'].map((message, index) => ({
      id: running.members?.[index]?.id,
      ready: false,
      role: undefined,
      message,
    })),
  );
});
