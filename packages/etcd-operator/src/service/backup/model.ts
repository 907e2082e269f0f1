/** What is known about a backup, and the one action that a pass takes. Plain data: everything is decided on it. */
import type { BackupReason } from '../../apis/backup-reasons.ts';
import type { EtcdBackup, EtcdBackupSpec, EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import type { EtcdEndpoint } from '../../client/etcd/contract.ts';
import type { WorkerFacts } from '../../resource/worker-facts.ts';
import type { WorkerAction } from './attempt.ts';

/** The cluster, as far as a backup depends on it. */
export interface ClusterView {
  readonly uid: string;
  readonly clusterId: string | undefined;
  readonly isStopped: boolean;
  readonly isServing: boolean;
  /** Members that serve, the best one to ask first. */
  readonly endpoints: readonly EtcdEndpoint[];
  /** Why it does not serve. */
  readonly message: string;
}

/** A run of a schedule. */
export interface ChildFacts {
  readonly name: string;
  readonly uid: string;
  readonly isDeleting: boolean;
  readonly createdAtMs: number;
  readonly status: EtcdBackupStatus | undefined;
}

export interface Progress {
  readonly step?: string;
  readonly bytes?: number;
  readonly totalBytes?: number;
}

export interface BackupSettings {
  /** Between looks at a worker that works. Default 2,000. */
  readonly workerLookMs: number;
  /** Before the second attempt. Default 10,000. */
  readonly workerRetryMs: number;
}

export interface BackupInput {
  readonly backup: EtcdBackup;
  readonly nowMs: number;
  readonly cluster: ClusterView | undefined;
  /** The pod that the status names. */
  readonly worker: WorkerFacts | undefined;
  readonly progress: Progress | undefined;
  /** The pod of the rehearsal. */
  readonly rehearsal: WorkerFacts | undefined;
  /** Of a schedule; by time of creation, oldest first. */
  readonly children: readonly ChildFacts[];
  readonly settings: BackupSettings;
}

export type WorkerPurpose = 'backup' | 'prune' | 'rehearsal';

export type BackupAction =
  | (WorkerAction & { readonly purpose: WorkerPurpose })
  | { readonly do: 'createChild'; readonly name: string }
  | { readonly do: 'deleteChild'; readonly name: string; readonly uid: string }
  | { readonly do: 'addFinalizer' | 'removeFinalizer' };

export interface BackupEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface BackupDecision {
  /** Written before the action. */
  readonly status: EtcdBackupStatus;
  readonly action?: BackupAction;
  readonly events: readonly BackupEvent[];
  /** Undefined: only after a change. */
  readonly requeueAfterMs: number | undefined;
}

export type { BackupReason, EtcdBackupSpec };
