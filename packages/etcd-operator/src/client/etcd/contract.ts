/**
 * The contract of a client of etcd, version 3: one call to one member. Implementations: the JSON gateway of a real server,
 * and a simulated cluster for tests; `etcd.suite.ts` tests both.
 *
 * - Every call goes to the endpoint that is given. A caller chooses the endpoint: a learner serves only `status` and
 *   `get` that is serializable, `moveLeader` is only accepted by the leader.
 * - Ids are hexadecimal, lower case, without leading zeros, as etcdctl prints them. They do not fit into a number.
 * - Failures are `EtcdError`s. After `Unavailable` or `Timeout` a change may or may not have happened; after any other
 *   error it has not.
 */
export type EtcdId = string;

export interface EtcdEndpoint {
  /** The name in the member's certificate, such as `main-0.main-peer.default.svc`. */
  readonly host: string;
  /** What is dialled: the address of the pod. It needs no DNS, and is known before DNS is. */
  readonly address: string;
  readonly port: number;
}

/** In PEM. */
export interface EtcdCredentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface EtcdCallOptions {
  readonly signal?: AbortSignal;
  /** Default: 5,000. */
  readonly timeoutMs?: number;
}

export interface EtcdMember {
  readonly id: EtcdId;
  /** Empty if the member has not started yet. */
  readonly name: string;
  readonly peerURLs: readonly string[];
  /** Empty if the member has not started yet. */
  readonly clientURLs: readonly string[];
  readonly isLearner: boolean;
}

export interface EtcdMemberList {
  readonly clusterId: EtcdId;
  readonly members: readonly EtcdMember[];
}

export interface EtcdStatus {
  readonly clusterId: EtcdId;
  readonly memberId: EtcdId;
  /** Such as `3.5.16`. */
  readonly version: string;
  /** Undefined if the member knows of no leader. */
  readonly leaderId: EtcdId | undefined;
  readonly isLearner: boolean;
  readonly revision: bigint;
  readonly raftTerm: bigint;
  readonly raftIndex: bigint;
  readonly raftAppliedIndex: bigint;
  readonly dbSizeBytes: number;
  readonly dbSizeInUseBytes: number;
}

export type EtcdAlarmType = 'NOSPACE' | 'CORRUPT';

export interface EtcdAlarm {
  /** `0` if etcd cannot tell which member is corrupt. */
  readonly memberId: EtcdId;
  readonly type: EtcdAlarmType;
}

export interface EtcdHash {
  /** In hexadecimal. */
  readonly hash: string;
  /** 0 if nothing was compacted. Hashes at the same revision are equal only if this is, too. */
  readonly compactRevision: bigint;
}

export interface EtcdValue {
  readonly value: string;
  readonly modRevision: bigint;
}

export interface EtcdSnapshotOptions {
  readonly signal?: AbortSignal;
  /** Longest wait for the next bytes. Default: 30,000. */
  readonly idleTimeoutMs?: number;
}

/** The database of a member, as `etcdctl snapshot save` writes it: the file, and the SHA-256 of it in 32 bytes. */
export interface EtcdSnapshot {
  readonly sizeBytes: number;
  /** The version of the storage, such as `3.6.0`; empty before 3.6. */
  readonly version: string;
  /**
   * To be read once; a chunk is valid until the next one is requested. It fails with `EtcdError` if it is not complete. A
   * reader that stops ends the call.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A client of one cluster: it holds the credentials and the connections. */
export interface EtcdClient {
  status(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<EtcdStatus>;
  /** Linearizable where the server can (from 3.5): it fails without a quorum. */
  memberList(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<EtcdMemberList>;
  /** The list after the change, and the id of the new member. */
  addLearner(
    endpoint: EtcdEndpoint,
    peerURL: string,
    options?: EtcdCallOptions,
  ): Promise<EtcdMemberList & { readonly memberId: EtcdId }>;
  promote(endpoint: EtcdEndpoint, memberId: EtcdId, options?: EtcdCallOptions): Promise<void>;
  remove(endpoint: EtcdEndpoint, memberId: EtcdId, options?: EtcdCallOptions): Promise<void>;
  moveLeader(leader: EtcdEndpoint, toMemberId: EtcdId, options?: EtcdCallOptions): Promise<void>;
  alarms(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<readonly EtcdAlarm[]>;
  disarm(endpoint: EtcdEndpoint, alarm: EtcdAlarm, options?: EtcdCallOptions): Promise<void>;
  /**
   * Discards the history before a revision, and returns when this member has deleted it, which takes a while; the others
   * delete it in the background. Already compacted is not an error: then it returns when what was compacted is deleted.
   */
  compact(endpoint: EtcdEndpoint, revision: bigint, options?: EtcdCallOptions): Promise<void>;
  /** Blocks this member meanwhile. */
  defragment(endpoint: EtcdEndpoint, options?: EtcdCallOptions): Promise<void>;
  /** The hash of the keys at a revision; equal on all members. 0n: the newest revision. From 3.5. */
  hashKV(endpoint: EtcdEndpoint, revision: bigint, options?: EtcdCallOptions): Promise<EtcdHash>;
  /**
   * A consistent copy of what this member has. Nothing verifies the content: its checksum is at its end. The caller reads
   * the chunks or aborts; `close` ends the call, too.
   */
  snapshot(endpoint: EtcdEndpoint, options?: EtcdSnapshotOptions): Promise<EtcdSnapshot>;
  /** Undefined if there is no such key. Linearizable unless `serializable`. */
  get(
    endpoint: EtcdEndpoint,
    key: string,
    options?: EtcdCallOptions & { readonly serializable?: boolean },
  ): Promise<EtcdValue | undefined>;
  /** The number of keys at a revision, linearizable. `Other` if the revision is in the future or compacted. */
  count(endpoint: EtcdEndpoint, revision: bigint, options?: EtcdCallOptions): Promise<number>;
  /** Returns the revision of the write. */
  put(endpoint: EtcdEndpoint, key: string, value: string, options?: EtcdCallOptions): Promise<bigint>;
  /** Closes the connections. Calls in flight fail. */
  close(): void;
}

/** Without credentials, plain HTTP. Connects nothing yet. */
export type ConnectEtcd = (credentials: EtcdCredentials | undefined) => EtcdClient;

/** What failed, in the terms of a caller. */
export type EtcdErrorCode =
  /** No connection, or it broke: a change may have happened. */
  | 'Unavailable'
  /** No answer in time: a change may have happened. */
  | 'Timeout'
  /** The member has no leader, or lost it during the call. A change may have happened. */
  | 'NoLeader'
  /** Too few started members to change the membership: "not enough started members". */
  | 'NotEnoughStarted'
  /** The members were not connected long enough to change the membership: "unhealthy cluster". */
  | 'Unhealthy'
  | 'TooManyLearners'
  /** The learner is not in sync with the leader yet. */
  | 'LearnerNotReady'
  | 'PeerUrlExists'
  | 'MemberNotFound'
  /** Promoting a member that is a voter. */
  | 'NotLearner'
  /** The call is only served by the leader. */
  | 'NotLeader'
  /** A learner does not serve the call. */
  | 'NotSupportedForLearner'
  | 'NoSpace'
  | 'Corrupt'
  /** The certificate or the user is not accepted. */
  | 'Denied'
  /** Anything else: the message says what. */
  | 'Other';
