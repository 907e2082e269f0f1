/** One run: waits for a cluster that serves, has a pod store a backup, and records what it answered. */
import { findCondition, timestampAt } from '@ecsm/runtime';
import type { BackupReason } from '../../apis/backup-reasons.ts';
import type { EtcdBackup, EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import { type AttemptStep, attempt } from './attempt.ts';
import type { BackupDecision, BackupInput } from './model.ts';
import { attemptRecord, decide, event, generationOf, msOf, withAttempt, withCondition } from './outcome.ts';
import { type AgentSuccess, numberOf, textOf, textsOf } from './result.ts';

/** How long a run waits for a cluster that does not serve. */
const startingMsDefault = 600_000;

export function isEnded(status: EtcdBackupStatus | undefined): boolean {
  return status?.phase === 'Completed' || status?.phase === 'Failed' || status?.phase === 'Skipped';
}

export function decideRun(input: BackupInput): BackupDecision {
  const { backup } = input;
  const { status = {} } = backup;
  if (isEnded(status)) return decide(status, undefined);
  if (status.startTime === undefined) return begin(input, status);
  const { spec } = backup;
  const step = attempt(attemptRecord(status), input.worker, {
    nowMs: input.nowMs,
    name: workerName(backup),
    backoffLimit: spec.backoffLimit,
    timeoutMs: spec.timeoutSeconds * 1_000,
    retryMs: input.settings.workerRetryMs,
    container: 'agent',
  });
  // A member may have moved since: a pod is only created with the addresses of members that serve.
  if (step.is === 'going' && step.action?.do === 'createWorker' && !input.cluster?.isServing) {
    // A pod that was not seen yet may exist: it is waited for.
    if (!input.cluster && !status.worker) return ended(input, status, 'Failed', 'ClusterNotFound', noCluster(backup));
    const message = input.cluster?.message ?? noCluster(backup);
    const late = input.nowMs - (msOf(status.nextAttemptTime ?? status.startTime) ?? 0) > deadlineMs(backup);
    if (late) return ended(input, status, 'Failed', 'ClusterUnavailable', message);
    return waiting(input, status, message);
  }
  return follow(input, status, step);
}

function begin(input: BackupInput, status: EtcdBackupStatus): BackupDecision {
  const { backup, cluster, nowMs } = input;
  const { clusterName } = backup.spec;
  if (cluster === undefined) return ended(input, status, 'Failed', 'ClusterNotFound', noCluster(backup));
  if (cluster.isStopped) {
    return ended(input, status, 'Skipped', 'ClusterStopped', `${clusterName} is stopped: nothing changes in it`);
  }
  if (!cluster.isServing) {
    const waitedMs = nowMs - (msOf(backup.metadata.creationTimestamp) ?? nowMs);
    if (waitedMs <= deadlineMs(backup)) return waiting(input, status, cluster.message);
    return ended(input, status, 'Failed', 'ClusterUnavailable', cluster.message);
  }
  const started: EtcdBackupStatus = {
    ...status,
    phase: 'Running',
    startTime: timestampAt(nowMs),
    keyBase: keyBaseOf(backup, nowMs),
  };
  return decide(working(input, started, 'Working', `backing up ${clusterName}`), 0, {
    events: [event('Normal', 'BackupStarted', `backing up ${clusterName}`)],
  });
}

function noCluster({ spec }: EtcdBackup): string {
  return `there is no EtcdCluster ${spec.clusterName} in this namespace`;
}

function deadlineMs({ spec }: EtcdBackup): number {
  return spec.startingDeadlineSeconds === undefined ? startingMsDefault : spec.startingDeadlineSeconds * 1_000;
}

/** Chosen once: a repeated attempt finds what an earlier one has stored. */
function keyBaseOf({ metadata, spec }: EtcdBackup, nowMs: number): string {
  const time = timestampAt(nowMs).replaceAll(/[-:]|\.\d+/gu, '');
  return `${metadata.namespace ?? 'default'}/${spec.clusterName}/${time}-${metadata.uid.slice(0, 8)}`;
}

export function workerName({ metadata }: Pick<EtcdBackup, 'metadata'>, purpose = 'backup'): string {
  return `${metadata.name}-${purpose}`;
}

function follow(input: BackupInput, status: EtcdBackupStatus, step: AttemptStep): BackupDecision {
  const { settings } = input;
  const next = withAttempt(status, step.record);
  switch (step.is) {
    case 'going': {
      const { progress } = input;
      const shown = progress ? { ...next, progress } : next;
      const action = step.action && { ...step.action, purpose: 'backup' as const };
      const seen = step.record.worker?.uid !== status.worker?.uid;
      const reason = step.isImageMissing ? 'ImageNotPulled' : 'Working';
      const after = step.message === undefined ? shown : working(input, shown, reason, step.message);
      const isNews = step.isImageMissing && findCondition(status.conditions, 'Complete')?.reason !== reason;
      const events = isNews ? [event('Warning', 'ImageNotPulled', step.message ?? '')] : [];
      return decide(after, seen ? 0 : settings.workerLookMs, { ...(action ? { action } : {}), events });
    }
    case 'retrying': {
      const { progress: _, ...rest } = next;
      const message = `attempt ${step.record.attempts} failed: ${step.failure.message}`;
      const action = step.action && { ...step.action, purpose: 'backup' as const };
      return decide(working(input, rest, 'Retrying', message), settings.workerLookMs, {
        ...(action ? { action } : {}),
      });
    }
    case 'failed':
      return ended(input, next, 'Failed', step.failure.code, step.failure.message);
    case 'done': {
      const decision = ended(
        input,
        { ...next, ...stored(step.result) },
        'Completed',
        'Completed',
        'stored and verified',
      );
      return step.action ? { ...decision, action: { ...step.action, purpose: 'backup' } } : decision;
    }
  }
}

function working(
  input: BackupInput,
  status: EtcdBackupStatus,
  reason: BackupReason,
  message: string,
): EtcdBackupStatus {
  return withCondition(status, { type: 'Complete', isTrue: false, reason, message }, generationOf(input));
}

function waiting(input: BackupInput, status: EtcdBackupStatus, message: string): BackupDecision {
  const pending: EtcdBackupStatus = { ...status, phase: status.phase ?? 'Pending' };
  return decide(working(input, pending, 'WaitingForCluster', message), input.settings.workerLookMs);
}

function ended(
  input: BackupInput,
  status: EtcdBackupStatus,
  phase: 'Completed' | 'Failed' | 'Skipped',
  reason: string,
  message: string,
): BackupDecision {
  const { progress: _, ...rest } = status;
  const tookMs = input.nowMs - (msOf(status.startTime) ?? input.nowMs);
  const after = withCondition(
    {
      ...rest,
      phase,
      completionTime: timestampAt(input.nowMs),
      ...(status.startTime === undefined ? {} : { duration: `${Math.round(tookMs / 1_000)}s` }),
    },
    { type: 'Complete', isTrue: phase === 'Completed', reason, message },
    generationOf(input),
  );
  const type = phase === 'Completed' ? 'Normal' : 'Warning';
  return decide(after, undefined, { events: [event(type, `Backup${phase}`, message)] });
}

function stored(result: AgentSuccess): Partial<EtcdBackupStatus> {
  const texts = {
    storagePath: textOf(result, 'key'),
    manifestPath: textOf(result, 'manifestKey'),
    etcdVersion: textOf(result, 'version'),
    etcdRevision: textOf(result, 'revision'),
  };
  const numbers = {
    backupSize: numberOf(result, 'storedSizeBytes'),
    databaseSize: numberOf(result, 'sizeBytes'),
    keys: numberOf(result, 'keys'),
  };
  const checksums = {
    snapshotSha256: textOf(result, 'sha256'),
    storedSha256: textOf(result, 'storedSha256'),
    hash: textOf(result, 'hash'),
    hashKV: textOf(result, 'hashKV'),
  };
  const pruned = textsOf(result, 'pruned');
  return defined({ ...texts, ...numbers, checksums: defined(checksums), ...(pruned.length > 0 ? { pruned } : {}) });
}

function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // Absent and undefined are different in a status.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
