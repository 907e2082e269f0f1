import { PersistentVolume, StorageClass } from '@ecsm/kubernetes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cluster, startCluster, statefulSet } from './cluster.kit.ts';
import { createStorageClass } from './volume-provisioner.ts';

let cluster: Cluster;
beforeEach(async () => {
  cluster = startCluster();
  await createStorageClass(cluster.registry);
});
afterEach(() => cluster.close());

const claim = (storageClassName?: string) => ({
  metadata: { name: 'data' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    ...(storageClassName === undefined ? {} : { storageClassName }),
  },
});

describe('a claim', () => {
  it.each([undefined, 'standard'])('of the class %s is bound to a volume of its own', async (storageClassName) => {
    const { metadata } = await cluster.claims.create(claim(storageClassName));
    await cluster.settle();
    const bound = await cluster.claims.get('data');
    expect(bound.spec.volumeName).toBe(`pvc-${metadata.uid}`);
    expect(bound.status).toMatchObject({ phase: 'Bound', capacity: { storage: '1Gi' } });
    const volume = await cluster.volumes.get(`pvc-${metadata.uid}`);
    expect(volume.status?.phase).toBe('Bound');
    expect(volume.spec).toMatchObject({
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef: { namespace: 'default', name: 'data', uid: metadata.uid },
    });
  });

  it('of another class stays pending', async () => {
    await cluster.registry
      .resource(StorageClass)
      .create(StorageClass.input({ name: 'other' }, { provisioner: 'example.io/x' }));
    for (const storageClassName of ['other', 'missing']) {
      await cluster.claims.create(claim(storageClassName));
      await cluster.settle();
      expect((await cluster.claims.get('data')).status).toEqual({ phase: 'Pending' });
      await cluster.claims.patch('data', { metadata: { finalizers: [] } });
      await cluster.claims.delete('data');
      await cluster.settle();
    }
    expect(await cluster.names(PersistentVolume)).toEqual([]);
  });

  it('has a larger capacity after it was enlarged', async () => {
    await cluster.claims.create(claim());
    await cluster.settle();
    await cluster.claims.patch('data', { spec: { resources: { requests: { storage: '2Gi' } } } });
    await cluster.settle();
    expect((await cluster.claims.get('data')).status?.capacity).toEqual({ storage: '2Gi' });
  });

  it('that is deleted takes its volume with it, unless the volume is to be retained', async () => {
    const retained = StorageClass.input(
      { name: 'retain' },
      { provisioner: 'process-node.ecsm.io/directory', reclaimPolicy: 'Retain' },
    );
    await cluster.registry.resource(StorageClass).create(retained);
    for (const [storageClassName, left] of [
      ['standard', []],
      ['retain', ['Released']],
    ] as const) {
      await cluster.claims.create(claim(storageClassName));
      await cluster.settle();
      await cluster.claims.delete('data');
      await cluster.settle();
      const { items } = await cluster.volumes.list();
      expect(items.map(({ status }) => status?.phase)).toEqual(left);
    }
  });

  it('is kept while a pod on a node uses it', async () => {
    await cluster.sets.create(statefulSet({ replicas: 1 }));
    await cluster.settle();
    await cluster.run('main-0');
    await cluster.claims.delete('data-main-0');
    await cluster.settle();
    expect((await cluster.claims.get('data-main-0')).metadata.deletionTimestamp).toBeDefined();
    expect(await cluster.names(PersistentVolume)).toHaveLength(1);
    const [before] = await cluster.names(PersistentVolume);
    await cluster.pods.delete('main-0');
    await cluster.settle();
    expect((await cluster.claims.get('data-main-0')).status?.phase).toBe('Bound');
    expect(await cluster.names(PersistentVolume)).not.toContain(before);
  });
});

describe('a PodDisruptionBudget', () => {
  const budget = (limits: { minAvailable?: number | string; maxUnavailable?: number }) => ({
    metadata: { name: 'main' },
    spec: { ...limits, selector: { matchLabels: { app: 'main' } } },
  });

  it.each([
    [{ minAvailable: 2 }, { desiredHealthy: 2, disruptionsAllowed: 1 }],
    [{ minAvailable: '100%' }, { desiredHealthy: 3, disruptionsAllowed: 0 }],
    [{ maxUnavailable: 2 }, { desiredHealthy: 1, disruptionsAllowed: 2 }],
  ])('with %j counts healthy pods', async (limits, expected) => {
    await cluster.budgets.create(budget(limits));
    await cluster.sets.create(statefulSet());
    await cluster.settle();
    expect((await cluster.budgets.get('main')).status).toMatchObject({ currentHealthy: 0, disruptionsAllowed: 0 });
    for (const name of ['main-0', 'main-1', 'main-2']) await cluster.run(name);
    await cluster.settle();
    expect((await cluster.budgets.get('main')).status).toEqual({
      observedGeneration: 1,
      currentHealthy: 3,
      expectedPods: 3,
      ...expected,
    });
  });
});
