/** What is known about a backup, and the one action that a pass takes. Plain data: everything is decided on it. */
import type { PlannedEvent } from '@ecsm/runtime';
import type { EtcdBackup, EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import type { WorkerProgress } from '../../client/worker/progress.ts';
import type { ChildFacts, ClusterView } from '../../resource/backup-objects.ts';
import type { WorkerFacts } from '../../resource/worker-facts.ts';
import type { WorkerAction } from './attempt.ts';

export interface BackupSettings {
  /** Between looks at a worker that works. Default 2,000. */
  readonly workerLookMs: number;
  /** Before the second attempt. Default 10,000. */
  readonly workerRetryMs: number;
}

export interface BackupFacts {
  readonly cluster: ClusterView | undefined;
  /** The pod that the status names. */
  readonly worker: WorkerFacts | undefined;
  readonly progress: WorkerProgress | undefined;
  /** The pod of the rehearsal. */
  readonly rehearsal: WorkerFacts | undefined;
  /** Of a schedule; by time of creation, oldest first. */
  readonly children: readonly ChildFacts[];
}

export interface BackupInput extends BackupFacts {
  readonly backup: EtcdBackup;
  readonly nowMs: number;
  readonly settings: BackupSettings;
}

export type BackupAction =
  | (WorkerAction & { readonly purpose: 'backup' | 'prune' | 'rehearsal' })
  | { readonly do: 'createChild'; readonly name: string }
  | { readonly do: 'deleteChild'; readonly name: string; readonly uid: string };

/** What a pass decides on. */
export interface StepDecision<Status, Action> {
  /** Written before the action. */
  readonly status: Status;
  readonly action?: Action;
  readonly events: readonly PlannedEvent[];
  /** Whether the finalizer is needed. Default true; false: it is removed after the action. */
  readonly hold?: boolean;
  /** Undefined: after a change, and a while after an action. */
  readonly requeueAfterMs: number | undefined;
}

export type BackupDecision = StepDecision<EtcdBackupStatus, BackupAction>;
