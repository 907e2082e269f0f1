/**
 * When a pass over a cluster runs. One controller is responsible for a cluster at a time:
 * - cluster-lifecycle: after a change of the cluster or of an object that belongs to it, and until it has formed or is
 *   deleted;
 * - scaling: while members are added, removed, restarted, stopped or started;
 * - recovery: while a member is replaced, the quorum is lost, or the database is full;
 * - health: at rest, from time to time.
 *
 * What a pass does never depends on which of them caused it.
 */
import { ConfigMap, Secret } from '@ecsm/apiserver';
import { PodDisruptionBudget, Service, StatefulSet } from '@ecsm/kubernetes';
import {
  annotationsChanged,
  findCondition,
  generationChanged,
  type Kind,
  type MapName,
  type ObjectName,
  ownedBy,
  type Trigger,
  timeMsOf,
} from '@ecsm/runtime';
import { EtcdCluster, type EtcdClusterSpec, type EtcdClusterStatus } from '../apis/etcd-cluster.ts';
import { names } from '../apis/well-known.ts';
import type { PassSettings } from '../service/model.ts';

type Responsibility = 'cluster-lifecycle' | 'scaling' | 'recovery' | 'health';

type ClusterTrigger = Trigger<EtcdClusterSpec, EtcdClusterStatus>;
type Intervals = Pick<PassSettings, 'busyMs' | 'restMs'>;

/** `changed` is called with a cluster one of whose objects has changed. */
export function ClusterLifecycleController(
  intervals: Intervals,
  changed: (cluster: ObjectName) => void,
): ClusterTrigger {
  return {
    name: 'cluster-lifecycle',
    changes: [generationChanged, annotationsChanged],
    watches: [
      { kind: StatefulSet, map: ownedBy(EtcdCluster) },
      ...named.map(({ kind, names }) => ({ kind, mapName: clustersOf(names, changed) })),
    ],
    every: whileResponsible('cluster-lifecycle', intervals),
  };
}

export function ScalingController(intervals: Intervals): ClusterTrigger {
  return { name: 'scaling', every: whileResponsible('scaling', intervals) };
}

export function RecoveryController(intervals: Intervals): ClusterTrigger {
  return { name: 'recovery', every: whileResponsible('recovery', intervals) };
}

export function HealthController(intervals: Intervals): ClusterTrigger {
  return { name: 'health', every: whileResponsible('health', intervals) };
}

/** The controller that is responsible for a cluster, by its status. */
export function responsibleFor({
  metadata,
  spec,
  status,
}: Pick<EtcdCluster, 'metadata' | 'spec' | 'status'>): Responsibility {
  if (metadata.deletionTimestamp !== undefined || status?.clusterID === undefined) return 'cluster-lifecycle';
  if (status.observedGeneration !== metadata.generation) return 'cluster-lifecycle';
  if (status.restore || status.recovery || status.quorumLostAt !== undefined || status.space) return 'recovery';
  const { operation } = status;
  if (operation) return operation.type === 'ReplaceMember' ? 'recovery' : 'scaling';
  const isStopped = status.stoppedSize !== undefined;
  if (isStopped && (spec.size > 0 || status.phase !== 'Stopped')) return 'scaling';
  return 'health';
}

interface NamedObjects {
  readonly kind: Kind;
  /** As functions of the name of the cluster, which it starts with. */
  readonly names: readonly ((cluster: string) => string)[];
}

/** Objects that change once in months, and that passes do not read each time. */
const named: readonly NamedObjects[] = [
  { kind: Secret, names: [names.caSecret, names.serverSecret, names.peerSecret, names.clientSecret] },
  { kind: Service, names: [names.clientService, names.peerService] },
  { kind: ConfigMap, names: [names.configMap] },
  { kind: PodDisruptionBudget, names: [names.disruptionBudget] },
];

/** By name: a read of each change of all Secrets and ConfigMaps would cost more than all passes. */
function clustersOf(names: NamedObjects['names'], changed: (cluster: ObjectName) => void): MapName {
  const suffixes = names.map((nameOf) => nameOf(''));
  return (object) => {
    const clusters = suffixes
      .filter((suffix) => object.name.endsWith(suffix) && object.name !== suffix)
      .map((suffix) => ({ ...object, name: object.name.slice(0, object.name.length - suffix.length) }));
    for (const cluster of clusters) changed(cluster);
    return clusters;
  };
}

function whileResponsible(controller: Responsibility, intervals: Intervals): NonNullable<ClusterTrigger['every']> {
  return (cluster, nowMs) =>
    responsibleFor(cluster) === controller ? intervalMs(cluster, nowMs, intervals) : undefined;
}

/** Multiples of `busyMs`, where it is not known how long something takes already, and where nothing is in progress. */
const unknownFactor = 4;
const idleFactor = 20;
/** Of the time that an operation takes already: so looking is never what takes long, and costs little in the end. */
const elapsedPart = 20;

/** Often at first, and less often the longer something takes. At rest, or until a person acts: the longest interval. */
function intervalMs({ status }: Pick<EtcdCluster, 'status'>, nowMs: number, { busyMs, restMs }: Intervals): number {
  const { operation, recovery, restore, stoppedSize } = status ?? {};
  const isProgressing = findCondition(status?.conditions, 'Progressing')?.status === 'True';
  // An operation that nothing is done for, and that waits for nothing, is blocked.
  if (!isProgressing || (operation && operation.message === undefined)) return restMs;
  const startedAt = operation?.startedAt ?? recovery?.startedAt ?? restore?.startedAt;
  const startedAtMs = startedAt === undefined ? undefined : timeMsOf(startedAt);
  if (startedAtMs !== undefined) return Math.min(Math.max(busyMs, (nowMs - startedAtMs) / elapsedPart), restMs);
  return Math.min(busyMs * (stoppedSize === undefined ? idleFactor : unknownFactor), restMs);
}
