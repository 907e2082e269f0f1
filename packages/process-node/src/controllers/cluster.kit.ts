/** A registry in memory with the controllers of Kubernetes, on a virtual clock, and a StatefulSet to try them with. */
import {
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StatefulSet,
  StorageClass,
} from '@ecsm/kubernetes';
import { EmbeddedRegistry, type InputOf, MemoryStore } from '@ecsm/runtime';
import { VirtualClock } from '@ecsm/runtime/testing';
import { type ClusterControllerName, runClusterControllers } from './controllers.ts';

const kinds = [PersistentVolume, PersistentVolumeClaim, Pod, PodDisruptionBudget, StatefulSet, StorageClass];
const settleMs = 2_000;

export function startCluster(only?: readonly ClusterControllerName[]) {
  const clock = new VirtualClock();
  const registry = new EmbeddedRegistry({ store: new MemoryStore(), kinds, clock });
  const stop = new AbortController();
  const running = runClusterControllers({ registry, signal: stop.signal, ...(only && { only }) });
  const names = async (kind: typeof Pod | typeof PersistentVolumeClaim | typeof PersistentVolume) =>
    (await registry.resource<unknown, unknown, unknown, unknown>(kind).list()).items.map(
      ({ metadata }) => metadata.name,
    );
  return {
    clock,
    registry,
    names,
    pods: registry.resource(Pod),
    claims: registry.resource(PersistentVolumeClaim),
    volumes: registry.resource(PersistentVolume),
    sets: registry.resource(StatefulSet),
    budgets: registry.resource(PodDisruptionBudget),
    settle: () => clock.advance(settleMs),
    /** As a node does. */
    async run(name: string, isReady = true) {
      const pods = registry.resource(Pod);
      const { spec } = await pods.get(name);
      if (spec.nodeName === undefined) await pods.patch(name, { spec: { nodeName: 'node' } });
      const ready = { type: 'Ready', status: isReady ? ('True' as const) : ('False' as const) };
      await pods.updateStatus({ metadata: { name }, status: { phase: 'Running', conditions: [ready] } });
    },
    async close() {
      stop.abort();
      await clock.advance(10_000);
      await running;
      await registry.close();
    },
  };
}

export type Cluster = ReturnType<typeof startCluster>;

type SetSpec = InputOf<typeof StatefulSet>['spec'];

export function statefulSet(spec: Partial<SetSpec> = {}): InputOf<typeof StatefulSet> {
  return {
    metadata: { name: 'main' },
    spec: {
      replicas: 3,
      serviceName: 'main-peer',
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'OnDelete' },
      selector: { matchLabels: { app: 'main' } },
      template: {
        metadata: { labels: { app: 'main' }, annotations: { note: 'one' } },
        spec: { containers: [{ name: 'main', image: 'example.io/main:1' }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data', labels: { cluster: 'main' } },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
      ...spec,
    },
  };
}
