/** Restores: what a pass does next, and what it says about what happened. */
import { type Decision, type FieldError, type Happened, type Report, timestampAt } from '@ecsm/runtime';
import type { EtcdRestore, EtcdRestoreStatus } from '../../apis/etcd-restore.ts';
import type { BackupSettings } from '../backup/model.ts';
import { invalidMessage, planned, refusedReport, withCondition, withEnding } from '../backup/outcome.ts';
import { nextRestoreStep } from './decision.ts';
import { isRestoreEnded, type RestoreAction, type RestoreFacts } from './model.ts';

export class RestoreService {
  readonly #settings: BackupSettings;

  constructor(settings: BackupSettings) {
    this.#settings = settings;
  }

  decide(restore: EtcdRestore, facts: RestoreFacts, nowMs: number): Decision<EtcdRestoreStatus, RestoreAction> {
    return planned(nextRestoreStep({ ...facts, restore, nowMs, settings: this.#settings }), this.#settings);
  }

  /** Undefined if there is nothing to say. */
  report(
    restore: EtcdRestore,
    happened: Happened<EtcdRestoreStatus, RestoreAction, unknown>,
    nowMs: number,
  ): Report<EtcdRestoreStatus> | undefined {
    if (happened.is === 'invalid') return invalid(restore, happened.errors, nowMs);
    const { is, step, message } = happened;
    if (is !== 'refused' || step === undefined) return undefined;
    const { status = {} } = restore;
    const after = step.do === 'createWorker' ? withEnding(status, message) : status;
    return refusedReport(after, step.do, message, this.#settings);
  }
}

/** One that has started is brought to its end. */
function invalid(
  { metadata, status = {} }: EtcdRestore,
  errors: readonly FieldError[],
  nowMs: number,
): Report<EtcdRestoreStatus> | undefined {
  if (isRestoreEnded(status) || status.step !== undefined) return undefined;
  const of = { generation: metadata.generation ?? 0, nowMs };
  const failed = { ...status, phase: 'Failed', completionTime: timestampAt(nowMs) } as const;
  const message = invalidMessage(errors);
  return { status: withCondition(failed, { type: 'Complete', isTrue: false, reason: 'InvalidSpec', message }, of) };
}
