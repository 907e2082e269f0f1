/**
 * The controllers. They decide when a pass over a cluster runs, never what it does:
 * - cluster-lifecycle: after a change of the cluster or of an object that belongs to it, and until it has formed or is
 *   deleted;
 * - scaling: while members are added, removed, restarted, stopped or started;
 * - recovery: while a member is replaced, the quorum is lost, or the database is full;
 * - health: at rest, from time to time.
 */
import { ConfigMap, Secret } from '@ecsm/apiserver';
import { PodDisruptionBudget, Service, StatefulSet } from '@ecsm/kubernetes';
import {
  annotationsChanged,
  Controller,
  type EventRecorder,
  generationChanged,
  type Kind,
  type Log,
  ownedBy,
  type Predicate,
  type Reconcile,
  type StandardMetrics,
  type Watch,
} from '@ecsm/runtime';
import { EtcdCluster, type EtcdClusterSpec, type EtcdClusterStatus } from '../apis/etcd-cluster.ts';
import { names } from '../apis/well-known.ts';
import type { Passes } from './passes.ts';
import { type Seat, seatOf } from './seats.ts';

export interface ControllersOptions {
  readonly passes: Passes;
  readonly events: () => EventRecorder | undefined;
  readonly namespace?: string;
  readonly workers: number;
  /** Interval at which a controller looks whether a cluster needs it. */
  readonly lookMs: number;
  readonly log: Log;
  readonly metrics?: StandardMetrics;
}

type ClusterController = Controller<EtcdClusterSpec, EtcdClusterStatus>;

export function createControllers(options: ControllersOptions): readonly ClusterController[] {
  return [
    lifecycleController(options),
    scalingController(options),
    recoveryController(options),
    healthController(options),
  ];
}

function lifecycleController(options: ControllersOptions): ClusterController {
  return create(options, 'cluster-lifecycle', {
    reconcile: async (request, context) => {
      const { requeueAfterMs, cluster } = await options.passes.run(request, { ...context, events: options.events() });
      // What follows is driven by the controller whose work it is.
      return cluster && seatOf(cluster) === 'lifecycle' && requeueAfterMs !== undefined
        ? { requeueAfterMs }
        : undefined;
    },
    predicates: [generationChanged, annotationsChanged],
    watches: [{ kind: StatefulSet, map: ownedBy(EtcdCluster) }, ...named.map((of) => watchNamed(of, options.passes))],
  });
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
function watchNamed({ kind, names }: NamedObjects, passes: Passes): Watch {
  const suffixes = names.map((nameOf) => nameOf(''));
  return {
    kind,
    mapName: (object) => {
      const clusters = suffixes
        .filter((suffix) => object.name.endsWith(suffix) && object.name !== suffix)
        .map((suffix) => ({ ...object, name: object.name.slice(0, object.name.length - suffix.length) }));
      for (const cluster of clusters) passes.changed(cluster);
      return clusters;
    },
  };
}

function scalingController(options: ControllersOptions): ClusterController {
  return create(options, 'scaling', { reconcile: whileSeatIs('scaling', options), predicates: [isSeat('scaling')] });
}

function recoveryController(options: ControllersOptions): ClusterController {
  return create(options, 'recovery', { reconcile: whileSeatIs('recovery', options), predicates: [isSeat('recovery')] });
}

function healthController(options: ControllersOptions): ClusterController {
  return create(options, 'health', { reconcile: whileSeatIs('health', options), predicates: [isSeat('health')] });
}

/**
 * Passes as long as the cluster needs this controller. Otherwise it only looks, from time to time: a status that changes
 * away from this controller and back before the informer reads it is not seen as a change.
 */
function whileSeatIs(
  seat: Seat,
  { passes, events, lookMs }: ControllersOptions,
): Reconcile<EtcdClusterSpec, EtcdClusterStatus> {
  return async (request, context) => {
    if (passes.seats.isOther(request.key, seat)) return { requeueAfterMs: lookMs };
    const isWanted = (cluster: EtcdCluster) => seatOf(cluster) === seat;
    const { requeueAfterMs, isSkipped } = await passes.run(request, { ...context, events: events() }, isWanted);
    if (isSkipped) return { requeueAfterMs: lookMs };
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  };
}

/** Changes when the cluster begins to need this controller. */
function isSeat(seat: Seat): Predicate {
  return (object) => {
    // The informer of this controller delivers its own kind only.
    const cluster = object as EtcdCluster;
    return seatOf(cluster) === seat;
  };
}

function create(
  { namespace, workers, log, metrics }: ControllersOptions,
  name: string,
  own: Pick<
    ConstructorParameters<typeof Controller<EtcdClusterSpec, EtcdClusterStatus, unknown, unknown>>[0],
    'reconcile' | 'predicates' | 'watches'
  >,
): ClusterController {
  return new Controller({
    name,
    kind: EtcdCluster,
    workers,
    log,
    ...own,
    ...(namespace === undefined ? {} : { namespace }),
    ...(metrics ? { metrics } : {}),
  });
}
