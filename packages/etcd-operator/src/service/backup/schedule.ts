/** A schedule: starts one run at a time, collapses the times that were missed into one, and deletes old runs. */
import { timestampAt } from '@ecsm/runtime';
import { lastTimeMs, nextTimeMs } from '@ecsm/runtime/cron';
import type { BackupReason } from '../../apis/backup-reasons.ts';
import type { EtcdBackup, EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import type { BackupDecision, BackupInput, ChildFacts } from './model.ts';
import { decide, event, generationOf, msOf, withCondition } from './outcome.ts';
import { decideRehearsal } from './rehearsal.ts';
import { isEnded } from './run.ts';

/** Runs that are kept as objects: the newest of those that failed, and of those that are complete. */
export const failedKeptMax = 3;
export const completeKeptMax = 100;
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

export function lastComplete(children: readonly ChildFacts[]): ChildFacts | undefined {
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
export function runName({ metadata }: EtcdBackup, dueMs: number): string {
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
