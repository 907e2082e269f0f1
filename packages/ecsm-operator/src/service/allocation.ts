/** What the placement of all services allows one of them, and the conditions and events about it. */
import { findCondition } from '@ecsm/runtime';
import type { ECSMService, ServiceStatus } from '../apis/ecsm-service.ts';
import { replicasWanted } from '../apis/service-columns.ts';
import type { PlatformService } from '../resource/model.ts';
import type { PlannedCondition, PlannedEvent } from './model.ts';
import type { Placement } from './placement/model.ts';
import type { PlanContext } from './plan-context.ts';
import { condition, event } from './reasons.ts';

export interface Allocation {
  /** Absent: nothing limits the service. */
  readonly placement?: Placement;
  /** Why the priority class of the service has no effect. */
  readonly note?: { readonly reason: 'NoLimits' | 'UnknownPriorityClass'; readonly message: string };
}

/** For the status. It is the memory of the hold: a restarted operator starts from it. */
export function preemptedOf({ input, desired }: PlanContext): NonNullable<ServiceStatus['preempted']> | undefined {
  const hold = input.allocation?.placement?.hold;
  if (hold === undefined) return undefined;
  return { ...byOf(hold), replicas: Math.max(desired.replicas - hold.allowed, 1) };
}

/** The service that instances are held back for, if it still exists. */
export function byOf({ by }: { readonly by?: string | undefined }): { readonly by?: string } {
  return by === undefined ? {} : { by };
}

function heldFor({ by }: { readonly by?: string }): string {
  return by === undefined ? 'until there is room for them' : `for ${by}`;
}

/**
 * What a plan may aim at without a calculation: what the status says is held back stays so. Undefined if nothing is. A
 * static service keeps the instances that it has.
 */
export function allocationOfStatus(
  service: ECSMService,
  observed: readonly Pick<PlatformService, 'nodeNames'>[],
): Allocation | undefined {
  const preempted = service.status?.preempted;
  if (preempted === undefined) return undefined;
  const { type, nodes = [] } = service.spec.deploymentStrategy;
  const allowed = Math.max(replicasWanted(service) - preempted.replicas, 0);
  const hold = { ...byOf(preempted), allowed };
  const size = { allowed, surge: Number.MAX_SAFE_INTEGER, hold };
  if (type === 'Dynamic') return { placement: size };
  const existing = new Set(observed.flatMap(({ nodeNames }) => nodeNames));
  const nodeNames = [...nodes].sort((left, right) => Number(existing.has(right)) - Number(existing.has(left)));
  return { placement: { ...size, nodeNames: nodeNames.slice(0, allowed) } };
}

/** Only if there is something to say, or something said before is no longer true. */
export function allocationConditions(context: PlanContext): readonly PlannedCondition[] {
  return [preemptedCondition(context), unschedulableCondition(context)].filter((one) => one !== undefined);
}

function preemptedCondition(context: PlanContext): PlannedCondition | undefined {
  const { input, desired } = context;
  const preempted = preemptedOf(context);
  if (preempted !== undefined) {
    const message = `${preempted.replicas} of ${desired.replicas} instances are held back ${heldFor(preempted)}`;
    return condition('Preempted', 'True', 'Preempted', message);
  }
  const note = input.allocation?.note;
  if (note !== undefined) return condition('Preempted', 'False', note.reason, note.message);
  const before = findCondition(input.service.status?.conditions, 'Preempted');
  if (before?.status === 'True') return condition('Preempted', 'False', 'Restored', 'no instance is held back');
  if (before === undefined || before.reason === 'Restored' || before.reason === 'AsExpected') return undefined;
  return condition('Preempted', 'False', 'AsExpected', 'no instance is held back');
}

function unschedulableCondition({ input }: PlanContext): PlannedCondition | undefined {
  const { unschedulable, waiting } = input.allocation?.placement ?? {};
  if (unschedulable !== undefined) return condition('Unschedulable', 'True', 'Unschedulable', unschedulable);
  if (waiting !== undefined) return condition('Unschedulable', 'True', 'Preempting', waiting);
  const before = findCondition(input.service.status?.conditions, 'Unschedulable');
  if (before?.status !== 'True') return undefined;
  return condition('Unschedulable', 'False', 'Schedulable', 'all instances fit');
}

/** Events about a change of the number that is held back. */
export function allocationEvents(context: PlanContext): readonly PlannedEvent[] {
  const { input } = context;
  const before = input.service.status?.preempted?.replicas ?? 0;
  const now = preemptedOf(context);
  const count = now?.replicas ?? 0;
  if (now !== undefined && count > before) {
    const message = `gave up ${instances(count - before)} for ${now.by ?? 'a service'}, which has a higher priority`;
    return [event('Warning', 'Preempted', message)];
  }
  return count < before ? [event('Normal', 'Restored', `${instances(before - count)} may run again`)] : [];
}

function instances(count: number): string {
  return count === 1 ? '1 instance' : `${count} instances`;
}
