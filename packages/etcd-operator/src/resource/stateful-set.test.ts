import { StatefulSet } from '@ecsm/kubernetes';
import { ApiError } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import type { EtcdClusterInput } from '../apis/etcd-cluster.ts';
import { createCluster, memoryRegistry } from './cluster.kit.ts';
import { Managers } from './managers.ts';

async function start(spec: EtcdClusterInput['spec'] = {}) {
  const registry = memoryRegistry();
  const cluster = await createCluster(spec, { registry });
  const { statefulSets, templates } = new Managers(registry);
  const { template, hash } = templates.render(cluster, '3.5.21', 'ca');
  await statefulSets.create(cluster, template, 2, 3);
  const find = async () => {
    const set = await statefulSets.find(cluster);
    if (set === undefined) throw new Error('no StatefulSet');
    return set;
  };
  return { registry, cluster, statefulSets, templates, template, hash, find };
}

describe('the StatefulSet', () => {
  it('starts pods together, and leaves restarts and volumes to the operator', async () => {
    const { find, cluster } = await start();
    const { spec, metadata } = await find();
    expect(spec).toMatchObject({
      replicas: 3,
      ordinals: { start: 2 },
      serviceName: 'main-peer',
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'OnDelete' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
    expect(metadata.ownerReferences).toMatchObject([{ uid: cluster.metadata.uid, controller: true }]);
  });

  it('claims volumes that carry the uid of the cluster, so that another one of the name does not use them', async () => {
    const { find, cluster } = await start({ storage: { size: '5Gi', storageClassName: 'fast' } });
    const { volumeClaimTemplates: [claim] = [] } = (await find()).spec;
    expect(claim).toMatchObject({
      metadata: { name: 'data', labels: { 'etcd.ecsm.sh/cluster-uid': cluster.metadata.uid } },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '5Gi' } },
        storageClassName: 'fast',
      },
    });
  });

  it('takes over the settings of the claims, but not their labels of the operator', async () => {
    const volumeClaimTemplate = {
      metadata: { labels: { team: 'a', 'etcd.ecsm.sh/cluster': 'x' }, annotations: { note: 'b' } },
      spec: { accessModes: ['ReadWriteOncePod'], selector: { matchLabels: { disk: 'a' } } },
    };
    const { find } = await start({ storage: { volumeClaimTemplate } });
    const { volumeClaimTemplates: [claim] = [] } = (await find()).spec;
    expect(claim).toMatchObject({
      metadata: { labels: { team: 'a', 'etcd.ecsm.sh/cluster': 'main' }, annotations: { note: 'b' } },
      spec: volumeClaimTemplate.spec,
    });
  });

  it('stays as it is if it exists already', async () => {
    const { find, statefulSets, cluster, template } = await start();
    const { metadata } = await find();
    await statefulSets.create(cluster, template, 0, 1);
    expect((await find()).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('changes its range only if it has not changed since it was read', async () => {
    const { find, statefulSets } = await start();
    const read = await find();
    await statefulSets.setRange(read, 1, 4);
    expect((await find()).spec).toMatchObject({ replicas: 4, ordinals: { start: 1 } });
    await expect(statefulSets.setRange(read, 0, 5)).rejects.toThrow(ApiError);
    expect((await find()).spec.replicas).toBe(4);
  });

  it('gets another template without a change of anything else', async () => {
    const { find, statefulSets, templates, cluster } = await start();
    const before = await find();
    const { template, hash } = templates.render(cluster, '3.5.22', 'ca');
    await statefulSets.setTemplate(before, template);
    const { spec } = await find();
    expect(spec.template.metadata?.annotations).toEqual({ 'etcd.ecsm.sh/template-hash': hash });
    expect(spec.template.spec.containers[0]?.image).toBe('quay.io/coreos/etcd:v3.5.22');
    expect({ ...spec, template: undefined }).toEqual({ ...before.spec, template: undefined });
  });

  it('is deleted by its uid: another one of the name stays', async () => {
    const { find, statefulSets, registry, cluster } = await start();
    const set = await find();
    await statefulSets.delete({ ...set, metadata: { ...set.metadata, uid: 'earlier' } });
    await find();
    await statefulSets.delete(set);
    expect(await statefulSets.find(cluster)).toBeUndefined();
    expect((await registry.resource(StatefulSet).list()).items).toEqual([]);
  });
});
