/**
 * Goal: real etcd servers run as pods. A StatefulSet with one configuration file for each member forms a cluster over plain
 * HTTP, with names of cluster DNS, and goes through the faults that an operator has to handle.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigMap } from '@ecsm/apiserver';
import { PersistentVolumeClaim, Pod, Service, StatefulSet } from '@ecsm/kubernetes';
import { EmbeddedRegistry, type InputOf, MemoryStore } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProcessNode, processNodeKinds, startProcessNode } from '../src/index.ts';
import { etcdDirectory, mountsAreAllowed, nssWrapper } from '../src/node/tools.kit.ts';

const etcd = etcdDirectory();
const wrapper = nssWrapper();
const canResolve = (await mountsAreAllowed()) || wrapper !== undefined;
const slots = [0, 1, 2];
const image = 'quay.io/coreos/etcd:v3.5.16';
const name = 'main';

const host = (slot: number) => `${name}-${slot}.${name}-peer.default.svc`;

function configuration(slot: number): string {
  return JSON.stringify({
    name: `${name}-${slot}`,
    'data-dir': '/var/lib/etcd/data',
    'listen-client-urls': 'http://0.0.0.0:2379',
    'listen-peer-urls': 'http://0.0.0.0:2380',
    'listen-metrics-urls': 'http://0.0.0.0:2381',
    'advertise-client-urls': `http://${host(slot)}:2379`,
    'initial-advertise-peer-urls': `http://${host(slot)}:2380`,
    'initial-cluster': slots.map((each) => `${name}-${each}=http://${host(each)}:2380`).join(),
    'initial-cluster-state': 'new',
    // With a configuration file, etcd 3.4 has it off by default.
    'enable-grpc-gateway': true,
  });
}

const statefulSet: InputOf<typeof StatefulSet> = {
  metadata: { name },
  spec: {
    replicas: 3,
    serviceName: `${name}-peer`,
    podManagementPolicy: 'Parallel',
    updateStrategy: { type: 'OnDelete' },
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 10,
        containers: [
          {
            name: 'etcd',
            image,
            command: ['/usr/local/bin/etcd', '--config-file=/etc/etcd/config/$(POD_NAME).yaml'],
            env: [
              { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              // As a program without the C library resolves names.
              { name: 'GODEBUG', value: 'netdns=go' },
            ],
            volumeMounts: [
              { name: 'data', mountPath: '/var/lib/etcd' },
              { name: 'config', mountPath: '/etc/etcd/config' },
            ],
            readinessProbe: { httpGet: { path: '/health', port: 2381 }, periodSeconds: 1, timeoutSeconds: 5 },
          },
        ],
        volumes: [{ name: 'config', configMap: { name: `${name}-config` } }],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
};

describe.skipIf(etcd === undefined || !canResolve)('three members of etcd as pods', () => {
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds: processNodeKinds });
  const pods = registry.resource(Pod);
  const sets = registry.resource(StatefulSet);
  let node: ProcessNode;

  beforeAll(async () => {
    node = await startProcessNode({
      registry,
      binaries: (wanted) => (wanted === image ? etcd : undefined),
      ...(wrapper === undefined ? {} : { names: { nssWrapper: wrapper } }),
    });
    const config = Object.fromEntries(slots.map((slot) => [`${name}-${slot}.yaml`, configuration(slot)]));
    await registry.resource(ConfigMap).create(ConfigMap.input({ name: `${name}-config` }, { data: config }));
    await registry.resource(Service).create({
      metadata: { name: `${name}-peer` },
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: { app: name },
        ports: [
          { name: 'peer', port: 2380 },
          { name: 'client', port: 2379 },
        ],
      },
    });
    await sets.create(statefulSet);
  });
  afterAll(async () => {
    await node?.stop();
    await registry.close();
  });

  const ready = async () => (await sets.get(name)).status?.readyReplicas;
  const uid = async (slot: number) => (await pods.get(`${name}-${slot}`)).metadata.uid;
  const replaced = async (slot: number, before: string) => {
    const { items } = await pods.list({ fieldSelector: `metadata.name=${name}-${slot}` });
    return items.some(({ metadata, status }) => {
      const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
      return metadata.uid !== before && isReady === true;
    });
  };
  const call = async (slot: number, path: string, body: unknown): Promise<Record<string, unknown>> => {
    const { podIP } = (await pods.get(`${name}-${slot}`)).status ?? {};
    const response = await fetch(`http://${podIP}:2379${path}`, {
      method: 'POST',
      headers: { connection: 'close' },
      body: JSON.stringify(body),
    });
    return JSON.parse(await response.text());
  };
  /** A linearizable read: it needs a quorum. */
  const value = async (slot: number) => {
    const { kvs } = await call(slot, '/v3/kv/range', { key: 'a2V5' });
    return kvs;
  };
  const kept = [expect.objectContaining({ key: 'a2V5', value: 'dmFsdWU=' })];

  it('become ready, and replicate data', async () => {
    await expect.poll(ready).toBe(3);
    await call(0, '/v3/kv/put', { key: 'a2V5', value: 'dmFsdWU=' });
    for (const slot of slots) await expect.poll(() => value(slot)).toEqual(kept);
  });

  it('come back after a kill, in the same pod', async () => {
    const before = await uid(1);
    node.kill(`${name}-1`);
    await expect
      .poll(async () => (await pods.get(`${name}-1`)).status?.containerStatuses?.[0])
      .toMatchObject({ restartCount: 1, ready: true });
    expect(await uid(1)).toBe(before);
    await expect.poll(() => value(1)).toEqual(kept);
  });

  it('keep their data when a pod is deleted', async () => {
    const before = await uid(2);
    await pods.delete(`${name}-2`);
    await expect.poll(() => replaced(2, before)).toBe(true);
    await expect.poll(() => value(2)).toEqual(kept);
  });

  it('keep their data when all are scaled away and back', async () => {
    await sets.patch(name, { spec: { replicas: 0 } });
    await expect.poll(async () => (await pods.list()).items).toEqual([]);
    expect(node.pods()).toEqual([]);
    await sets.patch(name, { spec: { replicas: 3 } });
    await expect.poll(ready).toBe(3);
    for (const slot of slots) await expect.poll(() => value(slot)).toEqual(kept);
  });

  it('lose the volume of a member whose claim and pod are deleted', async () => {
    const before = await uid(0);
    const volume = (await node.volumeDirectory(`data-${name}-0`)) ?? '';
    expect(readdirSync(join(volume, 'data'))).toEqual(['member']);
    // The new member is not added here, so it must not start.
    await registry.resource(ConfigMap).patch(`${name}-config`, { data: { [`${name}-0.yaml`]: null } });
    await registry.resource(PersistentVolumeClaim).delete(`data-${name}-0`);
    await pods.delete(`${name}-0`);
    await expect.poll(() => existsSync(volume)).toBe(false);
    await expect
      .poll(async () => (await pods.get(`${name}-0`)).status?.containerStatuses?.[0]?.state?.waiting?.reason)
      .toBe('CrashLoopBackOff');
    expect(await uid(0)).not.toBe(before);
    const fresh = (await node.volumeDirectory(`data-${name}-0`)) ?? '';
    expect(fresh).not.toBe(volume);
    expect(readdirSync(fresh)).toEqual([]);
    await expect.poll(() => value(1)).toEqual(kept);
  });
});
