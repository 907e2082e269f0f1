/** Rehearsals: at its own times a schedule has its newest backup restored into a scratch member, and compared. */
import { timestampAt } from '@ecsm/runtime';
import { lastTimeMs, nextTimeMs } from '@ecsm/runtime/cron';
import type { EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import { attempt } from './attempt.ts';
import type { BackupDecision, BackupInput } from './model.ts';
import { decide, event, msOf, workerRecord, workerStatus } from './outcome.ts';
import { workerName } from './run.ts';
import { lastComplete } from './schedule.ts';

type Rehearsal = NonNullable<EtcdBackupStatus['rehearsal']>;

/** Undefined if there is nothing to do with rehearsals, now and later. */
export function decideRehearsal(input: BackupInput, status: EtcdBackupStatus): BackupDecision | undefined {
  const { rehearse, suspend } = input.backup.spec;
  const { rehearsal = {} } = status;
  if (rehearsal.worker) return follow(input, status, rehearsal);
  if (rehearse === undefined || suspend) return undefined;
  const { nowMs, backup, children, settings } = input;
  const { schedule, timeZone } = rehearse;
  const sinceMs = msOf(rehearsal.lastScheduleTime ?? backup.metadata.creationTimestamp) ?? nowMs;
  // The clock was ahead.
  if (sinceMs > nowMs)
    return decide({ ...status, rehearsal: { ...rehearsal, lastScheduleTime: timestampAt(nowMs) } }, 0);
  const dueMs = lastTimeMs(schedule, timeZone, sinceMs, nowMs);
  if (dueMs === undefined) {
    const nextMs = nextTimeMs(schedule, timeZone, nowMs);
    return decide(status, nextMs === undefined ? undefined : nextMs - nowMs);
  }
  // A run that has begun becomes the newest backup, and may delete the one before it.
  if (status.active) return decide(status, settings.workerLookMs);
  const lastScheduleTime = timestampAt(dueMs);
  const newest = lastComplete(children);
  if (newest === undefined) {
    return ended(input, status, { ...rehearsal, lastScheduleTime }, false, 'there is no complete backup to restore');
  }
  const name = workerName(backup, 'rehearsal');
  const worker = workerStatus({ name, startedAtMs: nowMs });
  const begun = { ...rehearsal, lastScheduleTime, backup: newest.name, worker };
  return decide({ ...status, rehearsal: begun }, 0);
}

function follow(input: BackupInput, status: EtcdBackupStatus, rehearsal: Rehearsal): BackupDecision {
  const { backup, nowMs, settings } = input;
  const worker = workerRecord(rehearsal.worker);
  if (worker === undefined) return decide(status, undefined);
  const step = attempt({ attempts: minuteOf(rehearsal), worker }, input.rehearsal, {
    nowMs,
    name: worker.name,
    // The next one is at the next time.
    backoffLimit: 0,
    timeoutMs: backup.spec.timeoutSeconds * 1_000,
    retryMs: settings.workerRetryMs,
    container: 'check',
  });
  if (step.is === 'going') {
    const action = step.action && { ...step.action, purpose: 'rehearsal' as const };
    const next = step.record.worker ? { ...rehearsal, worker: workerStatus(step.record.worker) } : rehearsal;
    const isSeen = step.record.worker?.uid !== worker.uid;
    return decide({ ...status, rehearsal: next }, isSeen ? 0 : settings.workerLookMs, {
      ...(action ? { action } : {}),
    });
  }
  const { worker: _, ...rest } = rehearsal;
  const isPassed = step.is === 'done';
  const message = isPassed ? `${rehearsal.backup}: revision, keys and hash are as recorded` : step.failure.message;
  const decision = ended(input, status, rest, isPassed, message);
  // Its scratch member still runs, also when it has failed.
  const pod = input.rehearsal;
  if (pod === undefined || !pod.isOurs) return decision;
  return { ...decision, action: { do: 'deleteWorker', name: pod.name, uid: pod.uid, purpose: 'rehearsal' } };
}

/** Each time has one attempt, of its own number. */
function minuteOf({ lastScheduleTime }: Rehearsal): number {
  return Math.floor((msOf(lastScheduleTime) ?? 0) / 60_000);
}

function ended(
  { nowMs }: BackupInput,
  status: EtcdBackupStatus,
  rehearsal: Rehearsal,
  isPassed: boolean,
  message: string,
): BackupDecision {
  const result = isPassed ? ('Passed' as const) : ('Failed' as const);
  const after = { ...status, rehearsal: { ...rehearsal, time: timestampAt(nowMs), result, message } };
  const type = isPassed ? 'Normal' : 'Warning';
  return decide(after, 0, { events: [event(type, `Rehearsal${result}`, message)] });
}
