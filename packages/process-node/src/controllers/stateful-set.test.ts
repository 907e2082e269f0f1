import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cluster, startCluster, statefulSet } from './cluster.kit.ts';
import { claimProtection } from './stateful-pods.ts';

let cluster: Cluster;
beforeEach(() => {
  cluster = startCluster(['statefulSets']);
});
afterEach(() => cluster.close());

async function created(spec: Parameters<typeof statefulSet>[0] = {}) {
  const set = await cluster.sets.create(statefulSet(spec));
  await cluster.settle();
  return set;
}

async function scale(spec: { replicas?: number; ordinals?: { start: number } }) {
  await cluster.sets.patch('main', { spec });
  await cluster.settle();
}

describe('a StatefulSet', () => {
  it('has pods with labels, a host name, claims and their owner', async () => {
    const { metadata } = await created({ replicas: 2 });
    expect(await cluster.names(Pod)).toEqual(['main-0', 'main-1']);
    const pod = await cluster.pods.get('main-1');
    const { updateRevision = '' } = (await cluster.sets.get('main')).status ?? {};
    expect(pod.metadata.labels).toEqual({
      app: 'main',
      'statefulset.kubernetes.io/pod-name': 'main-1',
      'apps.kubernetes.io/pod-index': '1',
      'controller-revision-hash': updateRevision,
    });
    expect(pod.metadata.annotations).toEqual({ note: 'one' });
    expect(pod.metadata.ownerReferences).toMatchObject([{ kind: 'StatefulSet', uid: metadata.uid, controller: true }]);
    expect(pod.spec).toMatchObject({
      hostname: 'main-1',
      subdomain: 'main-peer',
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-main-1' } }],
    });
    const claim = await cluster.claims.get('data-main-1');
    expect(claim.metadata.labels).toEqual({ app: 'main', cluster: 'main' });
    expect(claim.metadata.finalizers).toEqual([claimProtection]);
    expect(claim.metadata.ownerReferences).toBeUndefined();
  });

  it('moves to another range of numbers, and keeps the claims', async () => {
    await created({ replicas: 2 });
    await scale({ replicas: 2, ordinals: { start: 1 } });
    expect(await cluster.names(Pod)).toEqual(['main-1', 'main-2']);
    await scale({ replicas: 0 });
    expect(await cluster.names(Pod)).toEqual([]);
    expect(await cluster.names(PersistentVolumeClaim)).toEqual(['data-main-0', 'data-main-1', 'data-main-2']);
  });

  it('gives a changed template to pods that were deleted, and to no others', async () => {
    await created({ replicas: 2 });
    await cluster.run('main-0');
    await cluster.run('main-1');
    await cluster.settle();
    const before = await cluster.sets.get('main');
    const template = statefulSet().spec.template;
    await cluster.sets.patch('main', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'example.io/main:2' }] } } },
    });
    await cluster.settle();
    expect((await cluster.pods.get('main-0')).spec.containers[0]?.image).toBe(template.spec.containers[0]?.image);
    await cluster.pods.delete('main-0');
    await cluster.settle();
    expect((await cluster.pods.get('main-0')).spec.containers[0]?.image).toBe('example.io/main:2');
    const { status } = await cluster.sets.get('main');
    expect(status?.updateRevision).not.toBe(before.status?.updateRevision);
    expect(status).toMatchObject({
      observedGeneration: 2,
      replicas: 2,
      readyReplicas: 1,
      updatedReplicas: 1,
      currentReplicas: 1,
      currentRevision: before.status?.updateRevision,
    });
  });

  it('does not create a pod before the old one is gone', async () => {
    await created({ replicas: 1 });
    await cluster.pods.patch('main-0', { metadata: { finalizers: ['example.io/node'] } });
    const { uid } = (await cluster.pods.delete('main-0'))?.metadata ?? {};
    await cluster.settle();
    expect((await cluster.pods.get('main-0')).metadata.uid).toBe(uid);
    await cluster.pods.patch('main-0', { metadata: { finalizers: [] } });
    await cluster.settle();
    expect((await cluster.pods.get('main-0')).metadata.uid).not.toBe(uid);
  });

  it('does not create a pod while its claim is being deleted, and then with a new claim', async () => {
    await created({ replicas: 1 });
    const { uid } = (await cluster.claims.delete('data-main-0'))?.metadata ?? {};
    await cluster.pods.delete('main-0');
    await cluster.settle();
    expect(await cluster.names(Pod)).toEqual([]);
    await cluster.claims.patch('data-main-0', { metadata: { finalizers: [] } });
    await cluster.settle();
    expect(await cluster.names(Pod)).toEqual(['main-0']);
    expect((await cluster.claims.get('data-main-0')).metadata.uid).not.toBe(uid);
  });

  it('creates the missing claim of a pod that is pending', async () => {
    await created({ replicas: 1 });
    await cluster.claims.delete('data-main-0');
    await cluster.claims.patch('data-main-0', { metadata: { finalizers: [] } });
    await cluster.pods.updateStatus({ metadata: { name: 'main-0' }, status: { phase: 'Pending' } });
    await cluster.settle();
    expect(await cluster.names(PersistentVolumeClaim)).toEqual(['data-main-0']);
  });

  it('recreates failed pods', async () => {
    await created({ replicas: 1 });
    const { uid } = (await cluster.pods.get('main-0')).metadata;
    await cluster.pods.updateStatus({ metadata: { name: 'main-0' }, status: { phase: 'Failed' } });
    await cluster.settle();
    expect((await cluster.pods.get('main-0')).metadata.uid).not.toBe(uid);
  });

  it('counts its pods', async () => {
    await created();
    await cluster.run('main-0');
    await cluster.run('main-1', false);
    await cluster.settle();
    expect((await cluster.sets.get('main')).status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 1,
    });
  });
});
