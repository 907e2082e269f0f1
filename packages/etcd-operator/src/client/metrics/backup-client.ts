/** The metrics of backups, for Prometheus. */
import type { MetricRegistry } from '@ecsm/runtime';
import { Measured } from './measured.ts';

/** `backup` is the schedule, or the name of a run without one. */
export interface BackupLabels {
  readonly namespace: string;
  readonly backup: string;
}

/** Undefined values are not known and have no metric. */
interface BackupMetrics {
  readonly lastSuccessMs?: number;
  readonly sizeBytes?: number;
  readonly durationSeconds?: number;
  readonly rehearsalMs?: number;
  readonly isRehearsalPassed?: boolean;
}

const labels = ['namespace', 'backup'] as const;

export class BackupMetricsClient {
  readonly #gauges;
  readonly #measured;

  constructor(metrics: MetricRegistry) {
    const gauge = (name: string, help: string) => metrics.gauge({ name: `etcd_backup_${name}`, help, labels });
    this.#gauges = {
      lastSuccess: gauge('last_success_timestamp_seconds', 'When the last backup was stored and verified.'),
      size: gauge('size_bytes', 'Size of the last backup as stored.'),
      duration: gauge('duration_seconds', 'How long the last backup took.'),
      rehearsal: gauge('rehearsal_timestamp_seconds', 'When the last rehearsal ended.'),
      passed: gauge('rehearsal_passed', '1 if the last rehearsal passed, else 0.'),
    };
    this.#measured = new Measured(Object.values(this.#gauges));
  }

  set(of: BackupLabels, values: BackupMetrics): void {
    if (!this.#measured.admits(of)) return;
    const { lastSuccess, size, duration, rehearsal, passed } = this.#gauges;
    if (values.lastSuccessMs !== undefined) lastSuccess.with(of).set(values.lastSuccessMs / 1_000);
    if (values.sizeBytes !== undefined) size.with(of).set(values.sizeBytes);
    if (values.durationSeconds !== undefined) duration.with(of).set(values.durationSeconds);
    if (values.rehearsalMs !== undefined) rehearsal.with(of).set(values.rehearsalMs / 1_000);
    if (values.isRehearsalPassed !== undefined) passed.with(of).set(Number(values.isRehearsalPassed));
  }

  remove(of: BackupLabels): void {
    this.#measured.remove(of);
  }

  /** This process leads no more. */
  pause(): void {
    this.#measured.pause();
  }

  resume(): void {
    this.#measured.resume();
  }
}
