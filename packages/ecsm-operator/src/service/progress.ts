/** The progress of an update, and whether it is stuck. */
import { findCondition } from '@ecsm/runtime';
import type { Decision } from './lifecycle.ts';
import type { PlanContext } from './plan-context.ts';
import { remainingMs, statusTime } from './times.ts';

export interface Counts {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly updatedReplicas: number;
  readonly unavailableReplicas: number;
}

export function countsOf({ input, desired, owned }: PlanContext): Counts {
  const count = (some: typeof owned) => some.reduce((sum, { instances }) => sum + instances.length, 0);
  const readyReplicas = owned.reduce((sum, one) => sum + one.readyCount, 0);
  return {
    replicas: count(owned),
    readyReplicas,
    updatedReplicas: count(owned.filter(({ revision }) => revision === input.revision.hash)),
    unavailableReplicas: Math.max(desired.replicas - readyReplicas, 0),
  };
}

export interface Progress {
  /** The desired state is reached, and all instances are ready. */
  readonly isComplete: boolean;
  /** The newest revision was not rolled out completely yet. */
  readonly isRolling: boolean;
  readonly currentRevision?: string;
  readonly progressTime?: string;
  readonly isOverdue: boolean;
  /** When it will be overdue. */
  readonly dueMs?: number;
}

export function progressOf(context: PlanContext, decision: Decision, counts: Counts): Progress {
  const { input, olds, obstacle } = context;
  const { service, revision, nowMs } = input;
  const { status, spec } = service;
  const isComplete = isAsWanted(context, decision, counts);
  const currentRevision = isComplete ? revision.hash : status?.currentRevision;
  const known = currentRevision === undefined ? {} : { currentRevision };
  if (obstacle !== undefined) return { isComplete, isRolling: false, ...known, isOverdue: false };
  const hasMoved = isComplete ? status?.currentRevision !== revision.hash : hasProgressed(context, counts);
  const progressTime = hasMoved ? statusTime(nowMs) : (status?.progressTime ?? statusTime(nowMs));
  const isRolling = currentRevision !== revision.hash || olds.length > 0;
  const so = { isComplete, isRolling, ...known, progressTime };
  // The deadline starts when the dependencies are met.
  if (context.gate?.hold !== undefined) return { ...so, isOverdue: false };
  if (!isRolling || spec.paused) return { ...so, isOverdue: false };
  const left = remainingMs(progressTime, spec.updateStrategy.progressDeadlineSeconds * 1000, nowMs);
  return left === 0 ? { ...so, isOverdue: true } : { ...so, isOverdue: false, dueMs: left };
}

function isAsWanted(context: PlanContext, decision: Decision, counts: Counts): boolean {
  const { desired, wanted, owned, newest, obstacle, input, gate } = context;
  if (gate?.hold !== undefined) return false;
  if (obstacle !== undefined || decision.actions.length > 0 || decision.healing !== undefined) return false;
  // No service is the desired state of 0 replicas, unless a change is held back, or there is no room for any instance.
  if (owned.length === 0) return desired.replicas === 0 && !input.service.spec.paused;
  if (owned.length > 1 || newest === undefined) return false;
  return counts.replicas === wanted.replicas && counts.readyReplicas === wanted.replicas;
}

/** More new instances, fewer old ones, or more ready ones than in the status. The end of a wait for dependencies, too. */
function hasProgressed({ input, isChanged, gate }: PlanContext, counts: Counts): boolean {
  const { status } = input.service;
  if (status === undefined || isChanged) return true;
  const before = findCondition(status.conditions, 'DependenciesReady');
  if (gate !== undefined && before !== undefined && before.status !== gate.condition.status) return true;
  return (
    counts.updatedReplicas > status.updatedReplicas ||
    counts.replicas - counts.updatedReplicas < status.replicas - status.updatedReplicas ||
    counts.readyReplicas > status.readyReplicas
  );
}
