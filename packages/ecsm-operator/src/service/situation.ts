/** Where a service stands: what is wanted, what is there, and what it amounts to. Decisions begin from here. */
import { replicasWanted } from '../apis/service-columns.ts';
import type { PlatformService } from '../resource/model.ts';
import { platformName, rolloutName } from '../resource/naming.ts';
import { inState, type SeenInstance, seenInstances } from './instances.ts';
import { type LostNodes, lostNodesOf } from './lost-nodes.ts';
import type { PlanInput } from './model.ts';
import { ownershipOf } from './ownership.ts';
import type { Healing } from './patience.ts';
import { type Removals, removalsOf } from './removals.ts';

/** A service on the platform that is ours. */
export interface Owned {
  readonly service: PlatformService;
  /** Absent: it is being adopted. */
  readonly revision?: string;
  readonly instances: readonly SeenInstance[];
  /** Instances that the platform was told to have. */
  readonly size: number;
  /** Instances that it may have at this moment: some may still be going, others may not have come yet. */
  readonly extent: number;
  readonly readyCount: number;
  /** Instances that are ready and stay so when all that was asked for is done, whichever ones the platform removes. */
  readonly certainCount: number;
  /** Names of instances that have just become ready. */
  readonly fresh: ReadonlySet<string>;
}

export interface Wanted {
  readonly policy: PlatformService['policy'];
  readonly replicas: number;
  /** Without nodes that are lost for good. */
  readonly nodeNames: readonly string[];
  /** During a rolling update there are never more instances than this … */
  readonly totalMax: number;
  /** … nor fewer ready ones than this. */
  readonly readyMin: number;
}

export interface Situation {
  readonly input: PlanInput;
  /** The name at rest. */
  readonly base: string;
  readonly wanted: Wanted;
  /** Oldest first. */
  readonly owned: readonly Owned[];
  /** The one of the newest revision. */
  readonly newest?: Owned;
  readonly olds: readonly Owned[];
  readonly adopted?: Owned;
  readonly obstacle?: string;
  readonly lost: LostNodes;
  readonly removals: Removals;
  /** Whether what is wanted has changed since the status was written: old troubles count no more. */
  readonly isNews: boolean;
  /** What was done so far about a trouble, as the status has it; nothing if what is wanted has changed since. */
  readonly healing?: Healing;
}

export function situationOf(input: PlanInput): Situation {
  const { service, revision } = input;
  const base = platformName(service.metadata.namespace, service.metadata.name);
  const { owned: ours, adopted, obstacle } = ownershipOf(input);
  const lost = lostNodesOf(input, adopted === undefined ? ours : [adopted]);
  const removals = removalsOf(input, ours);
  const leaving = new Set(removals.current.map(({ id }) => id));
  const owned = ours.map((one) => ownedOf(one, input, leaving.has(one.id)));
  const current = owned.filter((one) => one.revision === revision.hash);
  const newest = current.find((one) => one.service.name === rolloutName(base, revision.hash)) ?? current[0];
  const isNews =
    service.status?.observedGeneration !== service.metadata.generation ||
    service.status?.updateRevision !== revision.hash;
  return {
    input,
    base,
    wanted: wantedOf(input, lost),
    owned,
    olds: owned.filter((one) => one !== newest),
    ...(newest === undefined ? {} : { newest }),
    ...(adopted === undefined ? {} : { adopted: ownedOf(adopted, input, false) }),
    ...(obstacle === undefined ? {} : { obstacle }),
    lost,
    removals,
    isNews,
    ...(isNews || service.status?.healing === undefined ? {} : { healing: service.status.healing }),
  };
}

function wantedOf({ service }: PlanInput, lost: LostNodes): Wanted {
  const { deploymentStrategy, updateStrategy } = service.spec;
  const { type, nodePool = [], nodes = [] } = deploymentStrategy;
  const replicas = replicasWanted(service);
  const { maxSurge, maxUnavailable } = updateStrategy.rollingUpdate ?? { maxSurge: 1, maxUnavailable: 1 };
  return {
    policy: type === 'Static' ? 'static' : 'dynamic',
    replicas,
    nodeNames: type === 'Static' ? nodes : nodePool.filter((name) => !lost.excluded.has(name)),
    totalMax: replicas + maxSurge,
    readyMin: Math.max(replicas - maxUnavailable, 0),
  };
}

/** A removal that was asked for is done by then, as far as one may believe. */
const removalMsMax = 10_000;

function ownedOf(service: PlatformService, { offlineNodes, nowMs }: PlanInput, isLeaving: boolean): Owned {
  const instances = seenInstances(service, offlineNodes, isLeaving);
  const ready = inState(instances, 'ready');
  const size = service.policy === 'static' ? service.nodeNames.length : service.factor;
  const surplus = Math.max(instances.length - size, 0);
  return {
    service,
    ...(service.mark === undefined ? {} : { revision: service.mark.revision }),
    instances,
    size,
    extent: Math.max(instances.length, service.policy === 'static' ? placesOf(service) : size),
    readyCount: ready.length,
    certainCount:
      service.policy === 'static'
        ? ready.filter(({ nodeName }) => service.nodeNames.includes(nodeName)).length
        : Math.max(ready.length - surplus, 0),
    fresh: new Set(
      ready.flatMap(({ name, startedMs = 0 }) => (Math.abs(nowMs - startedMs) < removalMsMax ? [name] : [])),
    ),
  };
}

/** Nodes that it is on, or is to be on. */
function placesOf({ nodeNames, instances }: PlatformService): number {
  return new Set([...nodeNames, ...instances.map(({ nodeName }) => nodeName)]).size;
}
