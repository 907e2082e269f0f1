/**
 * A schedule: starts one run at a time, collapses the times that were missed into one, deletes old runs, and rehearses
 * restores.
 */
import { timestampAt } from '@ecsm/runtime';
import { lastTimeMs, nextTimeMs } from '@ecsm/runtime/cron';
import type { BackupReason } from '../../apis/backup-reasons.ts';
import type { EtcdBackup, EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import type { ChildFacts } from '../../resource/backup-objects.ts';
import { attempt } from './attempt.ts';
import type { BackupDecision, BackupInput } from './model.ts';
import { decide, event, generationOf, msOf, withCondition, workerRecord, workerStatus } from './outcome.ts';
import { isEnded, workerName } from './run.ts';

/** Runs that are kept as objects: the newest of those that failed, and of those that are complete. */
const failedKeptMax = 3;
const completeKeptMax = 100;
/** Timers of controllers are not exact over days. */
const lookMsMax = 3_600_000;

export function decideSchedule(input: BackupInput): BackupDecision {
  const status = withResults(input);
  const run = followRun(input, status) ?? deleteOld(input, status) ?? startRun(input, status);
  if (run.action || run.requeueAfterMs === 0) return run;
  const rehearsal = decideRehearsal(input, run.status);
  if (rehearsal === undefined) return run;
  const requeueAfterMs = Math.min(rehearsal.requeueAfterMs ?? lookMsMax, run.requeueAfterMs ?? lookMsMax);
  return { ...rehearsal, events: [...run.events, ...rehearsal.events], requeueAfterMs };
}

/** What the runs tell, in the status of the schedule. */
function withResults({ backup, children }: BackupInput): EtcdBackupStatus {
  const before = backup.status ?? {};
  const last = lastComplete(children);
  if (last === undefined) return before;
  const { completionTime, backupSize, databaseSize, duration, etcdRevision, etcdVersion } = last.status ?? {};
  return {
    ...before,
    lastBackup: last.name,
    ...(completionTime === undefined ? {} : { lastSuccessfulTime: completionTime }),
    ...(backupSize === undefined ? {} : { backupSize }),
    ...(databaseSize === undefined ? {} : { databaseSize }),
    ...(duration === undefined ? {} : { duration }),
    ...(etcdRevision === undefined ? {} : { etcdRevision }),
    ...(etcdVersion === undefined ? {} : { etcdVersion }),
  };
}

function lastComplete(children: readonly ChildFacts[]): ChildFacts | undefined {
  return children.findLast(({ status, isDeleting }) => status?.phase === 'Completed' && !isDeleting);
}

/** A run that was decided on: created, watched, and forgotten when it has ended. */
function followRun(input: BackupInput, status: EtcdBackupStatus): BackupDecision | undefined {
  const { active } = status;
  if (active === undefined) return undefined;
  const child = input.children.find(({ name }) => name === active.name);
  const { active: _, ...rest } = status;
  if (child === undefined) {
    if (active.uid !== undefined) return decide(rest, 0);
    const events = [event('Normal', 'RunCreated', `created ${active.name}`)];
    return decide(status, 0, { action: { do: 'createChild', name: active.name }, events });
  }
  if (isEnded(child.status)) return decide(rest, 0);
  if (child.uid !== active.uid) return decide({ ...status, active: { name: child.name, uid: child.uid } }, 0);
  const shown = shownAs(input, status, 'Scheduled', 'RunInProgress', `${child.name} is in progress`);
  return decide(shown, input.settings.workerLookMs);
}

/** At most one in a pass. Objects in the store were deleted by the run that pruned them; others are left alone. */
function deleteOld({ children }: BackupInput, status: EtcdBackupStatus): BackupDecision | undefined {
  const pruned = new Set(children.flatMap((child) => child.status?.pruned ?? []));
  const isPruned = ({ status: own }: ChildFacts) =>
    own?.manifestPath !== undefined && pruned.has(own.manifestPath.replace(/\.manifest\.json$/u, ''));
  const kept = children.filter(({ isDeleting }) => !isDeleting);
  const complete = kept.filter(({ status: own }) => own?.phase === 'Completed');
  const failed = kept.filter(({ status: own }) => own?.phase === 'Failed' || own?.phase === 'Skipped');
  const old =
    complete.find(isPruned) ??
    complete.slice(0, Math.max(0, complete.length - completeKeptMax))[0] ??
    failed.slice(0, Math.max(0, failed.length - failedKeptMax))[0];
  if (old === undefined) return undefined;
  const events = [event('Normal', 'RunDeleted', `deleted ${old.name}`)];
  return decide(status, 0, { action: { do: 'deleteChild', name: old.name, uid: old.uid }, events });
}

function startRun(input: BackupInput, status: EtcdBackupStatus): BackupDecision {
  const { backup, nowMs } = input;
  const { schedule = '', timeZone, suspend, startingDeadlineSeconds } = backup.spec;
  if (suspend) {
    const { nextScheduleTime: _, ...rest } = status;
    return decide(shownAs(input, rest, 'Suspended', 'Suspended', 'spec.suspend is true'), undefined);
  }
  const sinceMs = msOf(status.lastScheduleTime ?? backup.metadata.creationTimestamp) ?? nowMs;
  // The clock was ahead. A run that exists already is not created again: its name is that of its time.
  if (sinceMs > nowMs) return decide({ ...status, lastScheduleTime: timestampAt(nowMs) }, 0);
  const dueMs = lastTimeMs(schedule, timeZone, sinceMs, nowMs);
  const nextMs = nextTimeMs(schedule, timeZone, nowMs);
  if (dueMs === undefined) {
    const text = nextMs === undefined ? 'the schedule has no time' : `the next run is at ${timestampAt(nextMs)}`;
    const next = nextMs === undefined ? status : { ...status, nextScheduleTime: timestampAt(nextMs) };
    const waitMs = nextMs === undefined ? undefined : Math.min(nextMs - nowMs, lookMsMax);
    return decide(shownAs(input, next, 'Scheduled', 'WaitingForTime', text), waitMs);
  }
  const recorded = { ...status, lastScheduleTime: timestampAt(dueMs) };
  const lateMs = nowMs - dueMs;
  if (startingDeadlineSeconds !== undefined && lateMs > startingDeadlineSeconds * 1_000) {
    const message = `the run of ${timestampAt(dueMs)} was missed by ${Math.round(lateMs / 1_000)} s`;
    return decide(recorded, 0, { events: [event('Warning', 'RunMissed', message)] });
  }
  // Recorded before it is created: after a crash the same run is created, and no second one.
  return decide({ ...recorded, active: { name: runName(backup, dueMs) } }, 0);
}

/** As runs of a CronJob are named: by the minute. */
function runName({ metadata }: EtcdBackup, dueMs: number): string {
  return `${metadata.name}-${Math.floor(dueMs / 60_000)}`;
}

function shownAs(
  input: BackupInput,
  status: EtcdBackupStatus,
  phase: 'Scheduled' | 'Suspended',
  reason: BackupReason,
  message: string,
): EtcdBackupStatus {
  const isTrue = phase === 'Scheduled';
  return withCondition({ ...status, phase }, { type: 'Scheduled', isTrue, reason, message }, generationOf(input));
}

type Rehearsal = NonNullable<EtcdBackupStatus['rehearsal']>;

/**
 * At its own times a schedule has its newest backup restored into a scratch member, and compared. Undefined if there is nothing
 * to do with rehearsals, now and later.
 */
function decideRehearsal(input: BackupInput, status: EtcdBackupStatus): BackupDecision | undefined {
  const { rehearse, suspend } = input.backup.spec;
  const { rehearsal = {} } = status;
  if (rehearsal.worker) return followRehearsal(input, status, rehearsal);
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
    return rehearsed(
      input,
      status,
      { ...rehearsal, lastScheduleTime },
      false,
      'there is no complete backup to restore',
    );
  }
  const name = workerName(backup, 'rehearsal');
  const worker = workerStatus({ name, startedAtMs: nowMs });
  const begun = { ...rehearsal, lastScheduleTime, backup: newest.name, worker };
  return decide({ ...status, rehearsal: begun }, 0);
}

function followRehearsal(input: BackupInput, status: EtcdBackupStatus, rehearsal: Rehearsal): BackupDecision {
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
  const decision = rehearsed(input, status, rest, isPassed, message);
  // Its scratch member still runs, also when it has failed.
  const pod = input.rehearsal;
  if (pod === undefined || !pod.isOurs) return decision;
  return { ...decision, action: { do: 'deleteWorker', name: pod.name, uid: pod.uid, purpose: 'rehearsal' } };
}

/** Each time has one attempt, of its own number. */
function minuteOf({ lastScheduleTime }: Rehearsal): number {
  return Math.floor((msOf(lastScheduleTime) ?? 0) / 60_000);
}

function rehearsed(
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
