/** What is known about a restore, and the one action that a pass takes. Plain data: everything is decided on it. */
import type { EtcdBackupStatus } from '../../apis/etcd-backup.ts';
import type { EtcdRestore, EtcdRestoreStatus } from '../../apis/etcd-restore.ts';
import type { WorkerProgress } from '../../client/worker/progress.ts';
import type { ClaimFacts, RestoredCluster, Source } from '../../resource/restore-objects.ts';
import type { WorkerFacts } from '../../resource/worker-facts.ts';
import type { WorkerAction } from '../backup/attempt.ts';
import type { BackupSettings, StepDecision } from '../backup/model.ts';

export function isRestoreEnded(status: EtcdRestoreStatus | undefined): boolean {
  return status?.phase === 'Completed' || status?.phase === 'Failed';
}

export interface RestoreFacts {
  readonly source: Source;
  readonly cluster: RestoredCluster | undefined;
  /** Whether clients of the restored cluster have certificates. */
  readonly hasClientTls: boolean;
  readonly worker: WorkerFacts | undefined;
  readonly progress: WorkerProgress | undefined;
  /** The claim of the slot in the status. */
  readonly claim: ClaimFacts | undefined;
  /** Claims of former members that exist, also of those before an earlier restore. */
  readonly parked: readonly ClaimFacts[];
  readonly safety: EtcdBackupStatus | undefined;
}

export interface RestoreInput extends RestoreFacts {
  readonly restore: EtcdRestore;
  readonly nowMs: number;
  readonly settings: BackupSettings;
}

export type RestoreAction =
  | (WorkerAction & { readonly purpose: 'check' | 'prepare' })
  | { readonly do: 'createSafetyBackup'; readonly name: string }
  | { readonly do: 'createCluster' | 'askCluster' | 'releaseCluster' | 'createClaim' }
  | { readonly do: 'deleteCluster'; readonly uid: string }
  | { readonly do: 'deleteClaim'; readonly name: string; readonly uid: string };

export type RestoreDecision = StepDecision<EtcdRestoreStatus, RestoreAction>;
