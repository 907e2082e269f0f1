/** The status of objects whose spec is not valid. A server with the definitions refuses most of them. */
import { type FieldError, timestampAt } from '@ecsm/runtime';
import { EtcdBackup, type EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import { EtcdRestore, type EtcdRestoreStatus } from '../../apis/etcd-restore.ts';
import { isRestoreEnded } from '../restore/decision.ts';
import { withCondition } from './outcome.ts';
import { isEnded } from './run.ts';

/** Undefined if the spec is valid, or the run has ended or is deleted. */
export function invalidBackup(backup: EtcdBackup, nowMs: number): EtcdBackupStatus | undefined {
  const { metadata, status = {} } = backup;
  if (isEnded(status) || metadata.deletionTimestamp !== undefined) return undefined;
  const message = messageOf(EtcdBackup.validate(backup));
  if (message === undefined) return undefined;
  const isRun = backup.spec.schedule === undefined;
  const type = isRun ? 'Complete' : 'Scheduled';
  const of = { generation: metadata.generation ?? 0, nowMs };
  const condition = { type, isTrue: false, reason: 'InvalidSpec', message };
  const failed = { phase: 'Failed', completionTime: timestampAt(nowMs) } as const;
  return withCondition({ ...status, ...(isRun ? failed : {}) }, condition, of);
}

export function invalidRestore(restore: EtcdRestore, nowMs: number): EtcdRestoreStatus | undefined {
  const { metadata, status = {} } = restore;
  // One that has started is brought to its end.
  if (isRestoreEnded(status) || status.step !== undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const message = messageOf(EtcdRestore.validate(restore));
  if (message === undefined) return undefined;
  const of = { generation: metadata.generation ?? 0, nowMs };
  const failed = { ...status, phase: 'Failed', completionTime: timestampAt(nowMs) } as const;
  return withCondition(failed, { type: 'Complete', isTrue: false, reason: 'InvalidSpec', message }, of);
}

function messageOf(errors: readonly FieldError[]): string | undefined {
  return errors.length === 0 ? undefined : errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
}
