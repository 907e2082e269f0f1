/** An action whose call fails is not taken for done: its error reaches the pass, which looks again before it acts. */

import { PersistentVolumeClaim, PodDisruptionBudget } from '@ecsm/kubernetes';
import { ApiError, EmbeddedRegistry, MemoryStore } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { EtcdCluster } from '../apis/etcd-cluster.ts';
import { EtcdRestore } from '../apis/etcd-restore.ts';
import { managedKinds } from '../resource/managers.ts';
import type { Action } from '../service/model.ts';
import { ClusterAccess } from './cluster-access.ts';
import { Lab } from './lab.kit.ts';

class FailingStore extends MemoryStore {
  fails = false;

  override async commit(...args: Parameters<MemoryStore['commit']>): ReturnType<MemoryStore['commit']> {
    if (this.fails) throw new ApiError('Unavailable', { what: 'store', reason: 'down' });
    return super.commit(...args);
  }
}

const { signal } = new AbortController();
const why = 'a test';
let store: FailingStore;
let lab: Lab;
let service: ClusterAccess;

beforeEach(async () => {
  store = new FailingStore();
  const kinds = [EtcdCluster, EtcdRestore, ...managedKinds];
  lab = new Lab(new EmbeddedRegistry({ store, kinds, clock: new VirtualClock() }));
  service = new ClusterAccess(lab.options);
  await lab.create({ size: 3, storage: { size: '20Gi' } });
  await lab.start(3);
});

const observe = async () => service.observe(await lab.get(), signal);

describe('an action in Kubernetes that fails', () => {
  it.each<Action>([
    { do: 'applyObjects', objects: [], why },
    { do: 'createSet', start: 0, replicas: 1, why },
  ])('is not done: $do', async (action) => {
    const observed = await observe();
    store.fails = true;
    await expect(service.perform(observed, action, signal)).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it.each(['deletePod', 'deleteVolume', 'enlargeVolume'] as const)('is not done: %s', async (what) => {
    const observed = await observe();
    const { pod, volume } = observed.input.facts.slots[1] ?? {};
    const uid = (what === 'deletePod' ? pod?.uid : volume?.uid) ?? '';
    store.fails = true;
    const work = service.perform(observed, { do: what, slot: 1, uid, why }, signal);
    await expect(work).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it.each(['setRange', 'deleteSet'] as const)('is not done: %s', async (what) => {
    await service.perform(await observe(), { do: 'createSet', start: 0, replicas: 3, why }, signal);
    const observed = await observe();
    store.fails = true;
    const work = service.perform(observed, { do: what, start: 0, replicas: 1, why }, signal);
    await expect(work).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('is not done: the removal of an annotation', async () => {
    const cluster = await lab.get();
    store.fails = true;
    const annotated = { ...cluster, metadata: { ...cluster.metadata } };
    store.fails = false;
    await lab.registry
      .resource(EtcdCluster)
      .patch('main', { metadata: { annotations: { 'etcd.ecsm.sh/recover-quorum-from': 'auto' } } });
    store.fails = true;
    await expect(service.removeRecoveryAnnotation(annotated)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});

describe('an action of etcd that fails', () => {
  it.each<Action>([
    { do: 'addLearner', slot: 3, peerURL: 'http://x:2380', why },
    { do: 'promote', slot: 2, memberId: 'c', why },
    { do: 'removeMember', slot: 2, memberId: 'c', why },
    { do: 'moveLeader', slot: 1, memberId: 'b', why },
    { do: 'compact', slot: 1, revision: 7n, why },
    { do: 'disarm', alarm: { type: 'NOSPACE', memberId: 'b' }, why },
    { do: 'defragment', slot: 1, why },
  ])('is not done: $do', async (action) => {
    const observed = await observe();
    lab.etcd.failure = 'Other';
    await expect(service.perform(observed, action, signal)).rejects.toMatchObject({ code: 'Other' });
  });
});

it('a stopped cluster needs no member, so its disruption budget does not block a drain', async () => {
  const budget = async () => {
    await service.perform(await observe(), { do: 'applyObjects', objects: [], why }, signal);
    return (await lab.registry.resource(PodDisruptionBudget).get('main')).spec.minAvailable;
  };
  expect(await budget()).toBe(2);
  const clusters = lab.registry.resource(EtcdCluster);
  await clusters.updateStatus({ ...(await lab.get()), status: { stoppedStart: 0, stoppedSize: 3 } });
  expect(await budget()).toBe(2);
  await clusters.patch('main', { spec: { size: 0 } });
  expect(await budget()).toBe(0);
});

it('a claim of another owner in the place of the next member is seen, although it has no labels of ours', async () => {
  await service.perform(await observe(), { do: 'createSet', start: 0, replicas: 3, why }, signal);
  await lab.registry.resource(EtcdCluster).patch('main', { spec: { size: 5 } });
  const volume = async () => (await observe()).input.facts.slots.find(({ index }) => index === 3)?.volume;
  expect(await volume()).toBeUndefined();
  await lab.registry.resource(PersistentVolumeClaim).create({
    metadata: { name: 'data-main-3' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  expect(await volume()).toMatchObject({ isOurs: false });
});
