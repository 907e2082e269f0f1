/** What the managers write, on a registry in memory: objects that are missing, that differ, and that are not ours. */
import { ConfigMap } from '@ecsm/apiserver';
import { PodDisruptionBudget, Service } from '@ecsm/kubernetes';
import { VirtualClock } from '@ecsm/runtime/testing';
import { describe, expect, it } from 'vitest';
import { CheckedObjects } from './checked-objects.ts';
import { createCluster, memoryRegistry } from './cluster.kit.ts';
import type { SlotConfig } from './etcd-config.ts';
import { Managers, type ObjectsWanted } from './managers.ts';

const wanted: ObjectsWanted = {
  version: '3.5.21',
  slots: new Map<number, SlotConfig>([
    [0, { role: 'settled' }],
    [1, { role: 'settled' }],
  ]),
  isComplete: true,
  minAvailable: 2,
};

async function start() {
  const registry = memoryRegistry();
  const cluster = await createCluster({}, { registry });
  const managers = new Managers(registry);
  const stale = async (changes: Partial<ObjectsWanted> = {}) => managers.stale(cluster, { ...wanted, ...changes });
  const names = async (changes: Partial<ObjectsWanted> = {}) => (await stale(changes)).map(({ name }) => name);
  const apply = async (changes: Partial<ObjectsWanted> = {}) => {
    for (const object of await stale(changes)) await object.apply();
  };
  return { registry, cluster, managers, stale, names, apply };
}

const all = ['Service/main-peer', 'Service/main-client', 'PodDisruptionBudget/main', 'ConfigMap/main-config'];

