/** The kinds of Kubernetes on a real server, which knows more fields and sets more defaults than they do. */
import { formatFieldError, isApiError, isPlainObject, type Kind, type ObjectOf, systemRandom } from '@ecsm/runtime';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { kinds, set } from '../../src/kinds/kinds.kit.ts';
import { Node } from '../../src/kinds/node.ts';
import { PersistentVolume } from '../../src/kinds/persistent-volume.ts';
import { PersistentVolumeClaim } from '../../src/kinds/persistent-volume-claim.ts';
import { Pod } from '../../src/kinds/pod.ts';
import { PodDisruptionBudget } from '../../src/kinds/pod-disruption-budget.ts';
import { Service } from '../../src/kinds/service.ts';
import { StatefulSet } from '../../src/kinds/stateful-set.ts';
import { StorageClass } from '../../src/kinds/storage-class.ts';
import { openKubernetesRegistry } from '../../src/registry/open.ts';
import type { KubernetesRegistry } from '../../src/registry/registry.ts';

let registry: KubernetesRegistry;

const namespace = 'kinds';
const metadata = { name: 'main', namespace };

beforeAll(async () => {
  registry = await openKubernetesRegistry('kubernetes:test', {
    kinds,
    kubeconfig: inject('kubeconfig'),
    env: {},
    random: systemRandom,
  });
  const create = (path: string, kind: string, name: string) =>
    registry.client
      .request({ method: 'POST', path, body: { apiVersion: 'v1', kind, metadata: { name } } })
      .catch((error: unknown) => {
        if (!isApiError(error, 'AlreadyExists')) throw error;
      });
  await create('/api/v1/namespaces', 'Namespace', namespace);
  // Without the controller that creates it, no pod is admitted.
  await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, 'ServiceAccount', 'default');
});

afterAll(async () => {
  await registry.resource(Pod).delete('main', { namespace });
  await registry.resource(StatefulSet).delete('main', { namespace });
  await registry.resource(Node).delete('node-1');
  await registry.resource(PersistentVolume).delete('disk-1');
  await registry.resource(StorageClass).delete('fast');
  await registry.client.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
  await registry.close();
});

/** The errors that our schema finds in an object of the server. */
function problems<K extends Kind>(kind: K, object: ObjectOf<K>): readonly string[] {
  const { resourceVersion: _, ...rest } = object.metadata;
  return kind.validate({ ...object, metadata: rest }).map(formatFieldError);
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner: unknown, name) => (isPlainObject(inner) ? inner[name] : undefined), value);
}

describe('the kinds on kube-apiserver', () => {
  it('read a StatefulSet, and keep its other fields in every write', async () => {
    const sets = registry.resource(StatefulSet);
    const wanted = { ...set, metadata };
    const created = await sets.apply(wanted, { manager: 'operator' });
    expect(created.outcome).toBe('created');
    expect(problems(StatefulSet, created.object)).toEqual([]);
    expect(at(created.object, 'spec', 'template', 'spec', 'dnsPolicy')).toBe('ClusterFirst');

    await sets.patch('main', { spec: { template: { spec: { shareProcessNamespace: true } } } }, { namespace });
    const grown = await sets.apply({ ...wanted, spec: { ...set.spec, replicas: 5 } }, { manager: 'operator' });
    expect(grown.object.spec.replicas).toBe(5);
    expect(at(grown.object, 'spec', 'template', 'spec', 'shareProcessNamespace')).toBe(true);

    const reported = await sets.updateStatus({ metadata, status: { replicas: 5, readyReplicas: 4 } });
    expect(reported.status).toMatchObject({ replicas: 5, readyReplicas: 4 });
    expect(reported.metadata.generation).toBe(grown.object.metadata.generation);
    const read = await sets.get('main', { namespace });
    const updated = await sets.update({ ...read, spec: { ...read.spec, ordinals: { start: 1 } } });
    expect(updated.spec.ordinals?.start).toBe(1);
    expect(at(updated, 'spec', 'template', 'spec', 'shareProcessNamespace')).toBe(true);
  });

  it('read a Pod and write its status', async () => {
    const pods = registry.resource(Pod);
    const { spec } = set.spec.template;
    const pod = await pods.create({ metadata, spec: { ...spec, volumes: [{ name: 'data', emptyDir: {} }] } });
    expect(problems(Pod, pod)).toEqual([]);
    expect(pod.spec.containers[0]?.livenessProbe?.periodSeconds).toBe(10);
    const { status } = await pods.updateStatus({
      metadata,
      status: {
        phase: 'Running',
        podIP: '10.0.0.7',
        podIPs: [{ ip: '10.0.0.7' }],
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          { name: 'etcd', ready: true, restartCount: 1, image: 'etcd', imageID: '', state: { running: {} } },
        ],
      },
    });
    expect(status).toMatchObject({ podIP: '10.0.0.7', containerStatuses: [{ restartCount: 1 }] });
  });

  it('read the other kinds', async () => {
    const service = await registry.resource(Service).apply({
      metadata,
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: { a: 'b' }, ports: [{ port: 2380 }] },
    });
    expect(problems(Service, service.object)).toEqual([]);
    expect(service.object.spec.ports?.[0]?.targetPort).toBe(2380);
    const claim = await registry.resource(PersistentVolumeClaim).apply({
      metadata,
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect(problems(PersistentVolumeClaim, claim.object)).toEqual([]);
    expect(claim.object.status?.phase).toBe('Pending');
    const budget = await registry.resource(PodDisruptionBudget).apply({
      metadata,
      spec: { minAvailable: 2, selector: { matchLabels: { a: 'b' } } },
    });
    expect(problems(PodDisruptionBudget, budget.object)).toEqual([]);
    const node = await registry.resource(Node).create({ metadata: { name: 'node-1' }, spec: {} });
    expect(problems(Node, node)).toEqual([]);
    const volume = await registry.resource(PersistentVolume).create({
      metadata: { name: 'disk-1' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
    });
    expect(problems(PersistentVolume, volume)).toEqual([]);
    const provisioner = 'example.io/disk';
    const storageClass = await registry
      .resource(StorageClass)
      .create(StorageClass.input({ name: 'fast' }, { provisioner, allowVolumeExpansion: true }));
    expect(problems(StorageClass, storageClass)).toEqual([]);
    expect(StorageClass.fieldsOf(storageClass).reclaimPolicy).toBe('Delete');
  });
});
