import { PersistentVolumeClaim, Pod } from '@ecsm/kubernetes';
import { describe, expect, it } from 'vitest';
import { createCluster, memoryRegistry } from './cluster.kit.ts';
import { Managers } from './managers.ts';

const labels = { 'etcd.ecsm.sh/cluster': 'main' };

async function start() {
  const registry = memoryRegistry();
  const cluster = await createCluster({ storage: { size: '20Gi' } }, { registry });
  const claim = (name: string, own: Readonly<Record<string, string>> = labels) =>
    registry.resource(PersistentVolumeClaim).create({
      metadata: { name, labels: own },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
    });
  const pod = (name: string) =>
    registry
      .resource(Pod)
      .create({ metadata: { name, labels }, spec: { containers: [{ name: 'etcd', image: 'etcd' }] } });
  return { registry, cluster, volumes: new Managers(registry).volumes, claim, pod };
}

const namesOf = (objects: readonly { readonly metadata: { readonly name: string } }[]) =>
  objects.map(({ metadata }) => metadata.name);

describe('volumes', () => {
  it('are listed with those of an earlier cluster of the name, and without those of others', async () => {
    const { cluster, volumes, claim } = await start();
    await claim('data-main-0');
    await claim('data-main-1', { ...labels, 'etcd.ecsm.sh/cluster-uid': 'earlier' });
    await claim('data-other-0', { 'etcd.ecsm.sh/cluster': 'other' });
    expect(namesOf(await volumes.list(cluster))).toEqual(['data-main-0', 'data-main-1']);
  });

  it('are deleted by their uid: a new one of the name stays', async () => {
    const { cluster, volumes, claim } = await start();
    const { metadata } = await claim('data-main-1');
    await volumes.delete(cluster, 1, 'earlier');
    expect(namesOf(await volumes.list(cluster))).toEqual(['data-main-1']);
    await volumes.delete(cluster, 1, metadata.uid);
    expect(await volumes.list(cluster)).toEqual([]);
    await volumes.delete(cluster, 1, metadata.uid);
  });

  it('are enlarged to the size of the spec', async () => {
    const { registry, cluster, volumes, claim } = await start();
    const { metadata } = await claim('data-main-1');
    const claims = registry.resource(PersistentVolumeClaim);
    await claims.updateStatus({ metadata, status: { phase: 'Bound' } });
    await volumes.enlarge(cluster, 1, metadata.uid);
    expect((await claims.get('data-main-1')).spec.resources?.requests).toEqual({ storage: '20Gi' });
  });

  it('are not enlarged before they are bound', async () => {
    const { cluster, volumes, claim } = await start();
    const { metadata } = await claim('data-main-1');
    await expect(volumes.enlarge(cluster, 1, metadata.uid)).rejects.toMatchObject({ code: 'Invalid' });
  });
});

describe('pods', () => {
  it('are listed and deleted by their uid', async () => {
    const { cluster, volumes, pod } = await start();
    const { metadata } = await pod('main-2');
    expect(namesOf(await volumes.listPods(cluster))).toEqual(['main-2']);
    await volumes.deletePod(cluster, 2, 'earlier');
    expect(namesOf(await volumes.listPods(cluster))).toEqual(['main-2']);
    await volumes.deletePod(cluster, 2, metadata.uid);
    expect(await volumes.listPods(cluster)).toEqual([]);
  });
});
