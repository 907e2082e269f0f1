/** The input of the placement, from what is known of services and nodes, and what of its answer matters. */
import type { FleetService, InstanceLimits } from '../fleet/fleet-service.ts';
import type { NodeCapacity } from '../observe/capacity.ts';
import { type Allocation, byOf } from '../service/allocation.ts';
import type { Hold, Placement, PlacementNode, PlacementService } from '../service/placement/model.ts';
import { isLimited } from '../service/placement/placement.ts';
import type { InstanceTable } from './instance-table.ts';
import type { Priority, PriorityClasses } from './priority-classes.ts';

interface ServiceFacts {
  readonly priority: Priority;
  readonly claim: Pick<PlacementService, 'placed' | 'floating' | 'floatingNodes'>;
  readonly hold: Hold | undefined;
  readonly isRolling: boolean;
}

/** A service that is being deleted wants no instances, and one that waits for its dependencies none yet. */
export function placementServiceOf(service: FleetService, facts: ServiceFacts): PlacementService {
  const { key, namespace, name, createdTime, limits, policy, nodeNames } = service;
  const wantsNone = service.isBeingDeleted || service.isWaiting;
  const { priority, claim, hold, isRolling } = facts;
  return {
    key,
    name: `${namespace}/${name}`,
    createdTime,
    priority: priority.value,
    mayPreempt: priority.mayPreempt,
    limits,
    policy,
    desired: wantsNone ? 0 : service.replicas,
    surge: isRolling && !wantsNone ? service.maxSurge : 0,
    isSurgeNeeded: service.maxUnavailable === 0,
    nodeNames: wantsNone && policy === 'Static' ? [] : nodeNames,
    ...claim,
    ...(hold === undefined ? {} : { hold }),
  };
}

/** What is left of the capacity for our services. */
export function roomOf({
  name,
  memoryBytes,
  diskBytes,
  foreignMemoryBytes,
  foreignDiskBytes,
}: NodeCapacity): PlacementNode {
  return {
    name,
    ...(memoryBytes === undefined ? {} : { memoryBytes: memoryBytes - foreignMemoryBytes }),
    ...(diskBytes === undefined ? {} : { diskBytes: diskBytes - foreignDiskBytes }),
  };
}

/** The hold that another process has left in the status. */
export function holdOf({ preempted, replicas }: FleetService): Hold | undefined {
  return preempted && { ...byOf(preempted), allowed: Math.max(replicas - preempted.replicas, 0) };
}

/** What the placement depends on. Of the status only whether it waits is. */
export function demandOf(service: FleetService | undefined): string {
  if (service === undefined) return '';
  const { uid, isBeingDeleted, isWaiting, priorityClassName, limits, policy, replicas, nodeNames } = service;
  const { maxSurge, maxUnavailable } = service;
  const size = [policy, replicas, nodeNames, maxSurge, maxUnavailable];
  return JSON.stringify([uid, isBeingDeleted, isWaiting, priorityClassName, limits, ...size]);
}

/** Messages contain amounts that change all the time: they alone are no reason to write a status. */
export function decisionOf({ allowed, surge, nodeNames, hold, unschedulable, waiting }: Placement): string {
  const texts = [unschedulable !== undefined, waiting !== undefined];
  return JSON.stringify([allowed, surge, nodeNames, hold?.by, hold?.allowed, ...texts]);
}

/** Whether it limits nothing that a service at rest has or wants. */
export function isFull({ allowed, hold, unschedulable, waiting }: Placement, desired: number): boolean {
  return allowed === desired && hold === undefined && unschedulable === undefined && waiting === undefined;
}

/** Why the priority class of a service has no effect. */
export function noteOf(
  { priorityClassName, limits }: FleetService,
  classes: Pick<PriorityClasses, 'has'>,
): Pick<Allocation, 'note'> {
  if (priorityClassName === undefined) return {};
  if (!isLimited({ limits })) {
    const message = `no memory or disk limits: the service is neither counted nor preempted, in spite of its class ${priorityClassName}`;
    return { note: { reason: 'NoLimits', message } };
  }
  if (classes.has(priorityClassName)) return {};
  const message = `there is no PriorityClass ${priorityClassName}: the priority is 0`;
  return { note: { reason: 'UnknownPriorityClass', message } };
}

/** Limits of all instances on a node. */
export function declaredOn(
  nodeName: string,
  services: Iterable<FleetService>,
  table: Pick<InstanceTable, 'countOn'>,
): Required<InstanceLimits> {
  const sum = { memoryBytes: 0, diskBytes: 0 };
  for (const { key, limits } of services) {
    const count = table.countOn(key, nodeName);
    sum.memoryBytes += count * (limits.memoryBytes ?? 0);
    sum.diskBytes += count * (limits.diskBytes ?? 0);
  }
  return sum;
}
