/** The one decision of a pass over a backup: that of a run, of a schedule, or of a deletion. */
import type { EtcdBackup, EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import { attempt } from './attempt.ts';
import type { BackupDecision, BackupInput } from './model.ts';
import { attemptRecord, decide, event, withAttempt } from './outcome.ts';
import { decideRun, isEnded, workerName } from './run.ts';
import { decideSchedule } from './schedule.ts';

/** Finalizer of runs whose stored backup is deleted with them. */
export const BACKUP_FINALIZER = 'etcd.ecsm.sh/stored-backup';

export function nextBackupStep(input: BackupInput): BackupDecision {
  const { metadata, spec } = input.backup;
  if (metadata.deletionTimestamp !== undefined) return decideDeletion(input);
  const decision = spec.schedule === undefined ? decideRun(input) : decideSchedule(input);
  return { ...decision, hold: mayHaveStored(input.backup, decision.status) };
}

/** Whether it may have stored something that is deleted with it. */
function mayHaveStored({ metadata, spec }: EtcdBackup, status: EtcdBackupStatus): boolean {
  if (spec.schedule !== undefined || spec.deletionPolicy !== 'Delete' || status.startTime === undefined) return false;
  // Its schedule removes the finalizer before it deletes a run without what it has stored.
  return !isEnded(status) || (metadata.finalizers?.includes(BACKUP_FINALIZER) ?? false);
}

/**
 * The deletion of a run whose policy is Delete: its pod stops, another pod deletes the stored backup, and the finalizer is
 * removed. A store that is gone does not block the deletion for ever: it ends with a warning after the last attempt.
 */
function decideDeletion(input: BackupInput): BackupDecision {
  const { backup, worker, nowMs, settings } = input;
  const { status = {}, spec } = backup;
  if (!isEnded(status)) {
    // It must not go on storing what is deleted then.
    if (worker?.isOurs) {
      if (worker.isDeleting) return decide(status, settings.workerLookMs);
      return decide(status, settings.workerLookMs, {
        action: { do: 'deleteWorker', name: worker.name, uid: worker.uid, purpose: 'backup' },
      });
    }
    const { worker: _, attempts: __, nextAttemptTime: ___, ...rest } = status;
    return decide({ ...rest, phase: 'Failed', message: 'it was deleted before it was complete' }, 0);
  }
  if (status.manifestPath === undefined) {
    // An attempt that has not answered may have stored something, and its name is not known.
    const message = `an attempt may have left objects whose names begin with ${status.keyBase}`;
    const events = status.keyBase === undefined ? [] : [event('Warning', 'ObjectLeftBehind', message)];
    return decide(status, undefined, { hold: false, events });
  }
  const isPruning = status.worker === undefined || status.worker.name.endsWith('-prune');
  const record = isPruning && status.message?.startsWith('deleting') ? attemptRecord(status) : { attempts: 0 };
  const step = attempt(record, isPruning ? worker : undefined, {
    nowMs,
    name: workerName(backup, 'prune'),
    backoffLimit: spec.backoffLimit,
    timeoutMs: Math.min(spec.timeoutSeconds * 1_000, pruneMsMax),
    retryMs: settings.workerRetryMs,
    container: 'agent',
  });
  const next = { ...withAttempt(status, step.record), message: 'deleting the stored backup' };
  switch (step.is) {
    case 'going':
    case 'retrying': {
      const action = step.action && { ...step.action, purpose: 'prune' as const };
      return decide(next, settings.workerLookMs, { ...(action ? { action } : {}) });
    }
    case 'failed': {
      const message = `${status.storagePath} was not deleted: ${step.failure.message}`;
      return decide(status, undefined, { hold: false, events: [event('Warning', 'ObjectLeftBehind', message)] });
    }
    case 'done':
      return decide(status, undefined, { hold: false });
  }
}

const pruneMsMax = 600_000;
