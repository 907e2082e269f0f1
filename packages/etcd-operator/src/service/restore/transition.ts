/** How a pass over a restore goes on: in the same step, in the next one, back, or not any more. */
import { findCondition, type PlannedEvent, timestampAt } from '@ecsm/runtime';
import type { RestoreReason } from '../../apis/backup-reasons.ts';
import type { EtcdRestoreStatus } from '../../apis/etcd-restore.ts';
import type { RestoreStep } from '../../apis/restore-schema.ts';
import { attempt } from '../backup/attempt.ts';
import { attemptRecord, event, msOf, withAttempt, withCondition } from '../backup/outcome.ts';
import type { AgentSuccess } from '../backup/result.ts';
import { isRestoreEnded, type RestoreDecision, type RestoreInput } from './model.ts';

interface Outcomes {
  readonly done: (result: AgentSuccess) => RestoreDecision;
  readonly failed: (reason: string, message: string) => RestoreDecision;
}

/** Has a pod work. What follows replaces the record of its attempts. */
export function work(
  input: RestoreInput,
  status: EtcdRestoreStatus,
  purpose: 'check' | 'prepare',
  { done, failed: failedFor }: Outcomes,
): RestoreDecision {
  const { restore, nowMs, settings, progress } = input;
  const { spec } = restore;
  const step = attempt(attemptRecord(status), input.worker, {
    nowMs,
    name: `${restore.metadata.name}-${purpose}`,
    backoffLimit: spec.backoffLimit,
    timeoutMs: spec.timeoutSeconds * 1_000,
    retryMs: settings.workerRetryMs,
    container: purpose === 'check' ? 'agent' : 'commit',
  });
  const problem = whyNoSource(input);
  if (problem && 'action' in step && step.action?.do === 'createWorker') {
    return failedFor(problem.reason, problem.message);
  }
  const action = 'action' in step && step.action ? { action: { ...step.action, purpose } } : {};
  const reason = purpose === 'check' ? 'Checking' : 'Preparing';
  switch (step.is) {
    case 'going': {
      const isSeen = step.record.worker?.uid !== status.worker?.uid;
      const next = { ...withAttempt(status, step.record), ...(progress ? { progress } : {}) };
      const current = step.isImageMissing ? 'ImageNotPulled' : reason;
      const after = step.message === undefined ? next : shown(input, next, current, step.message);
      const isNews = step.isImageMissing && findCondition(status.conditions, 'Complete')?.reason !== current;
      const events = isNews ? [event('Warning', 'ImageNotPulled', step.message ?? '')] : [];
      return decide(after, isSeen ? 0 : settings.workerLookMs, { ...action, events });
    }
    case 'retrying': {
      const message = `attempt ${step.record.attempts} failed: ${step.failure.message}`;
      const next = withAttempt(status, step.record);
      return decide(shown(input, next, 'Retrying', message), settings.workerLookMs, action);
    }
    case 'failed':
      return failedFor(step.failure.code, step.failure.message);
    case 'done':
      return { ...done(step.result), ...action };
  }
}

/** The next step, with attempts of its own. */
export function enter(
  input: RestoreInput,
  status: EtcdRestoreStatus,
  step: RestoreStep & RestoreReason,
  message: string,
  events: readonly PlannedEvent[] = [],
): RestoreDecision {
  const { progress: _, ...rest } = withAttempt(status, { attempts: 0 });
  const next = { ...rest, step, stepTime: timestampAt(input.nowMs) };
  return decide(shown(input, next, step, message), 0, { events });
}

export function timedOut(input: RestoreInput, status: EtcdRestoreStatus): RestoreDecision | undefined {
  const late = lateness(input, status);
  return late === undefined ? undefined : turnBack(input, status, 'StepTimeout', late);
}

/** Undefined while the step may take longer. */
export function lateness(input: RestoreInput, status: EtcdRestoreStatus): string | undefined {
  const { timeoutSeconds } = input.restore.spec;
  const tookMs = input.nowMs - (msOf(status.stepTime) ?? input.nowMs);
  if (tookMs <= timeoutSeconds * 1_000) return undefined;
  const why = input.cluster?.unsettled;
  return `${status.step} took longer than ${timeoutSeconds} s${why === undefined ? '' : `: ${why}`}`;
}

/** The backup was deleted, or made again, since the restore began. No pod can be created without it. */
export function whyNoSource({
  source,
}: RestoreInput): { readonly reason: RestoreReason; readonly message: string } | undefined {
  if (source.is === 'found') return undefined;
  return { reason: source.is === 'missing' ? 'BackupNotFound' : 'BackupNotComplete', message: source.message };
}

export function turnBack(
  input: RestoreInput,
  status: EtcdRestoreStatus,
  reason: string,
  message: string,
): RestoreDecision {
  const { progress: _, ...rest } = status;
  const next = { ...rest, phase: 'RollingBack', step: 'RollingBack', stepTime: timestampAt(input.nowMs) } as const;
  return decide(shown(input, next, reason, message), 0, { events: [event('Warning', 'RollbackStarted', message)] });
}

export function failed(
  input: RestoreInput,
  status: EtcdRestoreStatus,
  reason: string,
  message: string,
): RestoreDecision {
  const { progress: _, ...rest } = status;
  const next = { ...rest, phase: 'Failed', step: 'Done', completionTime: timestampAt(input.nowMs) } as const;
  return decide(shown(input, next, reason, message), undefined, {
    events: [event('Warning', 'RestoreFailed', message)],
  });
}

export function shown(
  { restore, nowMs }: RestoreInput,
  status: EtcdRestoreStatus,
  reason: string,
  message: string,
  isTrue = false,
): EtcdRestoreStatus {
  const of = { generation: restore.metadata.generation ?? 0, nowMs };
  return withCondition(status, { type: 'Complete', isTrue, reason, message }, of);
}

/** The object is kept from its first step to its end, unless it is said. */
export function decide(
  status: EtcdRestoreStatus,
  requeueAfterMs: number | undefined,
  extras: Pick<Partial<RestoreDecision>, 'action' | 'events' | 'hold'> = {},
): RestoreDecision {
  const hold = status.step !== undefined && !isRestoreEnded(status);
  return { status, events: [], hold, requeueAfterMs, ...extras };
}
