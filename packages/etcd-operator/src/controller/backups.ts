/**
 * The controllers of backups and restores. A pass observes, decides, writes the intent into the status, and acts; it runs
 * after a change of the object, of a run of a schedule, and from time to time while a pod works.
 */
import {
  type ApiObject,
  Controller,
  deepEqual,
  type EventRecorder,
  isApiError,
  type Kind,
  type Log,
  ownedBy,
  type Reconcile,
  type ReconcileContext,
  type StandardMetrics,
} from '@ecsm/runtime';
import { EtcdBackup, type EtcdBackupSpec, type EtcdBackupStatus } from '../apis/etcd-backup.ts';
import { EtcdRestore, type EtcdRestoreSpec, type EtcdRestoreStatus } from '../apis/etcd-restore.ts';
import { pacedProgress } from '../client/worker/progress.ts';
import { BackupService, type BackupServiceOptions, nextBackupStep } from '../service/backup/backup.ts';
import { invalidBackup, invalidRestore } from '../service/backup/invalid.ts';
import type { BackupEvent } from '../service/backup/model.ts';
import type { BackupMonitoring } from '../service/backup/monitoring.ts';
import { refusedBackup, refusedEvent, refusedRestore } from '../service/backup/refusal.ts';
import { nextRestoreStep } from '../service/restore/decision.ts';
import { RestoreService } from '../service/restore/restore.ts';

export interface BackupControllersOptions {
  readonly service: Omit<BackupServiceOptions, 'registry'>;
  readonly events: () => EventRecorder | undefined;
  readonly monitoring: BackupMonitoring;
  readonly namespace?: string;
  readonly workers: number;
  readonly log: Log;
  readonly metrics?: StandardMetrics;
}

export function createBackupControllers(given: BackupControllersOptions) {
  const { namespace, workers, log, metrics, service } = given;
  const progress = pacedProgress(service.progress, service.clock, service.settings.workerLookMs);
  const options = { ...given, service: { ...service, progress } };
  const common = {
    workers,
    log,
    ...(namespace === undefined ? {} : { namespace }),
    ...(metrics ? { metrics } : {}),
  };
  return [
    new Controller({
      ...common,
      name: 'backup',
      kind: EtcdBackup,
      reconcile: backupPass(options),
      watches: [{ kind: EtcdBackup, map: ownedBy(EtcdBackup) }],
    }),
    new Controller({ ...common, name: 'restore', kind: EtcdRestore, reconcile: restorePass(options) }),
  ] as const;
}

function backupPass({
  service,
  events,
  monitoring,
}: BackupControllersOptions): Reconcile<EtcdBackupSpec, EtcdBackupStatus> {
  return async ({ namespace, name }, context) => {
    const backup = await context.get();
    if (backup === undefined) {
      monitoring.forget({ namespace, backup: name });
      return undefined;
    }
    monitoring.observed(backup);
    const invalid = invalidBackup(backup, service.clock.now());
    const lookMs = service.settings.workerLookMs;
    if (invalid) {
      return (await writeStatus(EtcdBackup, context, backup, invalid)) ? undefined : { requeueAfterMs: lookMs };
    }
    const backups = new BackupService({ ...service, registry: context.registry });
    const observed = await backups.observe(backup);
    const decision = nextBackupStep(observed.input);
    const written = await writeStatus(EtcdBackup, context, backup, decision.status);
    if (written === undefined) return { requeueAfterMs: lookMs };
    report(events(), backup, decision.events);
    if (decision.action) {
      await context.registry.checkFence();
      const refusal = await backups.perform(observed, decision);
      if (refusal !== undefined) {
        report(events(), backup, [refusedEvent(decision.action.do, refusal)]);
        await writeStatus(EtcdBackup, context, written, refusedBackup(decision, refusal));
        // The change that would allow it is not one of this object.
        return { requeueAfterMs: service.settings.workerRetryMs };
      }
      context.log.write('info', 'backup: action taken', { action: decision.action.do });
      // What it acted on was gone, or that was a stale read: also after the last action the next pass finds out.
      return { requeueAfterMs: decision.requeueAfterMs ?? lookMs };
    }
    return resultOf(decision.requeueAfterMs);
  };
}

function restorePass({ service, events }: BackupControllersOptions): Reconcile<EtcdRestoreSpec, EtcdRestoreStatus> {
  return async (_request, context) => {
    const restore = await context.get();
    if (restore === undefined) return undefined;
    const invalid = invalidRestore(restore, service.clock.now());
    const lookMs = service.settings.workerLookMs;
    if (invalid) {
      return (await writeStatus(EtcdRestore, context, restore, invalid)) ? undefined : { requeueAfterMs: lookMs };
    }
    const restores = new RestoreService({ ...service, registry: context.registry });
    const observed = await restores.observe(restore);
    const decision = nextRestoreStep(observed.input);
    const written = await writeStatus(EtcdRestore, context, restore, decision.status);
    if (written === undefined) return { requeueAfterMs: lookMs };
    report(events(), restore, decision.events);
    if (decision.action) {
      await context.registry.checkFence();
      const refusal = await restores.perform(observed, decision);
      if (refusal !== undefined) {
        report(events(), restore, [refusedEvent(decision.action.do, refusal)]);
        await writeStatus(EtcdRestore, context, written, refusedRestore(decision, refusal));
        // The change that would allow it is not one of this object.
        return { requeueAfterMs: service.settings.workerRetryMs };
      }
      context.log.write('info', 'restore: action taken', { action: decision.action.do });
      // What it acted on was gone, or that was a stale read: also after the last action the next pass finds out.
      return { requeueAfterMs: decision.requeueAfterMs ?? lookMs };
    }
    return resultOf(decision.requeueAfterMs);
  };
}

function resultOf(requeueAfterMs: number | undefined) {
  return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
}

function report(
  recorder: EventRecorder | undefined,
  about: Parameters<EventRecorder['record']>[0],
  events: readonly BackupEvent[],
): void {
  for (const { type, reason, message } of events) recorder?.record(about, type, reason, message);
}

/**
 * The intent is written before the act, on the version that was read: what is decided on a stale read is refused here.
 * Returns what was written; undefined if the object is gone, or if that was a stale read: the next pass finds out.
 */
async function writeStatus<Spec, Status, SpecInput, StatusInput>(
  kind: Kind<Spec, Status, SpecInput, StatusInput>,
  { registry }: ReconcileContext<Spec, Status>,
  object: ApiObject<Spec, Status>,
  status: Status & StatusInput,
): Promise<ApiObject<Spec, Status> | undefined> {
  if (deepEqual(object.status, status)) return object;
  const { metadata } = object;
  const { resourceVersion } = metadata;
  try {
    return await registry.resource(kind).updateStatus({ metadata, status }, { resourceVersion });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
    return undefined;
  }
}
