/** The status of an object, computed from a plan. It is written only if it changed. */
import type { CircuitBreaker } from '@ecsm/client';
import { type Clock, type Condition, deepEqual, type Registry, setCondition, timestampAt } from '@ecsm/runtime';
import { ECSMService, type ServiceStatus } from '../apis/ecsm-service.ts';
import { emptyStatus, type Plan, type PlannedCondition } from '../service/model.ts';
import { condition } from '../service/reasons.ts';

export const reachable = condition('PlatformReachable', 'True', 'Reachable', 'the platform responds');

export function unreachable({
  lastContactMs,
  reason,
}: Pick<CircuitBreaker, 'lastContactMs' | 'reason'>): PlannedCondition {
  const since =
    lastContactMs === undefined ? 'has not responded yet' : `last responded at ${timestampAt(lastContactMs)}`;
  return condition(
    'PlatformReachable',
    'False',
    'Unreachable',
    `the platform ${since}: ${reason ?? 'no reason given'}`,
  );
}

/** The status after a plan, with further conditions. The last condition of a type takes precedence. */
export function statusAfter(
  service: ECSMService,
  plan: Pick<Plan, 'status' | 'conditions'>,
  others: readonly PlannedCondition[],
  clock: Clock,
): ServiceStatus {
  return { ...plan.status, conditions: [...conditionsAfter(service, [...plan.conditions, ...others], clock)] };
}

/**
 * Writes the same status with other conditions. Throws `Conflict` if the object has changed since it was read: a stale
 * read must not put an older status back.
 */
export async function writeConditions(
  registry: Registry,
  service: ECSMService,
  planned: readonly PlannedCondition[],
  clock: Clock,
): Promise<void> {
  const { status: before = emptyStatus, metadata } = service;
  const status = { ...before, conditions: [...conditionsAfter(service, planned, clock)] };
  if (deepEqual(service.status, status)) return;
  const { resourceVersion } = metadata;
  await registry.resource(ECSMService).updateStatus({ metadata, status }, { resourceVersion, known: service });
}

/**
 * Returns the object with the new status. With a finalizer, that is added, too, and `Conflict` is thrown if the object has
 * changed since it was read.
 */
export async function writeStatus(
  registry: Registry,
  service: ECSMService,
  status: ServiceStatus,
  finalizer?: string,
): Promise<ECSMService> {
  if (service.status !== undefined && deepEqual(comparable(service.status), comparable(status))) return service;
  const { name, namespace, uid, resourceVersion } = service.metadata;
  const first = finalizer === undefined ? {} : { finalizer, resourceVersion };
  return registry
    .resource(ECSMService)
    .updateStatus({ metadata: { name, namespace, uid }, status }, { known: service, ...first });
}

/**
 * The instances by state only. Restarts, and moves to another node within one poll, are found late, by a sweep: they are not
 * worth a write, and are written with the next change.
 */
function comparable({ instances, ...status }: ServiceStatus): object {
  return { ...status, states: instances?.map(({ state }) => state).sort() };
}

function conditionsAfter(
  { status }: ECSMService,
  planned: readonly PlannedCondition[],
  clock: Clock,
): readonly Condition[] {
  const last = new Map(planned.map((one) => [one.type, one]));
  const now = timestampAt(clock.now());
  return [...last.values()].reduce((list, one) => setCondition(list, one, now), status?.conditions ?? []);
}
