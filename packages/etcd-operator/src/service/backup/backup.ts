/** Backups: what a pass does next, and what it says about what happened. */
import { type Decision, type FieldError, type Happened, type Report, timestampAt } from '@ecsm/runtime';
import type { EtcdBackup, EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import { nextBackupStep } from './decision.ts';
import type { BackupAction, BackupFacts, BackupSettings } from './model.ts';
import { invalidMessage, planned, refusedReport, withCondition, withEnding } from './outcome.ts';
import { isEnded } from './run.ts';

export class BackupService {
  readonly #settings: BackupSettings;

  constructor(settings: BackupSettings) {
    this.#settings = settings;
  }

  decide(backup: EtcdBackup, facts: BackupFacts, nowMs: number): Decision<EtcdBackupStatus, BackupAction> {
    return planned(nextBackupStep({ ...facts, backup, nowMs, settings: this.#settings }), this.#settings);
  }

  /** Undefined if there is nothing to say. */
  report(
    backup: EtcdBackup,
    happened: Happened<EtcdBackupStatus, BackupAction, unknown>,
    nowMs: number,
  ): Report<EtcdBackupStatus> | undefined {
    if (happened.is === 'invalid') return invalid(backup, happened.errors, nowMs);
    const { is, step, message } = happened;
    if (is !== 'refused' || step === undefined) return undefined;
    return refusedReport(refused(backup.status ?? {}, step, message), step.do, message, this.#settings);
  }
}

/** A run that has ended stays as it is. */
function invalid(
  { metadata, spec, status = {} }: EtcdBackup,
  errors: readonly FieldError[],
  nowMs: number,
): Report<EtcdBackupStatus> | undefined {
  if (isEnded(status)) return undefined;
  const isRun = spec.schedule === undefined;
  const type = isRun ? 'Complete' : 'Scheduled';
  const of = { generation: metadata.generation ?? 0, nowMs };
  const condition = { type, isTrue: false, reason: 'InvalidSpec', message: invalidMessage(errors) };
  const failed = { phase: 'Failed', completionTime: timestampAt(nowMs) } as const;
  return { status: withCondition({ ...status, ...(isRun ? failed : {}) }, condition, of) };
}

function refused(status: EtcdBackupStatus, step: BackupAction, message: string): EtcdBackupStatus {
  if (step.do !== 'createWorker') return status;
  if (step.purpose !== 'rehearsal') return withEnding(status, message);
  return status.rehearsal ? { ...status, rehearsal: withEnding(status.rehearsal, message) } : status;
}
