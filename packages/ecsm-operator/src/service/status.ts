/** The status of a service: what its plan says, and the conditions about the platform as a whole. */
import { type Condition, deepEqual, setCondition, timestampAt } from '@ecsm/runtime';
import type { ECSMService, ServiceStatus } from '../apis/ecsm-service.ts';
import { emptyStatus, type Plan, type PlannedCondition } from './model.ts';
import { condition } from './reasons.ts';

/** Since when, and why, the platform cannot be reached. */
export interface LostContact {
  /** Absent: it has not responded yet. */
  readonly lastContactMs?: number | undefined;
  readonly reason?: string | undefined;
}

export const reachable = condition('PlatformReachable', 'True', 'Reachable', 'the platform responds');

export function unreachable({ lastContactMs, reason }: LostContact): PlannedCondition {
  const since =
    lastContactMs === undefined ? 'has not responded yet' : `last responded at ${timestampAt(lastContactMs)}`;
  return condition(
    'PlatformReachable',
    'False',
    'Unreachable',
    `the platform ${since}: ${reason ?? 'no reason given'}`,
  );
}

/** The condition Degraded, about a call that the platform refused, or accepted after all if there is no message. */
export function degraded({ metadata }: ECSMService, refusal: string | undefined): PlannedCondition {
  const { generation: observedGeneration } = metadata;
  return refusal === undefined
    ? { ...condition('Degraded', 'False', 'AsExpected', 'no problems'), observedGeneration }
    : { ...condition('Degraded', 'True', 'PlatformRefused', refusal), observedGeneration };
}

/** The status after a plan. The stored one if the difference is not worth a write. */
export function statusAfter(
  service: ECSMService,
  { status, conditions }: Pick<Plan, 'status' | 'conditions'>,
  nowMs: number,
): ServiceStatus {
  const after = withConditions(service, [...conditions, reachable], nowMs, status);
  const { status: before } = service;
  return before !== undefined && deepEqual(comparable(before), comparable(after)) ? before : after;
}

/** The same status with other conditions. */
export function withConditions(
  { status: before = emptyStatus }: ECSMService,
  planned: readonly PlannedCondition[],
  nowMs: number,
  status: Omit<ServiceStatus, 'conditions'> = before,
): ServiceStatus {
  const now = timestampAt(nowMs);
  const add = (list: readonly Condition[], one: PlannedCondition) => setCondition(list, one, now);
  return { ...status, conditions: [...planned.reduce(add, before.conditions)] };
}

/**
 * The instances by state only. Restarts, and moves to another node within one poll, are found late, by a sweep: they are not
 * worth a write, and are written with the next change.
 */
function comparable({ instances, ...status }: ServiceStatus): object {
  return { ...status, states: instances?.map(({ state }) => state).sort() };
}
