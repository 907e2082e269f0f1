/**
 * What a worker pod is asked to do, and what it answers. The job is one JSON document in a variable and contains no
 * secrets: they are files. The answer is the termination message of the container.
 */
import type { EtcdEndpoint } from '../client/etcd/contract.ts';
import type { Destination } from '../client/storage/contract.ts';

export interface BackupSource {
  readonly namespace: string;
  readonly cluster: string;
  readonly clusterUid: string;
  readonly clusterId: string;
  readonly backup: string;
  readonly backupUid: string;
  readonly schedule?: string;
  readonly scheduleUid?: string;
}

export type AgentJob =
  | {
      readonly do: 'backup';
      /** The best first. */
      readonly endpoints: readonly EtcdEndpoint[];
      readonly tls: boolean;
      readonly destination: Destination;
      /** Without revision and suffix. */
      readonly keyBase: string;
      readonly compression: 'none' | 'gzip';
      readonly isEncrypted: boolean;
      readonly scratch: string;
      readonly source: BackupSource;
      readonly retention?: {
        readonly maxBackups?: number;
        readonly maxAgeMs?: number;
        readonly scheduleUid: string;
      };
    }
  | {
      readonly do: 'fetch';
      readonly destination: Destination;
      readonly key: string;
      readonly expected?: {
        readonly snapshotSha256?: string;
        readonly storedSha256?: string;
        readonly revision?: string;
      };
      readonly etcdVersion: string;
      readonly into: string;
      readonly isEncrypted: boolean;
      readonly freeFactor: number;
    }
  | {
      readonly do: 'commit';
      readonly from: string;
      readonly to: string;
      readonly remove: readonly string[];
      readonly marker: string;
    }
  | {
      readonly do: 'check';
      readonly endpoint: EtcdEndpoint;
      readonly expected: { readonly revision: string; readonly keys: number; readonly hashKV?: string };
    }
  | { readonly do: 'prune'; readonly destination: Destination; readonly keys: readonly string[] };
