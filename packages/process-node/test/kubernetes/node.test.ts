/**
 * Goal: the node is what Kubernetes expects of one. Method: a real kube-apiserver and kube-controller-manager, whose
 * controllers do what those of this package do elsewhere.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type KubernetesRegistry,
  Node,
  openKubernetesRegistry,
  PersistentVolume,
  type StatefulSet,
  StorageClass,
} from '@ecsm/kubernetes';
import type { InputOf } from '@ecsm/runtime';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  type ControllerManager,
  startControllerManager,
} from '../../../kubernetes/test/kubernetes/controller-manager.kit.ts';
import { processNodeKinds, storageClassDefault } from '../../src/index.ts';
import { cleanUp, pod, startNode } from '../../src/node/node.kit.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly kubeconfig: string;
  }
}

let manager: ControllerManager | undefined;
let registry: KubernetesRegistry;

beforeAll(async () => {
  const kubeconfig = inject('kubeconfig');
  manager = startControllerManager(kubeconfig);
  registry = await openKubernetesRegistry('kubernetes:test', { kinds: processNodeKinds, kubeconfig, env: {} });
});

afterAll(async () => {
  await cleanUp();
  await registry?.resource(Node).delete('process-node');
  await registry?.resource(StorageClass).delete(storageClassDefault);
  await registry?.close();
  await manager?.stop();
});

const set: InputOf<typeof StatefulSet> = {
  metadata: { name: 'node-test' },
  spec: {
    replicas: 2,
    serviceName: 'node-test',
    podManagementPolicy: 'Parallel',
    updateStrategy: { type: 'OnDelete' },
    selector: { matchLabels: { app: 'node-test' } },
    template: {
      metadata: { labels: { app: 'node-test' } },
      spec: pod({ args: ['serve', '/data/file'], volumeMounts: [{ name: 'data', mountPath: '/data' }] }).spec,
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
};
const first = 'node-test-0';
const claim = `data-${first}`;

it('a node runs, restarts, replaces and removes pods of Kubernetes', async () => {
  const test = await startNode({ registry, controllers: false });
  const uid = async () => (await test.ready(first))?.metadata.uid;
  await test.sets.create(set);
  await expect.poll(async () => (await test.sets.get('node-test')).status?.readyReplicas).toBe(2);
  const nodes = await registry.resource(Node).list();
  expect(nodes.items.map(({ metadata, spec }) => [metadata.name, spec.taints])).toEqual([['process-node', undefined]]);

  writeFileSync(join((await test.node.volumeDirectory(claim)) ?? '', 'file'), 'kept');
  test.node.kill(first);
  await expect.poll(() => test.container(first)).toMatchObject({ restartCount: 1, ready: true });

  const killed = await uid();
  await test.pods.delete(first);
  await expect.poll(uid).toSatisfy((now) => now !== undefined && now !== killed);
  expect(await test.ask(first, '/')).toEqual(['kept']);

  const { volumeName } = (await test.claims.get(claim)).spec;
  const replaced = await uid();
  await test.claims.delete(claim);
  await test.pods.delete(first);
  await expect.poll(uid).toSatisfy((now) => now !== undefined && now !== replaced);
  expect(await test.ask(first, '/')).toEqual(['']);
  const volumes = async () =>
    (await registry.resource(PersistentVolume).list()).items.map(({ metadata }) => metadata.name);
  await expect.poll(volumes).not.toContain(volumeName);

  const claims = [claim, 'data-node-test-1'];
  const bound = await Promise.all(claims.map(async (name) => (await test.claims.get(name)).spec.volumeName));
  await test.sets.delete('node-test');
  await expect.poll(async () => (await test.pods.list()).items).toEqual([]);
  expect(test.node.pods()).toEqual([]);
  for (const name of claims) await test.claims.delete(name);
  // Other tests may have volumes on the same server.
  const left = async () => (await volumes()).filter((name) => bound.includes(name));
  await expect.poll(left).toEqual([]);
});
