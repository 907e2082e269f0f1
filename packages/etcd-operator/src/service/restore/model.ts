/** What is known about a restore, and the one action that a pass takes. Plain data: everything is decided on it. */
import type { EtcdBackupSpec, EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import type { EtcdRestore, EtcdRestoreStatus } from '../../apis/etcd-restore.ts';
import type { WorkerFacts } from '../../resource/worker-facts.ts';
import type { WorkerAction } from '../backup/attempt.ts';
import type { BackupEvent, BackupSettings, Progress } from '../backup/model.ts';

/** What is restored. */
export type Source =
  | {
      readonly is: 'found';
      readonly place: Pick<EtcdBackupSpec, 'storageType' | 's3' | 'volume'>;
      readonly encryption: EtcdBackupSpec['encryption'];
      /** Of the manifest, or of a bare snapshot. */
      readonly key: string;
      readonly recorded: EtcdBackupStatus | undefined;
    }
  | { readonly is: 'missing' | 'unfinished' | 'unusable'; readonly message: string };

export interface RestoredCluster {
  readonly uid: string;
  /** Whether its annotation names this restore. */
  readonly isAsked: boolean;
  /** Of another restore, that its annotation names. */
  readonly other: string | undefined;
  readonly isDeleting: boolean;
  readonly isPaused: boolean;
  readonly isStopped: boolean;
  readonly hasQuorum: boolean;
  /** Undefined if it is as its spec says. */
  readonly unsettled: string | undefined;
  readonly isDenied: boolean;
  /** Without `v`. */
  readonly version: string;
  /** What it has written about this restore. */
  readonly restore:
    | { readonly phase: string; readonly slot: number; readonly revision?: string; readonly keys?: number }
    | undefined;
  /** Whether it has written about any restore. */
  readonly isRestoring: boolean;
  /** Whether it runs with the data of this restore. */
  readonly isRestored: boolean;
  /** Claims of the members that this restore has stopped, until its data is confirmed. */
  readonly former: readonly string[];
  readonly parked: readonly { readonly claim: string; readonly uid: string }[];
}

export interface ClaimFacts {
  readonly name: string;
  readonly uid: string;
  readonly isOurs: boolean;
  readonly isDeleting: boolean;
}

export interface RestoreInput {
  readonly restore: EtcdRestore;
  readonly nowMs: number;
  readonly source: Source;
  readonly cluster: RestoredCluster | undefined;
  /** Whether clients of the restored cluster have certificates. */
  readonly hasClientTls: boolean;
  readonly worker: WorkerFacts | undefined;
  readonly progress: Progress | undefined;
  /** The claim of the slot in the status. */
  readonly claim: ClaimFacts | undefined;
  /** Claims of former members that exist, also of those before an earlier restore. */
  readonly parked: readonly ClaimFacts[];
  readonly safety: EtcdBackupStatus | undefined;
  readonly settings: BackupSettings;
}

export type RestoreAction =
  | (WorkerAction & { readonly purpose: 'check' | 'prepare' })
  | { readonly do: 'createSafetyBackup'; readonly name: string }
  | {
      readonly do:
        | 'createCluster'
        | 'askCluster'
        | 'releaseCluster'
        | 'createClaim'
        | 'addFinalizer'
        | 'removeFinalizer';
    }
  | { readonly do: 'deleteCluster'; readonly uid: string }
  | { readonly do: 'deleteClaim'; readonly name: string; readonly uid: string };

export interface RestoreDecision {
  readonly status: EtcdRestoreStatus;
  readonly action?: RestoreAction;
  readonly events: readonly BackupEvent[];
  readonly requeueAfterMs: number | undefined;
}
