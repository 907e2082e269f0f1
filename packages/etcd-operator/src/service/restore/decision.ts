/**
 * The one decision of a pass over a restore. The backup is checked before anything is changed; then the cluster is created,
 * or saved and stopped; its data is prepared in a new volume; its member starts, and is compared. Until then a failure
 * leads back: the former members start again, and a new cluster is deleted.
 */
import { timestampAt } from '@ecsm/runtime';
import type { RestoreReason } from '../../apis/backup-reasons.ts';
import { RUN_NAME_LENGTH_MAX } from '../../apis/backup-rules.ts';
import type { EtcdRestore, EtcdRestoreStatus } from '../../apis/etcd-restore.ts';
import { type RestoredCluster, targetVersion } from '../../resource/restore-objects.ts';
import { canBump } from '../../resource/worker-pods.ts';
import { event } from '../backup/outcome.ts';
import { type AgentSuccess, numberOf, textOf } from '../backup/result.ts';
import { isRestoreEnded, type RestoreDecision, type RestoreInput } from './model.ts';
import { decide, enter, failed, lateness, shown, timedOut, turnBack, whyNoSource, work } from './transition.ts';

/** Finalizer of a restore that is under way: one that is deleted in the middle has to lead back. */
export const RESTORE_FINALIZER = 'etcd.ecsm.sh/restore';

export function nextRestoreStep(input: RestoreInput): RestoreDecision {
  const { status = {}, metadata } = input.restore;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  if (isRestoreEnded(status)) return decide(status, undefined);
  if (isDeleting && isUntouched(status)) return decide(status, undefined, { hold: false });
  if (isDeleting && status.step === 'Growing') return letGo(input, status);
  if (isDeleting && status.step !== 'RollingBack') {
    return turnBack(input, status, 'RestoreDeleted', 'the restore was deleted before it was done');
  }
  switch (status.step) {
    case undefined:
      return begin(input, status);
    case 'Checking':
      return check(input, status);
    case 'SafetyBackup':
      return safetyBackup(input, status);
    case 'Creating':
      return create(input, status);
    case 'Stopping':
      return stop(input, status);
    case 'Preparing':
      return prepare(input, status);
    case 'Starting':
      return start(input, status);
    case 'Growing':
      return grow(input, status);
    case 'RollingBack':
      return rollBack(input, status);
    default:
      return decide(status, undefined);
  }
}

/** Nothing of a cluster was changed yet. */
function isUntouched({ step }: EtcdRestoreStatus): boolean {
  return step === undefined || step === 'Checking' || step === 'SafetyBackup';
}

/** A restore that is deleted after there was no way back: the cluster keeps its data, and goes on alone. */
function letGo({ cluster, settings }: RestoreInput, status: EtcdRestoreStatus): RestoreDecision {
  const isOwn = cluster !== undefined && cluster.uid === status.clusterUID;
  const isAwaited = isOwn && !cluster.isRestored && !cluster.isDeleting && !isGivenUp(cluster);
  if (isAwaited) return decide(status, settings.workerLookMs);
  if (isOwn && cluster.isAsked) return decide(status, 0, { action: { do: 'releaseCluster' } });
  return decide(status, undefined, { hold: false });
}

/** Its annotation was removed before it had taken the data over: it has started the former members. */
function isGivenUp({ isAsked, isRestored, isRestoring }: RestoredCluster): boolean {
  return !isAsked && !isRestored && !isRestoring;
}

function begin(input: RestoreInput, status: EtcdRestoreStatus): RestoreDecision {
  const { restore, source, cluster, nowMs, settings } = input;
  const { spec } = restore;
  if (source.is === 'unfinished') {
    return decide(shown(input, { ...status, phase: 'Pending' }, 'Checking', source.message), settings.workerLookMs);
  }
  if (source.is === 'missing') return failed(input, status, 'BackupNotFound', source.message);
  if (source.is === 'unusable') return failed(input, status, 'BackupNotComplete', source.message);
  if (spec.restoreType === 'New' && cluster) {
    const message = `there is an EtcdCluster ${spec.clusterName}: choose another name, or restoreType Replace`;
    return failed(input, status, 'ClusterExists', message);
  }
  if (spec.restoreType === 'Replace') {
    if (cluster === undefined) {
      return failed(input, status, 'ClusterNotFound', `there is no EtcdCluster ${spec.clusterName} to replace`);
    }
    const why = whyNotReplaceable(input);
    if (why !== undefined) return failed(input, status, 'ClusterNotReplaceable', why);
  }
  const version = targetVersion(input);
  if (spec.revisionBump > 0 && !canBump(version)) {
    const message = `etcd ${version} cannot raise revisions: set revisionBump to 0, or use 3.5.10, 3.4.27 or newer`;
    return failed(input, status, 'BumpNotSupported', message);
  }
  const started = { ...status, phase: 'Running', startTime: timestampAt(nowMs) } as const;
  const owned = cluster ? { ...started, clusterUID: cluster.uid } : started;
  return enter(input, owned, 'Checking', 'the backup is checked', [
    event('Normal', 'RestoreStarted', `restoring into ${spec.clusterName}`),
  ]);
}

