/**
 * What an agent does, and what it reports: the seam between the operator and the pods in which backups and restores run. A job
 * is one JSON document without secrets; credentials and keys are files of the pod.
 */
import type { EtcdEndpoint } from '../client/etcd/contract.ts';
import type { Destination } from '../client/storage/contract.ts';
import type { BackupSource, Compression } from '../snapshot/manifest.ts';
import type { RetentionPolicy } from '../snapshot/retention.ts';

/** The environment variable with the job. */
export const jobVariable = 'AGENT_JOB';
/** The environment variable with the path of the result. Default: `/dev/termination-log`. */
export const resultVariable = 'AGENT_RESULT_FILE';
/** What Kubernetes keeps of a termination message. */
export const resultBytesMax = 4096;
/** Names of files with certificates, in PEM. */
export const tlsFiles = { ca: 'ca.crt', cert: 'tls.crt', key: 'tls.key' } as const;

/** Stores a snapshot, with its manifest. A backup that exists already, of the same uid, is verified and reported. */
export interface BackupJob {
  readonly do: 'backup';
  /** The best one first. */
  readonly endpoints: readonly EtcdEndpoint[];
  /** With the files `tls/ca.crt`, `tls/tls.crt` and `tls/tls.key`. */
  readonly tls: boolean;
  readonly destination: Destination;
  /** `<namespace>/<cluster>/<time>-<start of the uid>`: unique to this backup. */
  readonly keyBase: string;
  readonly compression: Compression;
  /** With the file `encryption/key`. */
  readonly isEncrypted: boolean;
  /** A directory for one snapshot. */
  readonly scratch: string;
  /** A `clusterId` that is empty is filled with that of the member. */
  readonly source: BackupSource;
  readonly retention?: RetentionPolicy;
}

/** Fetches a stored snapshot into a file, decrypted, decompressed and verified. */
export interface FetchJob {
  readonly do: 'fetch';
  readonly destination: Destination;
  /** Of a manifest, or of a bare snapshot whose name ends with `.db`, `.gz` or `.enc`. */
  readonly key: string;
  readonly expected?: {
    readonly snapshotSha256?: string;
    readonly storedSha256?: string;
    readonly revision?: string;
  };
  /** Of the restored cluster: a snapshot of a newer minor version is refused. */
  readonly etcdVersion: string;
  readonly into: string;
  readonly isEncrypted: boolean;
  /** How many times the size of the snapshot has to be free. */
  readonly freeFactor: number;
  /** Whether `into` may be a link to the stored file, if that is the snapshot itself: it is not copied then. */
  readonly mayLink?: boolean;
  /**
   * `databaseSha256` of an earlier fetch, if what reads `into` computes it and compares it with the end of the file, as
   * `etcdutl snapshot restore` does. A stored file that is linked is then read once, and not here: only its size and its end
   * are compared. Default: its checksums are computed here.
   */
  readonly databaseSha256?: string;
  /** A directory for new certificates of a scratch member, as `tlsFiles`. Default: none are made. */
  readonly certificates?: string;
}

/** Puts restored data into the place from which etcd starts, once. */
export interface CommitJob {
  readonly do: 'commit';
  readonly from: string;
  readonly to: string;
  /** Removed afterwards; within the directory of `to`. */
  readonly remove: readonly string[];
  /** The uid of the restore. It is written into the volume; a commit that has happened is not repeated. */
  readonly marker: string;
}

/** Compares a member that was restored with what the backup recorded. */
export interface CheckJob {
  readonly do: 'check';
  readonly endpoint: EtcdEndpoint;
  /** A directory with the certificates of the member, as `tlsFiles`. Default: it has no TLS. */
  readonly certificates?: string;
  readonly expected: { readonly revision: string; readonly keys: number; readonly hashKV?: string };
  /** A directory for one snapshot. */
  readonly scratch: string;
}

/** Deletes backups: manifests first. */
export interface PruneJob {
  readonly do: 'prune';
  readonly destination: Destination;
  /** Keys of manifests without `.manifest.json`. */
  readonly keys: readonly string[];
}

export type AgentJob = BackupJob | FetchJob | CommitJob | CheckJob | PruneJob;

export interface BackupResult {
  readonly ok: true;
  readonly do: 'backup';
  readonly manifestKey: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly storedSizeBytes: number;
  readonly sha256: string;
  readonly storedSha256: string;
  readonly revision: string;
  readonly keys: number;
  readonly hash: string;
  readonly hashKV?: string;
  readonly version: string;
  readonly createdAt: string;
  readonly durationMs: number;
  /** Whether the hash of the keys was compared with the member. */
  readonly isCompared: boolean;
  /** Base keys that retention removed, the oldest first; as many of the newest as fit. */
  readonly pruned: readonly string[];
  readonly isPrunedAll: boolean;
}

export interface FetchResult {
  readonly ok: true;
  readonly do: 'fetch';
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Of the snapshot without its end, which is this checksum. */
  readonly databaseSha256: string;
  readonly revision: string;
  readonly keys: number;
  readonly hash: string;
  readonly hashKV: string;
  /** Of the server; absent without a manifest. */
  readonly version?: string;
  readonly isAuthEnabled: boolean;
  readonly durationMs: number;
}

export interface CommitResult {
  readonly ok: true;
  readonly do: 'commit';
  /** False if it had happened before. */
  readonly isNew: boolean;
}

export interface CheckResult {
  readonly ok: true;
  readonly do: 'check';
  readonly revision: string;
  readonly keys: number;
  readonly hashKV: string;
  readonly durationMs: number;
}

export interface PruneResult {
  readonly ok: true;
  readonly do: 'prune';
  readonly deleted: number;
}

export interface AgentFailure {
  readonly ok: false;
  /** In CamelCase. */
  readonly code: string;
  /** A sentence that says what to do. */
  readonly message: string;
  /** Whether the same job may succeed later. */
  readonly isRetriable: boolean;
}

export type AgentSuccess = BackupResult | FetchResult | CommitResult | CheckResult | PruneResult;
export type AgentResult = AgentSuccess | AgentFailure;
