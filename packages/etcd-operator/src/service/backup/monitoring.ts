/** Metrics of schedules: when the last backup succeeded, how large it is, and whether it could be restored. */
import type { EtcdBackup } from '../../apis/etcd-backup.ts';
import type { BackupLabels, BackupMetricsClient } from '../../client/metrics/backup-client.ts';
import { msOf } from './outcome.ts';

export class BackupMonitoring {
  readonly #metrics: BackupMetricsClient | undefined;

  constructor(metrics: BackupMetricsClient | undefined) {
    this.#metrics = metrics;
  }

  /** Runs of a schedule are counted there. */
  observed({ metadata, spec, status }: EtcdBackup): void {
    const isRun = spec.schedule === undefined;
    if (status === undefined || (isRun && metadata.ownerReferences?.length)) return;
    const { namespace = '', name } = metadata;
    const { completionTime, lastSuccessfulTime, backupSize, duration, rehearsal, phase } = status;
    const success = isRun ? (phase === 'Completed' ? completionTime : undefined) : lastSuccessfulTime;
    if (success === undefined && rehearsal?.time === undefined) return;
    const [lastSuccessMs, rehearsalMs] = [msOf(success), msOf(rehearsal?.time)];
    this.#metrics?.set(
      { namespace, backup: name },
      {
        ...(lastSuccessMs === undefined ? {} : { lastSuccessMs }),
        ...(backupSize === undefined ? {} : { sizeBytes: backupSize }),
        ...(duration === undefined ? {} : { durationSeconds: Number.parseInt(duration, 10) }),
        ...(rehearsalMs === undefined ? {} : { rehearsalMs }),
        ...(rehearsal?.result === undefined ? {} : { isRehearsalPassed: rehearsal.result === 'Passed' }),
      },
    );
  }

  forget(of: BackupLabels): void {
    this.#metrics?.remove(of);
  }
}