function whyNotReplaceable({ cluster, restore }: RestoreInput): string | undefined {
  const { clusterName } = restore.spec;
  if (cluster?.isDeleting) return `${clusterName} is being deleted`;
  if (cluster?.isPaused) return `${clusterName} is paused: set spec.paused to false`;
  if (cluster?.isStopped) return `${clusterName} is stopped: set spec.size to the size that it should have`;
  if (cluster?.isRestoring || cluster?.other !== undefined) return `${clusterName} is being restored already`;
  return undefined;
}

function check(input: RestoreInput, status: EtcdRestoreStatus): RestoreDecision {
  const { restore, cluster } = input;
  return work(input, status, 'check', {
    done: (result) => {
      const facts = factsOf(result);
      if (result.fields['isAuthEnabled'] === true && !input.hasClientTls) {
        return failed(input, { ...status, ...facts }, 'AuthenticationRequired', passwordMessage);
      }
      const next = { ...status, ...facts };
      if (restore.spec.restoreType === 'New') return enter(input, next, 'Creating', 'the cluster is created');
      if (restore.spec.safetyBackup && cluster?.hasQuorum) {
        return enter(input, next, 'SafetyBackup', 'the cluster is backed up before it is stopped');
      }
      return enter(input, next, 'Stopping', 'the members are stopped');
    },
    // Nothing was changed.
    failed: (reason, message) => failed(input, status, reason, message),
  });
}

/** The operator has no password: etcd knows it by its certificate. */
const passwordMessage =
  'the data has authentication enabled, and without TLS etcd would refuse the operator; restore into a cluster with TLS, or disable it in the source (etcdctl auth disable) and back up again';
const userMessage =
  'the data has authentication enabled, and the common name in the certificate of the operator is not a user with the role root in it; add the user in the source and back up again, or use another certificate';

function factsOf(result: AgentSuccess): Partial<EtcdRestoreStatus> {
  const [etcdVersion, etcdRevision] = [textOf(result, 'version'), textOf(result, 'revision')];
  const [keys, backupSize] = [numberOf(result, 'keys'), numberOf(result, 'sizeBytes')];
  const [snapshotSha256, databaseSha256] = [textOf(result, 'sha256'), textOf(result, 'databaseSha256')];
  return {
    ...(etcdVersion === undefined ? {} : { etcdVersion }),
    ...(etcdRevision === undefined ? {} : { etcdRevision }),
    ...(keys === undefined ? {} : { keys }),
    ...(backupSize === undefined ? {} : { backupSize }),
    ...(snapshotSha256 === undefined ? {} : { snapshotSha256 }),
    ...(databaseSha256 === undefined ? {} : { databaseSha256 }),
  };
}

function safetyBackup(input: RestoreInput, status: EtcdRestoreStatus): RestoreDecision {
  const { restore, safety, settings } = input;
  if (status.safetyBackup === undefined) return decide({ ...status, safetyBackup: safetyBackupName(restore) }, 0);
  if (safety === undefined) {
    const problem = whyNoSource(input);
    if (problem) return failed(input, status, problem.reason, problem.message);
    const late = lateness(input, status);
    if (late !== undefined) return failed(input, status, 'StepTimeout', late);
    return decide(status, settings.workerLookMs, { action: { do: 'createSafetyBackup', name: status.safetyBackup } });
  }
  if (safety.phase === 'Completed') return enter(input, status, 'Stopping', 'the members are stopped');
  if (safety.phase === 'Failed' || safety.phase === 'Skipped') {
    const message = `${status.safetyBackup}: ${safety.message ?? safety.phase}; set safetyBackup to false to go on without`;
    return failed(input, status, 'SafetyBackupFailed', message);
  }
  return decide(shown(input, status, 'SafetyBackup', `waiting for ${status.safetyBackup}`), settings.workerLookMs);
}

/**
 * With the uid: the safety backup outlives its restore, and must not be taken for that of a later restore with the same
 * name.
 */
