import { PersistentVolumeClaim, Pod, PodDisruptionBudget, StatefulSet } from '@ecsm/kubernetes';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EtcdClusterInput } from '../apis/etcd-cluster.ts';
import { EtcdCluster } from '../apis/etcd-cluster.ts';
import { EtcdRestore } from '../apis/etcd-restore.ts';
import { annotations } from '../apis/well-known.ts';
import type { EtcdErrorCode } from '../client/etcd/contract.ts';
import { statusOfMember } from '../client/etcd/scripted.kit.ts';
import type { Action } from '../service/model.ts';
import { nextAction } from '../service/next-action.ts';
import { ClusterAccess } from './cluster-access.ts';
import { Lab } from './lab.kit.ts';

const { signal } = new AbortController();
const why = 'a test';

let lab: Lab;
let service: ClusterAccess;
beforeEach(() => {
  lab = new Lab();
  service = new ClusterAccess(lab.options);
});

async function started(count = 3, spec: EtcdClusterInput['spec'] = {}) {
  await lab.create({ size: count, ...spec });
  await lab.start(count);
}

const observe = async () => service.observe(await lab.get(), signal);
const perform = async (action: Action) => service.perform(await observe(), action, signal);
const namesOf = async (kind: typeof Pod | typeof PersistentVolumeClaim) =>
  (await lab.registry.resource<unknown, unknown, unknown, unknown>(kind).list()).items.map(
    ({ metadata }) => metadata.name,
  );

describe('an observation', () => {
  it('of a new cluster names everything that is missing, and writes nothing', async () => {
    await lab.create();
    const { input } = await observe();
    expect(input.staleObjects).toEqual([
      'Service/main-peer',
      'Service/main-client',
      'PodDisruptionBudget/main',
      'ConfigMap/main-config',
    ]);
    expect(input.facts).toMatchObject({ set: undefined, membership: undefined });
    expect((await lab.registry.resource(StatefulSet).list()).items).toEqual([]);
  });

  it('asks the pods that have an address and are not being deleted', async () => {
    await started(3);
    const pods = lab.registry.resource(Pod);
    await pods.patch('main-2', { metadata: { finalizers: ['test/keep'] } });
    await pods.delete('main-2');
    const { endpoints, input } = await observe();
    expect([...endpoints.values()].map(({ address }) => address)).toEqual(['10.0.0.0', '10.0.0.1']);
    expect(input.facts.slots[2]).toMatchObject({ pod: { isDeleting: true }, status: undefined });
    expect(input.facts.membership?.members).toHaveLength(3);
  });

  it('of a member that starts with restored data counts its keys at the revision of the data, once', async () => {
    const restores = lab.registry.resource(EtcdRestore);
    const spec = { backupName: 'b', clusterName: 'main', restoreType: 'New', revisionBump: 10 } as const;
    const restore = await restores.create({ metadata: { name: 'back' }, spec });
    await restores.updateStatus({ ...restore, status: { step: 'Starting', etcdRevision: '7' } });
    const { uid } = restore.metadata;
    await lab.create({ size: 1 }, { annotations: { [annotations.restore]: 'back' } });
    await lab.start(1);
    lab.etcd.members.set('10.0.0.0', { status: statusOfMember('a'), keys: 5 });
    const seen = async (changes: object) => {
      const current = { uid, phase: 'Starting', slot: 0, startedAt: '2026-01-01T00:00:00Z', ...changes } as const;
      const clusters = lab.registry.resource(EtcdCluster);
      await clusters.updateStatus({ ...(await lab.get()), status: { restore: current } });
      const { input } = await observe();
      return [input.wanted.restore?.revision, input.facts.slots[0]?.keys];
    };
    expect(await seen({})).toEqual(['17', 5]);
    expect(await seen({ revision: '17', keys: 5 })).toEqual(['17', undefined]);
    expect(await seen({ uid: 'of another' })).toEqual(['17', undefined]);
  });

  it('notices a StatefulSet with another template than the spec renders', async () => {
    await started(1);
    await perform({ do: 'createSet', start: 0, replicas: 1, why });
    expect((await observe()).input.staleObjects).not.toContain('StatefulSet/main');
    await lab.registry.resource(EtcdCluster).patch('main', { spec: { etcd: { options: { 'snapshot-count': 5 } } } });
    expect((await observe()).input.staleObjects).toContain('StatefulSet/main');
    await perform({ do: 'applyObjects', objects: [], why });
    expect((await observe()).input.staleObjects).toEqual([]);
  });

  it('protects a quorum of the voters or of the wanted size, whichever is more', async () => {
    const minAvailable = async () => {
      await perform({ do: 'applyObjects', objects: [], why });
      return (await lab.registry.resource(PodDisruptionBudget).get('main')).spec.minAvailable;
    };
    await started(3, { size: 1 });
    expect(await minAvailable()).toBe(2);
    // A cluster that does not answer has the members whose volumes are recorded.
    const { members } = lab.etcd;
    const known = new Map(members);
    const volumes = [0, 1, 2].map((slot) => ({ slot, uid: `v${slot}` }));
    await lab.registry.resource(EtcdCluster).updateStatus({ ...(await lab.get()), status: { volumes } });
    members.clear();
    expect(await minAvailable()).toBe(2);
    for (const [address, member] of known) members.set(address, member);
    await lab.registry.resource(EtcdCluster).patch('main', { spec: { size: 5 } });
    expect(await minAvailable()).toBe(3);
  });
});

