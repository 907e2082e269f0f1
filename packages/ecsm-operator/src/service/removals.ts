/**
 * Services whose deletion was requested. Until it is done the platform lists them like any other, and their instances may
 * even become ready. They are recorded in the status before the call, so that a restarted operator does not rely on them.
 */
import type { ServiceStatus } from '../apis/ecsm-service.ts';
import { type PlatformService, removalMs } from '../resource/model.ts';
import type { Plan, PlanInput, Step } from './model.ts';
import { earliest, remainingMs, statusTime } from './times.ts';

export type Removal = NonNullable<ServiceStatus['removals']>[number];

export interface Removals {
  /** Deletions in progress. */
  readonly current: readonly Removal[];
  /** When the first of them counts as not deleted. */
  readonly dueMs?: number;
}

export function removalsOf({ service, nowMs }: PlanInput, owned: readonly PlatformService[]): Removals {
  const there = new Set(owned.map(({ id }) => id));
  const current = (service.status?.removals ?? []).filter(
    ({ id, sinceTime }) => there.has(id) && remainingMs(sinceTime, removalMs, nowMs) > 0,
  );
  const dueMs = earliest(...current.map(({ sinceTime }) => remainingMs(sinceTime, removalMs, nowMs)));
  return { current, ...(dueMs === undefined ? {} : { dueMs }) };
}

/** For the status: deletions in progress, and those that the steps start. A repeated call does not extend the wait. */
export function removalsAfter({ current }: Removals, steps: readonly Step[], nowMs: number): readonly Removal[] {
  const known = new Set(current.map(({ id }) => id));
  const started = steps.flatMap((step) =>
    step.do === 'delete' && !known.has(step.id) ? [{ id: step.id, sinceTime: statusTime(nowMs) }] : [],
  );
  return [...current, ...started];
}

/** The status of a plan that ended before these steps were sent, or with a refusal of the first: they start no deletion. */
export function withoutUnsent(
  { removals = [], ...status }: Plan['status'],
  before: ServiceStatus | undefined,
  unsent: readonly Step[],
): Plan['status'] {
  const known = new Set(before?.removals?.map(({ id }) => id));
  const withdrawn = new Set(unsent.flatMap((step) => (step.do === 'delete' && !known.has(step.id) ? [step.id] : [])));
  const left = removals.filter(({ id }) => !withdrawn.has(id));
  return left.length === 0 ? status : { ...status, removals: left };
}