function safetyBackupName({ metadata: { name, uid } }: EtcdRestore): string {
  const suffix = `-safety-${uid.slice(0, 8)}`;
  return `${name.slice(0, RUN_NAME_LENGTH_MAX - suffix.length).replace(/[-.]+$/u, '')}${suffix}`;
}

/** A new cluster, which waits for its data. */
function create(input: RestoreInput, status: EtcdRestoreStatus): RestoreDecision {
  const { cluster, restore, settings } = input;
  if (cluster === undefined) {
    if (status.clusterUID !== undefined) return failed(input, status, 'ClusterChanged', 'the cluster was deleted');
    const late = timedOut(input, status);
    if (late) return late;
    return decide(shown(input, status, 'Creating', 'the cluster is created'), settings.workerLookMs, {
      action: { do: 'createCluster' },
    });
  }
  if (!cluster.isAsked) {
    const message = `an EtcdCluster ${restore.spec.clusterName} was created by something else`;
    return failed(input, status, 'ClusterExists', message);
  }
  if (status.clusterUID === undefined) return decide({ ...status, clusterUID: cluster.uid }, 0);
  return awaitCluster(input, status, 'Creating');
}

function stop(input: RestoreInput, status: EtcdRestoreStatus): RestoreDecision {
  const { cluster, settings } = input;
  const why = whyChanged(input, status);
  if (why !== undefined) return failed(input, status, 'ClusterChanged', why);
  if (!cluster?.isAsked) {
    const cannot = whyNotReplaceable(input);
    if (cannot !== undefined) return failed(input, status, 'ClusterNotReplaceable', cannot);
    const late = lateness(input, status);
    if (late !== undefined) return failed(input, status, 'StepTimeout', late);
    return decide(shown(input, status, 'Stopping', 'the members are stopped'), settings.workerLookMs, {
      action: { do: 'askCluster' },
    });
  }
  return awaitCluster(input, status, 'Stopping');
}

/** Until nothing runs, and the slot of the restored member is known. */
function awaitCluster(input: RestoreInput, status: EtcdRestoreStatus, reason: RestoreReason): RestoreDecision {
  const { cluster, settings } = input;
  if (cluster?.restore?.phase === 'Waiting') {
    return enter(input, { ...status, slot: cluster.restore.slot }, 'Preparing', 'the data is restored into a volume');
  }
  const late = timedOut(input, status);
  if (late) return late;
  const message = cluster?.unsettled ?? 'waiting for the cluster';
  return decide(shown(input, status, reason, message), settings.workerLookMs);
}

function prepare(input: RestoreInput, status: EtcdRestoreStatus): RestoreDecision {
  const { claim, cluster, settings } = input;
  const why = whyChanged(input, status) ?? (cluster?.restore === undefined ? 'the cluster has given it up' : undefined);
  if (why !== undefined) return turnBack(input, status, 'ClusterChanged', why);
  if (status.volumeUID === undefined) {
    if (claim === undefined) {
      // The members are stopped: they do not wait for ever for a volume that a quota does not allow.
      const late = timedOut(input, status);
      if (late) return late;
      return decide(shown(input, status, 'Preparing', 'a volume is created'), settings.workerLookMs, {
        action: { do: 'createClaim' },
      });
    }
    if (!claim.isOurs)
      return turnBack(input, status, 'ClusterChanged', `the volume ${claim.name} belongs to something else`);
    return decide({ ...status, volumeUID: claim.uid }, 0);
  }
  if (claim === undefined || claim.uid !== status.volumeUID || claim.isDeleting) {
    return turnBack(input, status, 'ClusterChanged', 'the volume for the restored data was deleted');
  }
  return work(input, status, 'prepare', {
    done: () => enter(input, status, 'Starting', 'a member is started with the restored data'),
    failed: (reason, message) => turnBack(input, status, reason, message),
  });
}

