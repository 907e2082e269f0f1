import { isApiError, type Kind, type ObjectOf } from '@ecsm/runtime';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { embedded, kinds, set } from './kinds.kit.ts';
import { Node } from './node.ts';
import { PersistentVolumeClaim } from './persistent-volume-claim.ts';
import { Pod } from './pod.ts';
import { PodDisruptionBudget } from './pod-disruption-budget.ts';
import { Service } from './service.ts';
import { StatefulSet } from './stateful-set.ts';
import { StorageClass } from './storage-class.ts';

async function errorsOf(write: Promise<unknown>): Promise<readonly string[]> {
  const error = await write.catch((reason: unknown) => reason);
  if (!isApiError(error, 'Invalid')) throw new Error('the write was accepted', { cause: error });
  return error.details.errors.map(({ path, message }) => `${path}: ${message}`);
}

const claim = {
  metadata: { name: 'data-main-0' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const pod = {
  metadata: { name: 'main-0' },
  spec: { containers: [{ name: 'etcd', image: 'etcd:1' }] },
};

function row<K extends Kind>(kind: K, object: ObjectOf<K>): Readonly<Record<string, string>> {
  return Object.fromEntries(kind.columns.map((column) => [column.name, column.value(object)]));
}

describe('the kinds of Kubernetes', () => {
  it('keep fields that they do not list, in every write', async () => {
    const sets = embedded().resource(StatefulSet);
    const future = { future: { a: [1] }, containers: [{ name: 'etcd', stdin: true }] };
    const unknown = { spec: { template: { spec: future } } };
    await sets.create(set);
    const patched = await sets.patch('main', unknown);
    await sets.updateStatus({ metadata: patched.metadata, status: { replicas: 3, readyReplicas: 2 } });
    const applied = await sets.apply({ ...set, spec: { ...set.spec, replicas: 5 } }, { force: true });
    expect(applied.object.spec).toMatchObject({ ...unknown.spec, replicas: 5 });
    expect(applied.object.status).toEqual({ replicas: 3, readyReplicas: 2 });
  });

  it('have unique names', () => {
    expect(new Set(kinds.map(({ plural, group }) => `${plural}.${group}`)).size).toBe(8);
  });

  it('type the fields that are used', () => {
    type Container = ObjectOf<typeof Pod>['spec']['containers'][number];
    expectTypeOf<Container['image']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<ObjectOf<typeof StatefulSet>['spec']['ordinals']>().toEqualTypeOf<
      { readonly start: number } | undefined
    >();
    expectTypeOf<ObjectOf<typeof PodDisruptionBudget>['spec']['minAvailable']>().toEqualTypeOf<
      string | number | undefined
    >();
  });
});

describe('StatefulSet', () => {
  it('gets the defaults of Kubernetes', async () => {
    const sets = embedded().resource(StatefulSet);
    const { selector, template } = set.spec;
    const { spec } = await sets.create({ metadata: set.metadata, spec: { selector, template } });
    expect(spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      template: { spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30 } },
    });
  });

  it('needs a selector that matches its pods', async () => {
    const sets = embedded().resource(StatefulSet);
    const other = { ...set, spec: { ...set.spec, selector: { matchLabels: { app: 'other' } } } };
    expect(await errorsOf(sets.create(other))).toEqual([
      'spec.template.metadata.labels: {"app":"main"}: `selector` does not match template `labels`',
    ]);
    const empty = { ...set, spec: { ...set.spec, selector: {} } };
    expect(await errorsOf(sets.create(empty))).toEqual(['spec.selector: must be set']);
    const negative = { ...set, spec: { ...set.spec, replicas: -1 } };
    expect(await errorsOf(sets.create(negative))).toEqual(['spec.replicas: -1: must be greater than or equal to 0']);
  });

  it('refuses changes that Kubernetes refuses, and counts the others in its generation', async () => {
    const sets = embedded().resource(StatefulSet);
    await sets.create(set);
    expect(await errorsOf(sets.patch('main', { spec: { serviceName: 'other' } }))).toHaveLength(1);
    expect(await errorsOf(sets.patch('main', { spec: { volumeClaimTemplates: null } }))).toHaveLength(1);
    const changed = await sets.patch('main', { spec: { replicas: 5, ordinals: { start: 2 } } });
    expect(changed.metadata.generation).toBe(2);
    const { metadata } = await sets.updateStatus({ metadata: { name: 'main' }, status: { replicas: 5 } });
    expect(metadata.generation).toBe(2);
  });

  it('shows ready and desired pods', async () => {
    const sets = embedded().resource(StatefulSet);
    await sets.create(set);
    const object = await sets.updateStatus({ metadata: { name: 'main' }, status: { replicas: 3, readyReplicas: 2 } });
    expect(row(StatefulSet, object)).toEqual({
      READY: '2/3',
      CONTAINERS: 'etcd',
      IMAGES: 'quay.io/coreos/etcd:v3.5.21',
    });
    expect(StatefulSet.scale).toEqual({ specReplicasPath: 'spec.replicas', statusReplicasPath: 'status.replicas' });
  });
});