describe('a pod of another owner', () => {
  const spec = { containers: [{ name: 'other', image: 'other:1' }] };

  it('stops the growth if it has the name of any slot that is used next, and is named', async () => {
    await started(1, { size: 3 });
    await perform({ do: 'createSet', start: 0, replicas: 1, why });
    expect(nextAction((await observe()).input).problem).toBeUndefined();
    await lab.registry.resource(Pod).create({ metadata: { name: 'main-2' }, spec });
    const { input } = await observe();
    expect(input.foreignObjects).toEqual(['Pod/main-2']);
    const { action, problem } = nextAction(input);
    expect(action).toBeUndefined();
    expect(problem).toMatchObject({ reason: 'ForeignObjects', message: expect.stringContaining('Pod/main-2') });
  });

  it('is of no interest beyond the size', async () => {
    await started(1, { size: 1 });
    await perform({ do: 'createSet', start: 0, replicas: 1, why });
    await lab.registry.resource(Pod).create({ metadata: { name: 'main-1' }, spec });
    expect((await observe()).input.foreignObjects).toEqual([]);
  });
});

describe('an action', () => {
  it('of the membership goes to the leader', async () => {
    await started(3);
    await perform({ do: 'addLearner', slot: 3, peerURL: 'http://x:2380', why });
    await perform({ do: 'promote', slot: 2, memberId: 'c', why });
    await perform({ do: 'moveLeader', slot: 1, memberId: 'b', why });
    await perform({ do: 'disarm', alarm: { type: 'NOSPACE', memberId: 'b' }, why });
    await perform({ do: 'removeMember', slot: 2, memberId: 'c', why });
    expect(lab.etcd.changes).toEqual([
      'addLearner http://x:2380 at 10.0.0.0',
      'promote c at 10.0.0.0',
      'moveLeader b at 10.0.0.0',
      'disarm NOSPACE b at 10.0.0.0',
      'remove c at 10.0.0.0',
    ]);
  });

  it('of a database goes to the member that has it', async () => {
    await started(3);
    await perform({ do: 'compact', slot: 2, revision: 7n, why });
    await perform({ do: 'defragment', slot: 1, why });
    expect(lab.etcd.changes).toEqual(['compact 7 at 10.0.0.2', 'defragment at 10.0.0.1']);
  });

  it('that removes the leader goes to another member, and to the leader if there is no other', async () => {
    await started(3);
    await perform({ do: 'removeMember', slot: 0, memberId: 'a', why });
    expect(lab.etcd.changes).toEqual(['remove a at 10.0.0.1']);
    lab.etcd.members.delete('10.0.0.1');
    lab.etcd.members.delete('10.0.0.2');
    await perform({ do: 'removeMember', slot: 0, memberId: 'a', why });
    expect(lab.etcd.changes.at(-1)).toBe('remove a at 10.0.0.0');
  });

  it('of one member goes to that member', async () => {
    await started(3);
    await perform({ do: 'defragment', slot: 2, why });
    await perform({ do: 'defragment', slot: 9, why });
    expect(lab.etcd.changes).toEqual(['defragment at 10.0.0.2']);
  });

  it('that needs a member fails if none serves', async () => {
    await started(3);
    lab.etcd.members.clear();
    await expect(perform({ do: 'promote', slot: 1, memberId: 'b', why })).rejects.toThrow('no member serves');
  });

  it.each<EtcdErrorCode>(['MemberNotFound', 'PeerUrlExists', 'NotLearner'])(
    'that etcd answers with %s is done already',
    async (code) => {
      await started(3);
      lab.etcd.failure = code;
      expect(await perform({ do: 'promote', slot: 1, memberId: 'b', why })).toBeUndefined();
    },
  );

  it.each<EtcdErrorCode>([
    'LearnerNotReady',
    'Unhealthy',
    'NotEnoughStarted',
    'TooManyLearners',
    'NoLeader',
    'NotLeader',
  ])('that etcd answers with %s is not done yet', async (code) => {
    await started(3);
    lab.etcd.failure = code;
    expect(await perform({ do: 'promote', slot: 1, memberId: 'b', why })).toBe(`scripted: ${code}`);
  });

  it.each<EtcdErrorCode>(['Unavailable', 'Timeout', 'Denied', 'NoSpace', 'Other'])(
    'that etcd answers with %s has an unknown outcome, or one that needs attention',
    async (code) => {
      await started(3);
      lab.etcd.failure = code;
      await expect(perform({ do: 'promote', slot: 1, memberId: 'b', why })).rejects.toMatchObject({ code });
    },
  );

  it('changes the StatefulSet', async () => {
    await started(1);
    const sets = lab.registry.resource(StatefulSet);
    await perform({ do: 'setRange', start: 0, replicas: 1, why });
    await perform({ do: 'createSet', start: 0, replicas: 1, why });
    await perform({ do: 'setRange', start: 1, replicas: 2, why });
    expect((await sets.get('main')).spec).toMatchObject({ ordinals: { start: 1 }, replicas: 2 });
    await perform({ do: 'deleteSet', why });
    expect((await sets.list()).items).toEqual([]);
    await perform({ do: 'deleteSet', why });
  });

  it('deletes pods and volumes by their uid', async () => {
    await started(3);
    const { slots } = (await observe()).input.facts;
    const { pod, volume } = slots[1] ?? {};
    await perform({ do: 'deletePod', slot: 0, uid: 'another', why });
    await perform({ do: 'deletePod', slot: 1, uid: pod?.uid ?? '', why });
    await perform({ do: 'deleteVolume', slot: 0, uid: 'another', why });
    await perform({ do: 'deleteVolume', slot: 1, uid: volume?.uid ?? '', why });
    expect(await namesOf(Pod)).toEqual(['main-0', 'main-2']);
    expect(await namesOf(PersistentVolumeClaim)).toEqual(['data-main-0', 'data-main-2']);
  });

  it('enlarges a volume, or returns why it was refused', async () => {
    await started(1, { storage: { size: '20Gi' } });
    const claims = lab.registry.resource(PersistentVolumeClaim);
    const { uid } = (await claims.get('data-main-0')).metadata;
    expect(await perform({ do: 'enlargeVolume', slot: 0, uid, why })).toBeUndefined();
    const { metadata, spec } = await claims.get('data-main-0');
    expect(spec.resources?.requests).toEqual({ storage: '20Gi' });
    await claims.updateStatus({ metadata, status: { phase: 'Pending' } });
    await lab.registry.resource(EtcdCluster).patch('main', { spec: { storage: { size: '30Gi' } } });
    expect(await perform({ do: 'enlargeVolume', slot: 0, uid, why })).toContain('can only be changed');
    await expect(perform({ do: 'deletePod', slot: 0, uid: 'x', why })).resolves.toBeUndefined();
  });

  it('issues certificates', async () => {
    await lab.create({ security: {} });
    await perform({ do: 'certificates', step: 'CreateAuthority', why });
    expect((await observe()).security.facts?.hasAuthority).toBe(true);
  });

  it('removes the permission to recover, once it was used', async () => {
    const annotations = { 'etcd.ecsm.sh/recover-quorum-from': 'auto', note: 'mine' };
    await service.removeRecoveryAnnotation(await lab.create({}, { annotations }));
    expect((await lab.get()).metadata.annotations).toEqual({ note: 'mine' });
  });
});