describe('the objects of a cluster', () => {
  it('are not read again if they were right a short time ago, except for the configuration', async () => {
    const { cluster, managers, registry, apply } = await start();
    await apply();
    const clock = new VirtualClock();
    const checked = new CheckedObjects(clock, 1_000);
    const names = async () => (await managers.stale(cluster, wanted, checked)).map(({ name }) => name);
    expect(await names()).toEqual([]);
    await registry.resource(Service).delete('main-client');
    await registry.resource(ConfigMap).delete('main-config');
    expect(await names()).toEqual(['ConfigMap/main-config']);
    await clock.advance(1_000);
    expect(await names()).toEqual(['Service/main-client', 'ConfigMap/main-config']);
    expect(await names()).toEqual(['Service/main-client', 'ConfigMap/main-config']);
  });

  it('are missing at first, and are complete once they were applied', async () => {
    const { names, apply } = await start();
    expect(await names()).toEqual(all);
    await apply();
    expect(await names()).toEqual([]);
  });

  it('belong to the cluster, which they are deleted with', async () => {
    const { registry, cluster, apply } = await start();
    await apply();
    for (const [kind, name] of [
      [Service, 'main-client'],
      [Service, 'main-peer'],
      [ConfigMap, 'main-config'],
      [PodDisruptionBudget, 'main'],
    ] as const) {
      const { metadata } = await registry.resource(kind).get(name);
      expect(metadata.ownerReferences).toEqual([
        {
          apiVersion: 'etcd.ecsm.sh/v1alpha1',
          kind: 'EtcdCluster',
          name: 'main',
          uid: cluster.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      expect(metadata.labels).toMatchObject({ 'etcd.ecsm.sh/cluster': 'main' });
    }
  });

  it('are Services for clients and for members, which find each other before they are ready', async () => {
    const { registry, apply } = await start();
    await apply();
    const selector = {
      'app.kubernetes.io/name': 'etcd',
      'app.kubernetes.io/instance': 'main',
      'etcd.ecsm.sh/cluster': 'main',
    };
    const { spec: client } = await registry.resource(Service).get('main-client');
    expect(client).toMatchObject({ type: 'ClusterIP', selector, ports: [{ name: 'client', port: 2379 }] });
    expect(client.publishNotReadyAddresses).toBeUndefined();
    const { spec: peer } = await registry.resource(Service).get('main-peer');
    expect(peer).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true, selector });
    expect(peer.ports?.map(({ port }) => port)).toEqual([2379, 2380]);
  });

  it('are a disruption budget with the number of pods that a drain has to leave', async () => {
    const { registry, apply, names } = await start();
    await apply();
    const { spec } = await registry.resource(PodDisruptionBudget).get('main');
    expect(spec).toMatchObject({ minAvailable: 2, selector: { matchLabels: { 'etcd.ecsm.sh/cluster': 'main' } } });
    expect(await names({ minAvailable: 3 })).toEqual(['PodDisruptionBudget/main']);
    await apply({ minAvailable: 3 });
    expect((await registry.resource(PodDisruptionBudget).get('main')).spec.minAvailable).toBe(3);
  });

  it('are applied again when a field that matters was changed', async () => {
    const { registry, names, apply } = await start();
    await apply();
    await registry.resource(Service).patch('main-client', { spec: { selector: { 'etcd.ecsm.sh/cluster': 'other' } } });
    expect(await names()).toEqual(['Service/main-client']);
    await apply();
    expect((await registry.resource(Service).get('main-client')).spec.selector).toMatchObject({
      'etcd.ecsm.sh/cluster': 'main',
    });
  });

  it('may have fields that a server or a user added', async () => {
    const { registry, names, apply } = await start();
    await apply();
    await registry.resource(Service).patch('main-client', {
      metadata: { annotations: { note: 'mine' }, labels: { team: 'a' } },
      spec: { clusterIP: '10.0.0.1', sessionAffinity: 'None' },
    });
    expect(await names()).toEqual([]);
  });

  it('lose a configuration that is not wanted any more, so that its slot cannot start', async () => {
    const { registry, names, apply } = await start();
    await apply();
    const slots = new Map<number, SlotConfig>([[0, { role: 'settled' }]]);
    expect(await names({ slots })).toEqual(['ConfigMap/main-config']);
    await apply({ slots });
    const { data = {} } = ConfigMap.fieldsOf(await registry.resource(ConfigMap).get('main-config'));
    expect(Object.keys(data)).toEqual(['main-0.yaml']);
  });

  it('lose a configuration that a user added', async () => {
    const { registry, names, apply } = await start();
    await apply();
    await registry.resource(ConfigMap).patch('main-config', { data: { 'main-2.yaml': '{}' } });
    expect(await names()).toEqual(['ConfigMap/main-config']);
    await apply();
    expect(await names()).toEqual([]);
    const { data = {} } = ConfigMap.fieldsOf(await registry.resource(ConfigMap).get('main-config'));
    expect(Object.keys(data)).toEqual(['main-0.yaml', 'main-1.yaml']);
  });

  it('keep their configurations while the members are not known', async () => {
    const { registry, names, apply } = await start();
    await apply();
    const unknown = { slots: new Map<number, SlotConfig>([[1, { role: 'settled' }]]), isComplete: false };
    expect(await names(unknown)).toEqual([]);
    await apply({ ...unknown, version: '3.6.0' });
    const { data = {} } = ConfigMap.fieldsOf(await registry.resource(ConfigMap).get('main-config'));
    expect(Object.entries(data).map(([key, text]) => [key, text.includes('feature-gates')])).toEqual([
      ['main-0.yaml', false],
      ['main-1.yaml', true],
    ]);
  });
});

describe('an object of the same name', () => {
  const foreign = async (metadata: object) => {
    const { registry, stale } = await start();
    await registry.resource(Service).create({
      metadata: { name: 'main-client', ...metadata },
      spec: { ports: [{ port: 80 }] },
    });
    return (await stale()).filter(({ isForeign }) => isForeign).map(({ name }) => name);
  };
  const owner = { apiVersion: 'v1', kind: 'Other', name: 'other', uid: 'other', controller: true };
  const labels = { 'app.kubernetes.io/managed-by': 'etcd-operator', 'etcd.ecsm.sh/cluster': 'main' };

  it('is foreign if it was not created for this cluster', async () => {
    expect(await foreign({})).toEqual(['Service/main-client']);
  });

  it('is foreign if it has another owner, such as an earlier cluster of the name', async () => {
    expect(await foreign({ labels, ownerReferences: [owner] })).toEqual(['Service/main-client']);
  });

  it('is adopted if its labels name the cluster and nothing owns it', async () => {
    expect(await foreign({ labels })).toEqual([]);
    expect(await foreign({ labels, ownerReferences: [{ ...owner, controller: false }] })).toEqual([]);
  });
});
