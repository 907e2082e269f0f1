/**
 * The StatefulSet controller of Kubernetes, as far as it is used here: all pods at once (`Parallel`), and a changed
 * template only for pods that were deleted (`OnDelete`), whatever the spec says.
 *
 * A pod is not created before the old one of its name is gone, nor while a claim of its is being deleted: the new pod would
 * start with the volume that is about to be removed.
 */
import { PersistentVolumeClaim, Pod, StatefulSet, type StatefulSetStatus } from '@ecsm/kubernetes';
import {
  Controller,
  deepEqual,
  isApiError,
  type Log,
  labelSelectorOf,
  ownedBy,
  type ReconcileResult,
  type Registry,
} from '@ecsm/runtime';
import {
  claimsOf,
  hasEnded,
  isOwnedBy,
  isReady,
  isTerminating,
  ordinalsOf,
  podNameOf,
  podOf,
  revisionLabel,
  updateRevisionOf,
} from './stateful-pods.ts';

/** Claims have no owner, so their deletion does not enqueue the StatefulSet. */
const claimRetryMs = 250;

export function statefulSetController(log?: Log) {
  return new Controller({
    name: 'statefulset',
    kind: StatefulSet,
    watches: [{ kind: Pod, map: ownedBy(StatefulSet) }],
    workers: 4,
    ...(log && { log }),
    reconcile: async (_, { get, registry }) => {
      const set = await get();
      // The garbage collector deletes the pods of a deleted set.
      return set === undefined || isTerminating(set) ? undefined : reconcileSet(registry, set);
    },
  });
}

async function reconcileSet(registry: Registry, set: StatefulSet): Promise<ReconcileResult> {
  const { namespace } = set.metadata;
  const pods = registry.resource(Pod);
  const labelSelector = labelSelectorOf(set.spec.selector);
  const owned = (await pods.list({ namespace, labelSelector })).items.filter((pod) => isOwnedBy(pod, set));
  const remove = ({ metadata: { name, uid } }: Pod) => pods.delete(name, { namespace, uid });
  const wanted = new Set<string>();
  let isWaiting = false;
  for (const ordinal of ordinalsOf(set)) {
    const name = podNameOf(set, ordinal);
    wanted.add(name);
    const pod = owned.find(({ metadata }) => metadata.name === name);
    if (pod !== undefined && isTerminating(pod)) continue;
    if (pod !== undefined && hasEnded(pod)) {
      await remove(pod);
    } else if (pod === undefined) {
      if (await haveClaims(registry, set, ordinal)) await pods.create(podOf(set, ordinal));
      else isWaiting = true;
    } else if (pod.status?.phase !== 'Running' && !(await haveClaims(registry, set, ordinal))) {
      isWaiting = true;
    }
  }
  for (const pod of owned) if (!wanted.has(pod.metadata.name) && !isTerminating(pod)) await remove(pod);
  await writeStatus(registry, set);
  return isWaiting ? { requeueAfterMs: claimRetryMs } : undefined;
}

/** Creates missing claims. False while one of them is being deleted. */
async function haveClaims(registry: Registry, set: StatefulSet, ordinal: number): Promise<boolean> {
  const claims = registry.resource(PersistentVolumeClaim);
  const { namespace } = set.metadata;
  let have = true;
  for (const wanted of claimsOf(set, ordinal)) {
    try {
      if (isTerminating(await claims.get(wanted.metadata.name, { namespace }))) have = false;
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      await claims.create(wanted);
    }
  }
  return have;
}

/** Counts the pods again: some were created and deleted. */
async function writeStatus(registry: Registry, set: StatefulSet): Promise<void> {
  const { namespace, generation } = set.metadata;
  const labelSelector = labelSelectorOf(set.spec.selector);
  const { items } = await registry.resource(Pod).list({ namespace, labelSelector });
  const owned = items.filter((pod) => isOwnedBy(pod, set));
  const ready = owned.filter(isReady).length;
  const updateRevision = updateRevisionOf(set);
  const currentRevision = set.status?.currentRevision ?? updateRevision;
  const ofRevision = (revision: string) =>
    owned.filter((pod) => pod.metadata.labels?.[revisionLabel] === revision && !isTerminating(pod)).length;
  const status: StatefulSetStatus = {
    observedGeneration: generation,
    replicas: owned.length,
    readyReplicas: ready,
    availableReplicas: ready,
    currentReplicas: ofRevision(currentRevision),
    updatedReplicas: ofRevision(updateRevision),
    currentRevision,
    updateRevision,
    collisionCount: 0,
  };
  if (deepEqual(status, set.status)) return;
  await registry.resource(StatefulSet).updateStatus({ metadata: set.metadata, status });
}
