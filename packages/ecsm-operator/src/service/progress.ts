/** How far an update has come, and whether it is stuck. */
import type { Decision } from './lifecycle.ts';
import type { Situation } from './situation.ts';
import { leftMs, momentText } from './times.ts';

export interface Counts {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly updatedReplicas: number;
  readonly unavailableReplicas: number;
}

export function countsOf({ input, wanted, owned }: Situation): Counts {
  const count = (some: typeof owned) => some.reduce((sum, { instances }) => sum + instances.length, 0);
  const readyReplicas = owned.reduce((sum, one) => sum + one.readyCount, 0);
  return {
    replicas: count(owned),
    readyReplicas,
    updatedReplicas: count(owned.filter(({ revision }) => revision === input.revision.hash)),
    unavailableReplicas: Math.max(wanted.replicas - readyReplicas, 0),
  };
}

export interface Progress {
  /** All is as wanted, and ready. */
  readonly isComplete: boolean;
  /** The newest revision has yet to reach the end for the first time. */
  readonly isRolling: boolean;
  readonly currentRevision?: string;
  readonly progressTime?: string;
  readonly isOverdue: boolean;
  /** When it will be overdue. */
  readonly dueMs?: number;
}

export function progressOf(situation: Situation, decision: Decision, counts: Counts): Progress {
  const { input, olds, obstacle } = situation;
  const { service, revision, nowMs } = input;
  const { status, spec } = service;
  const isComplete = isAsWanted(situation, decision, counts);
  const currentRevision = isComplete ? revision.hash : status?.currentRevision;
  const known = currentRevision === undefined ? {} : { currentRevision };
  if (obstacle !== undefined) return { isComplete, isRolling: false, ...known, isOverdue: false };
  const hasMoved = isComplete ? status?.currentRevision !== revision.hash : hasProgressed(situation, counts);
  const progressTime = hasMoved ? momentText(nowMs) : (status?.progressTime ?? momentText(nowMs));
  const isRolling = currentRevision !== revision.hash || olds.length > 0;
  const so = { isComplete, isRolling, ...known, progressTime };
  if (!isRolling || spec.paused) return { ...so, isOverdue: false };
  const left = leftMs(progressTime, spec.updateStrategy.progressDeadlineSeconds * 1000, nowMs);
  return left === 0 ? { ...so, isOverdue: true } : { ...so, isOverdue: false, dueMs: left };
}

function isAsWanted(situation: Situation, decision: Decision, counts: Counts): boolean {
  const { wanted, owned, newest, obstacle, input } = situation;
  if (obstacle !== undefined || decision.actions.length > 0 || decision.healing !== undefined) return false;
  // Nothing at all is right for no instances, but says nothing about a change that waits.
  if (owned.length === 0) return wanted.replicas === 0 && !input.service.spec.paused;
  if (owned.length > 1 || newest === undefined) return false;
  return counts.replicas === wanted.replicas && counts.readyReplicas === wanted.replicas;
}

/** More new ones, fewer old ones, or more of them ready than the status says. */
function hasProgressed({ input, isNews }: Situation, counts: Counts): boolean {
  const { status } = input.service;
  if (status === undefined || isNews) return true;
  return (
    counts.updatedReplicas > status.updatedReplicas ||
    counts.replicas - counts.updatedReplicas < status.replicas - status.updatedReplicas ||
    counts.readyReplicas > status.readyReplicas
  );
}
