/** The desired state and the observed state of a service, as the input of all decisions. */
import { replicasWanted } from '../apis/service-columns.ts';
import type { PlatformService } from '../resource/model.ts';
import { platformName, rolloutName } from '../resource/naming.ts';
import { type Gate, gateOf } from './dependencies/gate.ts';
import type { Healing } from './healing-backoff.ts';
import { inState, type ObservedInstance, observedInstances } from './instances.ts';
import { type LostNodes, lostNodesOf } from './lost-nodes.ts';
import type { PlanInput } from './model.ts';
import { ownershipOf } from './ownership.ts';
import { type Removals, removalsOf } from './removals.ts';

/** A service on the platform that this ECSMService owns. */
export interface Owned {
  readonly service: PlatformService;
  /** Absent: it is being adopted. */
  readonly revision?: string;
  readonly instances: readonly ObservedInstance[];
  /** The number of instances that was requested from the platform. */
  readonly size: number;
  /** The maximum number of instances that it may have now: some may still be deleted, others still be created. */
  readonly countMax: number;
  readonly readyCount: number;
  /** Instances that are ready and stay so after all requests are done, whichever ones the platform removes. */
  readonly certainCount: number;
  /** Names of instances that became ready recently. */
  readonly justReady: ReadonlySet<string>;
}

export interface Wanted {
  readonly policy: PlatformService['policy'];
  /** 0 while the dependencies hold the service. */
  readonly replicas: number;
  /** Without excluded nodes. */
  readonly nodeNames: readonly string[];
  /** Maximum number of instances during a rolling update. */
  readonly totalMax: number;
  /** Minimum number of ready instances during a rolling update. */
  readonly readyMin: number;
}

export interface PlanContext {
  readonly input: PlanInput;
  /** The name on the platform without a revision. */
  readonly base: string;
  /** What the user wants. */
  readonly desired: Pick<Wanted, 'replicas' | 'readyMin'>;
  /** What the plan aims at: less than desired while there is no room. */
  readonly wanted: Wanted;
  /** What the dependencies allow. Absent: the service has none. */
  readonly gate?: Gate;
  /** Oldest first. */
  readonly owned: readonly Owned[];
  /** The service of the newest revision. */
  readonly newest?: Owned;
  readonly olds: readonly Owned[];
  readonly adopted?: Owned;
  readonly obstacle?: string;
  readonly lost: LostNodes;
  readonly removals: Removals;
  /** Whether the spec has changed since the status was written: the backoff is reset then. */
  readonly isChanged: boolean;
  /** The repair attempts of the status; undefined if the spec has changed since. */
  readonly healing?: Healing;
}

export function planContextOf(input: PlanInput): PlanContext {
  const { service, revision } = input;
  const base = platformName(service.metadata.namespace, service.metadata.name);
  const { owned: ours, adopted, obstacle } = ownershipOf(input);
  const lost = lostNodesOf(input, adopted === undefined ? ours : [adopted]);
  const removals = removalsOf(input, ours);
  const leaving = new Set(removals.current.map(({ id }) => id));
  const owned = ours.map((one) => ownedOf(one, input, leaving.has(one.id)));
  const current = owned.filter((one) => one.revision === revision.hash);
  const newest = current.find((one) => one.service.name === rolloutName(base, revision.hash)) ?? current[0];
  const adopting = adopted === undefined ? undefined : ownedOf(adopted, input, false);
  const gate = input.dependencies && gateOf(input.dependencies, isStarted(owned, leaving, adopting));
  const isChanged =
    service.status?.observedGeneration !== service.metadata.generation ||
    service.status?.updateRevision !== revision.hash;
  return {
    input,
    base,
    desired: desiredOf(input),
    wanted: wantedOf(input, lost, gate),
    ...(gate === undefined ? {} : { gate }),
    owned,
    olds: owned.filter((one) => one !== newest),
    ...(newest === undefined ? {} : { newest }),
    ...(adopting === undefined ? {} : { adopted: adopting }),
    ...(obstacle === undefined ? {} : { obstacle }),
    lost,
    removals,
    isChanged,
    ...(isChanged || service.status?.healing === undefined ? {} : { healing: service.status.healing }),
  };
}

/** Whether the platform was asked for instances, existing ones or not. What is being deleted does not count. */
function isStarted(owned: readonly Owned[], leaving: ReadonlySet<string>, adopted: Owned | undefined): boolean {
  const all = adopted === undefined ? owned : [...owned, adopted];
  return all.some(({ service, size }) => size > 0 && !leaving.has(service.id));
}

function desiredOf({ service }: PlanInput): PlanContext['desired'] {
  const replicas = replicasWanted(service);
  const { maxUnavailable } = service.spec.updateStrategy.rollingUpdate ?? { maxUnavailable: 1 };
  return { replicas, readyMin: Math.max(replicas - maxUnavailable, 0) };
}

function wantedOf({ service, allocation }: PlanInput, lost: LostNodes, gate: Gate | undefined): Wanted {
  const { deploymentStrategy, updateStrategy } = service.spec;
  const { type, nodePool = [], nodes = [] } = deploymentStrategy;
  const placement = allocation?.placement;
  const fixed =
    placement?.nodeNames === undefined ? nodes : nodes.filter((name) => placement.nodeNames?.includes(name));
  const desired = type === 'Static' ? fixed.length : replicasWanted(service);
  const replicas = gate?.hold === undefined ? Math.min(desired, placement?.allowed ?? desired) : 0;
  const { maxSurge, maxUnavailable } = updateStrategy.rollingUpdate ?? { maxSurge: 1, maxUnavailable: 1 };
  return {
    policy: type === 'Static' ? 'static' : 'dynamic',
    replicas,
    nodeNames: type === 'Static' ? fixed : nodePool.filter((name) => !lost.excluded.has(name)),
    totalMax: replicas + Math.min(maxSurge, placement?.surge ?? maxSurge),
    readyMin: Math.max(replicas - maxUnavailable, 0),
  };
}

/** A removal that was requested is expected to be done after this time. */
const removalMsMax = 10_000;

function ownedOf(service: PlatformService, { offlineNodes, nowMs }: PlanInput, isBeingDeleted: boolean): Owned {
  const instances = observedInstances(service, offlineNodes, isBeingDeleted);
  const ready = inState(instances, 'ready');
  const size = service.policy === 'static' ? service.nodeNames.length : service.factor;
  const surplus = Math.max(instances.length - size, 0);
  return {
    service,
    ...(service.mark === undefined ? {} : { revision: service.mark.revision }),
    instances,
    size,
    countMax: Math.max(instances.length, service.policy === 'static' ? placesOf(service) : size),
    readyCount: ready.length,
    certainCount:
      service.policy === 'static'
        ? ready.filter(({ nodeName }) => service.nodeNames.includes(nodeName)).length
        : Math.max(ready.length - surplus, 0),
    justReady: new Set(
      ready.flatMap(({ name, startedMs = 0 }) => (Math.abs(nowMs - startedMs) < removalMsMax ? [name] : [])),
    ),
  };
}

/** Number of nodes that it is on, or will be on. */
function placesOf({ nodeNames, instances }: PlatformService): number {
  return new Set([...nodeNames, ...instances.map(({ nodeName }) => nodeName)]).size;
}
