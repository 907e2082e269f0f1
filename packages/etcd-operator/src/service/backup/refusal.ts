/**
 * Actions that Kubernetes refuses: by a quota, by a policy, in a namespace that is being deleted, or because of a value that
 * only it checks. A refused pod is a failed attempt, so that it ends like any other: nothing else would.
 */
import { isApiError } from '@ecsm/runtime';
import type { EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import type { EtcdRestoreStatus } from '../../apis/etcd-restore.ts';
import type { RestoreDecision } from '../restore/model.ts';
import type { BackupDecision, BackupEvent } from './model.ts';
import { event } from './outcome.ts';

/** Undefined for other errors. */
export function refusalOf(error: unknown): string | undefined {
  const isRefusal = isApiError(error, 'Forbidden') || isApiError(error, 'Invalid') || isApiError(error, 'BadRequest');
  return isRefusal ? error.message : undefined;
}

/** The status after the action of the decision was refused. */
export function refusedBackup({ action, status }: BackupDecision, refusal: string): EtcdBackupStatus {
  if (action?.do !== 'createWorker') return status;
  if (action.purpose !== 'rehearsal') return withEnding(status, refusal);
  return status.rehearsal ? { ...status, rehearsal: withEnding(status.rehearsal, refusal) } : status;
}

export function refusedRestore({ action, status }: RestoreDecision, refusal: string): EtcdRestoreStatus {
  return action?.do === 'createWorker' ? withEnding(status, refusal) : status;
}

export function refusedEvent(action: string, refusal: string): BackupEvent {
  return event('Warning', 'ActionRefused', `${action}: ${refusal}`);
}

function withEnding<Status extends Pick<EtcdBackupStatus, 'worker'>>(status: Status, refusal: string): Status {
  const { worker } = status;
  return worker ? { ...status, worker: { ...worker, ending: refusal } } : status;
}
