import { PersistentVolumeClaim, Pod, StatefulSet } from '@ecsm/kubernetes';
import type { EmbeddedRegistry } from '@ecsm/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import type { MemberAnswer } from '../../client/etcd/members.ts';
import { member, statusOfMember } from '../../client/etcd/scripted.kit.ts';
import { createCluster, memoryRegistry, withoutTls } from '../../resource/cluster.kit.ts';
import { clusterNames } from '../../resource/cluster.ts';
import { isRunning } from '../health/quorum.ts';
import { clusterFacts, type Observed } from './observation.ts';

let registry: EmbeddedRegistry;
let names: ReturnType<typeof clusterNames>;
beforeEach(async () => {
  registry = memoryRegistry();
  names = clusterNames(await createCluster(withoutTls, { registry }));
});

const nothing: Observed = {
  nowMs: 5,
  set: undefined,
  pods: [],
  claims: [],
  answers: new Map(),
  members: undefined,
  alarms: [],
};
const facts = (observed: Partial<Observed>) => clusterFacts(names, { ...nothing, ...observed });
const container = { name: 'etcd', image: 'etcd' };

async function pod(name: string, status: object = {}, annotations: Readonly<Record<string, string>> = {}) {
  const pods = registry.resource(Pod);
  const { metadata } = await pods.create({ metadata: { name, annotations }, spec: { containers: [container] } });
  return pods.updateStatus({ metadata, status });
}