function start(input: RestoreInput, status: EtcdRestoreStatus): RestoreDecision {
  const { cluster, restore, settings } = input;
  const why = whyChanged(input, status) ?? (cluster?.restore === undefined ? 'the cluster has given it up' : undefined);
  if (why !== undefined) return turnBack(input, status, 'ClusterChanged', why);
  if (cluster?.isDenied) return turnBack(input, status, 'AuthenticationRequired', userMessage);
  const revision = cluster?.restore?.revision;
  if (revision === undefined) {
    const late = timedOut(input, status);
    if (late) return late;
    const message = cluster?.unsettled ?? 'waiting for the restored member';
    return decide(shown(input, status, 'Starting', message), settings.workerLookMs);
  }
  const least = BigInt(status.etcdRevision ?? '0') + BigInt(restore.spec.revisionBump);
  if (BigInt(revision) < least) {
    const message = `the restored member has the revision ${revision}, and ${least} is the least that it may have`;
    return turnBack(input, status, 'RevisionTooLow', message);
  }
  const keys = cluster?.restore?.keys;
  if (keys !== undefined && status.keys !== undefined && keys !== status.keys) {
    const message = `the restored member has ${keys} keys, and the backup has ${status.keys}`;
    return turnBack(input, status, 'KeysDiffer', message);
  }
  const parkedVolumes = cluster?.former ?? [];
  const parked = parkedVolumes.length > 0 ? { parkedVolumes } : {};
  return enter(input, { ...status, restoredRevision: revision, ...parked }, 'Growing', 'the other members join');
}

/** There is no way back: clients may write. */
function grow(input: RestoreInput, status: EtcdRestoreStatus): RestoreDecision {
  const { cluster, restore, parked, settings } = input;
  const why = whyChanged(input, status);
  if (why !== undefined) return failed(input, status, 'ClusterChanged', why);
  if (cluster && isGivenUp(cluster)) return failed(input, status, 'ClusterChanged', 'the cluster has given it up');
  if (!cluster?.isRestored || cluster.unsettled !== undefined) {
    const message = cluster?.unsettled ?? 'waiting for the cluster';
    return decide(shown(input, status, 'Growing', message), settings.workerLookMs);
  }
  // Volumes that an earlier restore has parked are not of this one.
  const [next] = parked.filter(({ name, isDeleting }) => !isDeleting && status.parkedVolumes?.includes(name));
  if (restore.spec.parkedVolumes === 'Delete' && next) {
    const { name, uid } = next;
    return decide(status, 0, { action: { do: 'deleteClaim', name, uid } });
  }
  if (cluster.isAsked) return decide(status, 0, { action: { do: 'releaseCluster' } });
  const kept = parked.filter(({ isDeleting }) => !isDeleting).map(({ name }) => name);
  const message = `${restore.spec.clusterName} runs with the restored data`;
  const { parkedVolumes: _, ...rest } = status;
  const done = { ...rest, phase: 'Completed', step: 'Done', completionTime: timestampAt(input.nowMs) } as const;
  const after = kept.length > 0 ? { ...done, parkedVolumes: kept } : done;
  return decide(shown(input, after, 'Completed', message, true), undefined, {
    events: [event('Normal', 'RestoreCompleted', message)],
  });
}

/** The cluster starts its former members; what the restore has created is deleted. */
function rollBack(input: RestoreInput, status: EtcdRestoreStatus): RestoreDecision {
  const { cluster, claim, worker, restore, settings } = input;
  const again = (message: string) => decide({ ...status, message }, settings.workerLookMs);
  if (worker?.isOurs && !worker.isDeleting) {
    const action = { do: 'deleteWorker', name: worker.name, uid: worker.uid, purpose: 'prepare' } as const;
    return decide(status, settings.workerLookMs, { action });
  }
  if (worker?.isOurs) return again(`waiting until pod ${worker.name} is stopped`);
  const isOwn = cluster !== undefined && cluster.uid === status.clusterUID;
  if (isOwn && cluster.isAsked && restore.spec.restoreType === 'New') {
    if (cluster.isDeleting) return again('waiting until the new cluster is deleted');
    return decide(status, settings.workerLookMs, { action: { do: 'deleteCluster', uid: cluster.uid } });
  }
  if (isOwn && cluster.restore !== undefined) return again('the former members are started again');
  if (isOwn && cluster.isAsked) return decide(status, 0, { action: { do: 'releaseCluster' } });
  if (claim && claim.uid === status.volumeUID && !claim.isDeleting) {
    const { name, uid } = claim;
    return decide(status, 0, { action: { do: 'deleteClaim', name, uid } });
  }
  const condition = status.conditions?.find(({ type }) => type === 'Complete');
  return failed(input, status, condition?.reason ?? 'RollingBack', condition?.message ?? status.message ?? '');
}

function whyChanged({ cluster }: RestoreInput, status: EtcdRestoreStatus): string | undefined {
  if (cluster === undefined) return 'the cluster was deleted';
  if (cluster.uid !== status.clusterUID) return 'the cluster was deleted and created again';
  return cluster.isDeleting ? 'the cluster is being deleted' : undefined;
}
