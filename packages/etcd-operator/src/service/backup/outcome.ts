/** How decisions about backups are phrased: phases, conditions, times. */
import {
  type Condition,
  type Decision,
  type FieldError,
  type PlannedEvent,
  type PlannedStep,
  type Report,
  setCondition,
  timeMsOf,
  timestampAt,
} from '@ecsm/runtime';
import type { BackupEventReason, RestoreEventReason } from '../../apis/backup-reasons.ts';
import type { EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import type { AttemptRecord, WorkerRecord } from './attempt.ts';
import type { BackupDecision, BackupInput, BackupSettings, StepDecision } from './model.ts';

type WorkerStatus = EtcdBackupStatus['worker'];

export function msOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : timeMsOf(time);
}

export function workerRecord(status: WorkerStatus): WorkerRecord | undefined {
  if (status === undefined) return undefined;
  const { name, uid, startedAt, ending } = status;
  return {
    name,
    startedAtMs: msOf(startedAt) ?? 0,
    ...(uid === undefined ? {} : { uid }),
    ...(ending === undefined ? {} : { ending }),
  };
}

export function workerStatus(record: WorkerRecord): NonNullable<WorkerStatus> {
  const { name, uid, startedAtMs, ending } = record;
  return {
    name,
    ...(uid === undefined ? {} : { uid }),
    startedAt: timestampAt(startedAtMs),
    ...(ending === undefined ? {} : { ending }),
  };
}

interface AttemptStatus {
  readonly attempts?: number;
  readonly nextAttemptTime?: string;
  readonly worker?: WorkerStatus;
}

export function attemptRecord({ attempts = 0, nextAttemptTime, worker }: AttemptStatus): AttemptRecord {
  const record = workerRecord(worker);
  const nextAtMs = msOf(nextAttemptTime);
  return { attempts, ...(record ? { worker: record } : {}), ...(nextAtMs === undefined ? {} : { nextAtMs }) };
}

/** The status with another record of attempts. */
export function withAttempt<Status extends AttemptStatus>(status: Status, record: AttemptRecord): Status {
  const { worker: _, nextAttemptTime: __, attempts: ___, ...rest } = status;
  return {
    ...(rest as Status),
    ...(record.attempts === 0 ? {} : { attempts: record.attempts }),
    ...(record.worker ? { worker: workerStatus(record.worker) } : {}),
    ...(record.nextAtMs === undefined ? {} : { nextAttemptTime: timestampAt(record.nextAtMs) }),
  };
}

interface Conditioned {
  readonly conditions?: readonly Condition[];
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** The status with its condition, and the message also beside the phase. */
export function withCondition<Status extends Conditioned>(
  status: Status,
  condition: { readonly type: string; readonly isTrue: boolean; readonly reason: string; readonly message: string },
  { generation, nowMs }: { readonly generation: number; readonly nowMs: number },
): Status {
  const { type, isTrue, reason, message } = condition;
  const entry = { type, status: isTrue ? 'True' : 'False', reason, message, observedGeneration: generation } as const;
  const conditions = setCondition(status.conditions ?? [], entry, timestampAt(nowMs));
  return { ...status, conditions, message, observedGeneration: generation };
}

export function decide(
  status: EtcdBackupStatus,
  requeueAfterMs: number | undefined,
  extras: Pick<Partial<BackupDecision>, 'action' | 'events' | 'hold'> = {},
): BackupDecision {
  return { status, events: [], requeueAfterMs, ...extras };
}

export function event(
  type: PlannedEvent['type'],
  reason: BackupEventReason | RestoreEventReason,
  message: string,
): PlannedEvent {
  return { type, reason, message };
}

export function generationOf({ backup, nowMs }: BackupInput): { readonly generation: number; readonly nowMs: number } {
  return { generation: backup.metadata.generation ?? 0, nowMs };
}

/** As a pass takes it. */
export function planned<Status, Action extends PlannedStep>(
  { action, requeueAfterMs, ...decision }: StepDecision<Status, Action>,
  { workerLookMs }: BackupSettings,
): Decision<Status, Action> {
  // What an action was about may have been gone, or that was a stale read: the next pass finds out.
  const delayMs = requeueAfterMs ?? (action && workerLookMs);
  return {
    ...decision,
    ...(action ? { steps: [action] } : {}),
    ...(delayMs === undefined ? {} : { requeueAfterMs: delayMs }),
  };
}

/** Kubernetes has refused an action. */
export function refusedReport<Status>(
  status: Status,
  action: string,
  message: string,
  { workerRetryMs }: BackupSettings,
): Report<Status> {
  const events = [event('Warning', 'ActionRefused', `${action}: ${message}`)];
  // The change that would allow it is not one of this object.
  return { status, events, requeueAfterMs: workerRetryMs };
}

/** A refused pod is a failed attempt, so that it ends like any other: nothing else would. */
export function withEnding<Status extends AttemptStatus>(status: Status, refusal: string): Status {
  const { worker } = status;
  return worker ? { ...status, worker: { ...worker, ending: refusal } } : status;
}

export function invalidMessage(errors: readonly FieldError[]): string {
  return errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
}