function claim(name: string, uid: string, storage: string | number = '1Gi') {
  return registry.resource(PersistentVolumeClaim).create({
    metadata: { name, labels: { 'etcd.ecsm.sh/cluster-uid': uid } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  });
}

function set(start: number, replicas: number, ownerUid: string) {
  const owner = { apiVersion: 'etcd.ecsm.sh/v1alpha1', kind: 'EtcdCluster', name: 'main', uid: ownerUid };
  return registry.resource(StatefulSet).create({
    metadata: { name: 'main', ownerReferences: [{ ...owner, controller: true }] },
    spec: {
      replicas,
      ordinals: { start },
      selector: { matchLabels: { app: 'etcd' } },
      template: {
        metadata: { labels: { app: 'etcd' }, annotations: { 'etcd.ecsm.sh/template-hash': 'h' } },
        spec: { containers: [container] },
      },
    },
  });
}

const slotsOf = (observed: Partial<Observed>) => facts(observed).slots.map(({ index }) => index);

describe('the slots of a cluster', () => {
  it('are in the order of their numbers, not of their names', async () => {
    const pods = await Promise.all([10, 2, 9, 1].map((slot) => pod(`main-${slot}`)));
    expect(slotsOf({ pods })).toEqual([0, 1, 2, 9, 10]);
  });

  it('are those of the range, the next one, and those that anything exists for', async () => {
    expect(slotsOf({})).toEqual([0]);
    expect(slotsOf({ set: await set(0, 2, names.uid) })).toEqual([0, 1, 2]);
    expect(
      slotsOf({
        pods: [await pod('main-3'), await pod('other-9')],
        claims: [await claim('data-main-5', names.uid)],
        members: { clusterId: 'c1', members: [member('a', 7)] },
      }),
    ).toEqual([0, 3, 5, 7]);
  });

  it('have below and above a range that does not start at 0 the next ones', async () => {
    expect(slotsOf({ set: await set(2, 1, names.uid) })).toEqual([1, 2, 3]);
  });
});

describe('a StatefulSet', () => {
  it('is ours if the cluster owns it', async () => {
    expect(facts({ set: await set(1, 3, names.uid) }).set).toMatchObject({
      isOurs: true,
      isDeleting: false,
      start: 1,
      replicas: 3,
      templateHash: 'h',
    });
  });

  it('is foreign if another one does', async () => {
    expect(facts({ set: await set(0, 1, 'other') }).set?.isOurs).toBe(false);
  });
});

describe('a pod', () => {
  const podOf = async (status: object, annotations?: Readonly<Record<string, string>>) =>
    facts({ pods: [await pod('main-0', status, annotations)] }).slots[0]?.pod;

  it('is down since it is not ready, or since its deletion, which counts first', async () => {
    const since = '2026-01-02T03:00:00Z';
    const condition = (status: string) => ({ conditions: [{ type: 'Ready', status, lastTransitionTime: since }] });
    const created = await pod('main-1', {});
    const downOf = (one: typeof created) => facts({ pods: [one] }).slots.find(({ pod }) => pod)?.pod?.downSinceMs;
    expect(downOf(created)).toBe(Date.parse(created.metadata.creationTimestamp));
    expect(downOf(await pod('main-2', condition('False')))).toBe(Date.parse(since));
    const ready = await pod('main-3', condition('True'));
    expect(downOf(ready)).toBeUndefined();
    const deletionTimestamp = '2026-01-02T05:00:00Z';
    expect(downOf({ ...ready, metadata: { ...ready.metadata, deletionTimestamp } })).toBe(
      Date.parse(deletionTimestamp),
    );
  });

  it('is pending until Kubernetes says otherwise', async () => {
    expect(await podOf({})).toMatchObject({
      phase: 'Pending',
      isReady: false,
      isDeleting: false,
      address: undefined,
      restarts: 0,
      waitingReason: undefined,
      lastTermination: undefined,
      templateHash: undefined,
    });
  });

  it('is ready by its condition, and knows the template that it was created from', async () => {
    const conditions = ['Ready', 'PodScheduled'].map((type) => ({ type, status: 'True' }));
    const status = { phase: 'Running', podIP: '10.0.0.1', conditions };
    const found = await podOf(status, { 'etcd.ecsm.sh/template-hash': 'h' });
    expect(found).not.toHaveProperty('unscheduled');
    expect(found).toMatchObject({
      phase: 'Running',
      address: '10.0.0.1',
      isReady: true,
      templateHash: 'h',
    });
  });

  it('has the words of the scheduler that finds no node for it', async () => {
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' };
    expect(await podOf({ conditions: [condition] })).toMatchObject({ unscheduled: '0/3 nodes' });
  });

  const containerStatus = { name: 'etcd', ready: false, restartCount: 4 };
  it.each([
    [{ waiting: { reason: 'CrashLoopBackOff' } }, { terminated: { exitCode: 1, reason: 'Error', message: 'no file' } }],
    [{ terminated: { exitCode: 1, reason: 'Error', message: 'no file' } }, undefined],
  ])('that does not run tells why: %j', async (state, lastState) => {
    const status = { ...containerStatus, state, ...(lastState ? { lastState } : {}) };
    expect(await podOf({ phase: 'Running', containerStatuses: [status] })).toMatchObject({
      restarts: 4,
      waitingReason: lastState ? 'CrashLoopBackOff' : 'Terminated',
      lastTermination: 'Error: no file',
    });
  });

  it('that ended without a reason has none', async () => {
    const status = { ...containerStatus, state: { terminated: { exitCode: 0 } } };
    expect((await podOf({ containerStatuses: [status] }))?.lastTermination).toBeUndefined();
  });

  it('runs if etcd does, whatever a container beside it does: a member that serves counted as stopped', async () => {
    const beside = { name: 'daprd', ready: false, restartCount: 9, state: { waiting: { reason: 'CrashLoopBackOff' } } };
    const etcd = { name: 'etcd', ready: true, restartCount: 1, state: { running: {} } };
    const found = await podOf({ phase: 'Running', containerStatuses: [beside, etcd] });
    expect(found).toMatchObject({ restarts: 1, waitingReason: undefined });
    expect(found && isRunning(found)).toBe(true);
  });
});

describe('a volume', () => {
  it('is ours by its label, and has the size of its claim', async () => {
    const claims = [await claim('data-main-0', names.uid, '2Ki'), await claim('data-main-1', 'earlier', 5)];
    const [first, second] = facts({ claims }).slots;
    expect(first?.volume).toMatchObject({ isOurs: true, phase: 'Pending', requestBytes: 2048 });
    expect(second?.volume).toMatchObject({ isOurs: false, requestBytes: 5 });
  });

  it('has the words of the driver that could not enlarge it', async () => {
    const conditions = [{ type: 'ControllerResizeError', status: 'True' as const, message: 'no space' }];
    const { metadata } = await claim('data-main-0', names.uid);
    const failed = await registry
      .resource(PersistentVolumeClaim)
      .updateStatus({ metadata, status: { phase: 'Bound', conditions } });
    expect(facts({ claims: [failed] }).slots[0]?.volume).toMatchObject({ resizeError: 'no space' });
  });
});

describe('members', () => {
  const answers = (...given: readonly MemberAnswer[]) => new Map(given.entries());
  const members = { clusterId: 'c1', members: [member('a', 0), member('b', 1)] };

  it('belong to the slot that their peer URL names; others are strangers', () => {
    const stranger = { ...member('x', 0), peerURLs: ['http://10.0.0.9:2380'] };
    const found = facts({ members: { ...members, members: [...members.members, stranger] } });
    expect(found.slots.map((slot) => slot.member?.id)).toEqual(['a', 'b']);
    expect(found.strangers).toEqual([stranger]);
  });

  it('are unknown if no member serves, which is not the same as none', () => {
    const found = facts({ answers: answers({ error: 'refused', isServing: false }) });
    expect(found.membership).toBeUndefined();
    expect(found.strangers).toEqual([]);
    expect(found.slots[0]).toMatchObject({ status: undefined, statusError: 'refused', isServing: false });
  });

  it('have the leader of the newest term: a member that is cut off names its former one', () => {
    const cutOff = { status: statusOfMember('b', { leaderId: 'b', raftTerm: 2n }), isServing: false };
    const led = { status: statusOfMember('a', { leaderId: 'a', raftTerm: 3n }), isServing: true };
    expect(facts({ members, answers: answers(cutOff, led) }).membership?.leaderId).toBe('a');
  });

  it('have the leader that one of them names', () => {
    const without = { status: statusOfMember('b', { leaderId: undefined }), isServing: false };
    const led = { status: statusOfMember('a'), isServing: true };
    expect(facts({ members, answers: answers(without, led) }).membership).toEqual({ ...members, leaderId: 'a' });
    expect(facts({ members, answers: answers(without) }).membership?.leaderId).toBeUndefined();
  });

  it('of two clusters show more than one id', () => {
    const one = { status: statusOfMember('a'), isServing: true };
    const other = { status: statusOfMember('b', { clusterId: 'c0' }), isServing: true };
    expect(facts({ answers: answers(one, one) }).clusterIds).toEqual(['c1']);
    expect(facts({ answers: answers(one, other) }).clusterIds).toEqual(['c0', 'c1']);
  });
});