describe('Pod', () => {
  it('is scheduled once, and changes only its images', async () => {
    const pods = embedded().resource(Pod);
    await pods.create(pod);
    await pods.patch('main-0', { spec: { nodeName: 'node-1', containers: [{ name: 'etcd', image: 'etcd:2' }] } });
    expect(await errorsOf(pods.patch('main-0', { spec: { nodeName: 'node-2' } }))).toHaveLength(1);
    expect(await errorsOf(pods.patch('main-0', { spec: { hostname: 'x' } }))).toHaveLength(1);
    const { spec } = await pods.get('main-0');
    expect(spec).toMatchObject({ nodeName: 'node-1', containers: [{ image: 'etcd:2' }] });
  });

  it('needs containers of different names', async () => {
    const pods = embedded().resource(Pod);
    expect(await errorsOf(pods.create({ ...pod, spec: { containers: [] } }))).toEqual([
      'spec.containers: list: must have at least 1 item',
    ]);
    const [container] = pod.spec.containers;
    const twice = { ...pod, spec: { containers: [container, container].flatMap((one) => one ?? []) } };
    expect(await errorsOf(pods.create(twice))).toEqual(['spec.containers[1].name: "etcd"']);
  });

  it('shows the state of its containers', async () => {
    const pods = embedded().resource(Pod);
    await pods.create(pod);
    const crashing = await pods.updateStatus({
      metadata: { name: 'main-0' },
      status: {
        phase: 'Running',
        podIP: '127.0.1.1',
        containerStatuses: [
          {
            name: 'etcd',
            ready: false,
            restartCount: 4,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1, reason: 'Error' } },
          },
        ],
      },
    });
    expect(row(Pod, crashing)).toMatchObject({
      READY: '0/1',
      STATUS: 'CrashLoopBackOff',
      RESTARTS: '4',
      IP: '127.0.1.1',
      NODE: '<none>',
    });
  });
});

describe('Service', () => {
  it('needs ports unless it is headless, and names if there are several', async () => {
    const services = embedded().resource(Service);
    const metadata = { name: 'main' };
    expect(await errorsOf(services.create({ metadata, spec: {} }))).toEqual(['spec.ports: must be set']);
    const ports = [{ port: 2379 }, { port: 2380, name: 'peer' }, { port: 2381, name: 'peer' }];
    expect(await errorsOf(services.create({ metadata, spec: { ports } }))).toEqual([
      'spec.ports[0].name: must be set',
      'spec.ports[2].name: "peer"',
    ]);
    const headless = await services.create({
      metadata,
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: { app: 'main' } },
    });
    expect(row(Service, headless)).toEqual({
      TYPE: 'ClusterIP',
      'CLUSTER-IP': 'None',
      'EXTERNAL-IP': '<none>',
      'PORT(S)': '<none>',
      SELECTOR: 'app=main',
    });
    expect(await errorsOf(services.patch('main', { spec: { clusterIP: '10.0.0.1', ports: [{ port: 1 }] } }))).toEqual([
      'spec.clusterIP: field is immutable',
    ]);
  });
});

describe('PersistentVolumeClaim', () => {
  it('needs a size and an access mode', async () => {
    const claims = embedded().resource(PersistentVolumeClaim);
    expect(await errorsOf(claims.create({ ...claim, spec: {} }))).toEqual([
      'spec.accessModes: at least 1 access mode is required',
      'spec.resources[storage]: must be set',
    ]);
  });

  it('can only grow, once it is bound', async () => {
    const claims = embedded().resource(PersistentVolumeClaim);
    const resized = (storage: string) =>
      claims.patch(claim.metadata.name, { spec: { resources: { requests: { storage } } } });
    await claims.create(claim);
    expect(await errorsOf(resized('2Gi'))).toHaveLength(1);
    await claims.patch(claim.metadata.name, { spec: { volumeName: 'pv-1', storageClassName: 'fast' } });
    await claims.updateStatus({
      metadata: claim.metadata,
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    });
    expect(await errorsOf(resized('512Mi'))).toHaveLength(1);
    expect(await errorsOf(claims.patch(claim.metadata.name, { spec: { storageClassName: 'slow' } }))).toHaveLength(1);
    expect(row(PersistentVolumeClaim, await resized('2Gi'))).toEqual({
      STATUS: 'Bound',
      VOLUME: 'pv-1',
      CAPACITY: '1Gi',
      'ACCESS MODES': 'RWO',
      STORAGECLASS: 'fast',
      VOLUMEMODE: 'Filesystem',
    });
  });
});

describe('PodDisruptionBudget', () => {
  it('has one of two limits', async () => {
    const budgets = embedded().resource(PodDisruptionBudget);
    const metadata = { name: 'main' };
    expect(await errorsOf(budgets.create({ metadata, spec: { minAvailable: 2, maxUnavailable: '50%' } }))).toEqual([
      'spec: {"minAvailable":2,"maxUnavailable":"50%"}: minAvailable and maxUnavailable cannot be both set',
    ]);
    const budget = await budgets.create({ metadata, spec: { minAvailable: 2 } });
    expect(row(PodDisruptionBudget, budget)).toEqual({
      'MIN AVAILABLE': '2',
      'MAX UNAVAILABLE': 'N/A',
      'ALLOWED DISRUPTIONS': '0',
    });
  });
});

describe('Node', () => {
  it('shows whether it is ready, and its roles', async () => {
    const nodes = embedded().resource(Node);
    const metadata = { name: 'node-1', labels: { 'node-role.kubernetes.io/control-plane': '' } };
    await nodes.create({ metadata, spec: { unschedulable: true } });
    const node = await nodes.updateStatus({
      metadata: { name: 'node-1' },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      },
    });
    expect(row(Node, node)).toMatchObject({
      STATUS: 'Ready,SchedulingDisabled',
      ROLES: 'control-plane',
      'INTERNAL-IP': '10.0.0.1',
    });
  });
});

describe('StorageClass', () => {
  it('has its fields at the top level', async () => {
    const classes = embedded().resource(StorageClass);
    const created = await classes.create(StorageClass.input({ name: 'fast' }, { provisioner: 'example.io/disk' }));
    expect(StorageClass.fieldsOf(created)).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
  });
});
