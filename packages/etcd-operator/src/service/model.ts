/** What is known about a cluster, and the one action that a pass takes. Plain data: everything is decided on it. */

import type { ConditionReason, EventReason } from '../apis/reasons.ts';
import type { RestoreStep } from '../apis/restore-schema.ts';
import type { EtcdAlarm, EtcdId, EtcdMember, EtcdStatus } from '../client/etcd/contract.ts';
import type { TlsStep } from '../resource/tls-material.ts';

/**
 * A slot is a position in the StatefulSet: pod `<cluster>-<index>` and volume `data-<cluster>-<index>`. A member belongs to
 * the slot that its peer URL names. Decisions are made by slot and by the live member list, never by counting replicas.
 */
export interface SlotFacts {
  readonly index: number;
  readonly podName: string;
  readonly peerURL: string;
  readonly pod: PodFacts | undefined;
  readonly volume: VolumeFacts | undefined;
  /** From the live member list. */
  readonly member: EtcdMember | undefined;
  /** The member's answer; undefined if it did not answer, or was not asked. */
  readonly status: EtcdStatus | undefined;
  /** Why it did not answer. */
  readonly statusError: string | undefined;
  /** Whether a linearizable read through it succeeded. */
  readonly isServing: boolean;
  /** Whether it refused that read because of who asked. */
  readonly isDenied?: boolean;
  /** Whether TLS failed: its process runs, and nothing else is known. */
  readonly isUntrusted?: boolean;
  /** Number of keys at the revision of a restore; undefined if it was not counted. */
  readonly keys?: number;
}

export interface PodFacts {
  readonly uid: string;
  readonly address: string | undefined;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly isReady: boolean;
  readonly isDeleting: boolean;
  readonly createdAtMs: number;
  /** Since when it should have ended, or is not ready; undefined while it is ready. */
  readonly downSinceMs?: number;
  readonly restarts: number;
  /** Why the scheduler has found no node for it. */
  readonly unscheduled?: string;
  /** Such as `CrashLoopBackOff`; undefined while the container runs. */
  readonly waitingReason: string | undefined;
  /** Reason and message of the last termination of the container, such as `OOMKilled`. */
  readonly lastTermination: string | undefined;
  /** The hash of the template that the pod was created from: an annotation of it. */
  readonly templateHash: string | undefined;
}

export interface VolumeFacts {
  readonly uid: string;
  readonly phase: 'Pending' | 'Bound' | 'Lost';
  readonly isDeleting: boolean;
  /** Whether its label names the uid of this cluster. */
  readonly isOurs: boolean;
  /** The size that the claim requests. The volume may not be as large yet. */
  readonly requestBytes: number;
  /** Why its driver could not enlarge it. */
  readonly resizeError?: string;
}

/** The StatefulSet: pods `start` to `start + replicas - 1` should exist. */
export interface SetFacts {
  readonly uid: string;
  readonly isOurs: boolean;
  readonly isDeleting: boolean;
  readonly start: number;
  readonly replicas: number;
  /** The hash of its template. */
  readonly templateHash: string | undefined;
}

/** The membership as etcd reports it; undefined means unknown, never empty. */
interface MembershipFacts {
  readonly clusterId: EtcdId;
  readonly members: readonly EtcdMember[];
  readonly leaderId: EtcdId | undefined;
}

export interface ClusterFacts {
  readonly nowMs: number;
  readonly set: SetFacts | undefined;
  /** Every slot that has a pod, a volume or a member, or is within the range of the set; by index. */
  readonly slots: readonly SlotFacts[];
  readonly membership: MembershipFacts | undefined;
  /** Members in the list whose peer URL names no slot of this cluster. */
  readonly strangers: readonly EtcdMember[];
  /** More than one id: two clusters behind one name. */
  readonly clusterIds: readonly EtcdId[];
  readonly alarms: readonly EtcdAlarm[];
}

/** What the status remembers between passes. Everything else is derived from what is observed. */
export interface Recorded {
  /** Set once, when the cluster has formed. Until then, and only then, slot 0 may form it. */
  readonly clusterId?: EtcdId;
  /** The version that members run, or are being restarted with. */
  readonly version?: string;
  /** Since when all members are stopped, or are being stopped, on purpose: which slots there were. */
  readonly stopped?: { readonly start: number; readonly size: number };
  readonly operation?: Operation;
  readonly recovery?: QuorumRecovery;
  readonly space?: SpaceReclaim;
  readonly restore?: Restoring;
  /** Uid of the EtcdRestore that the cluster has its data from. */
  readonly restoredFrom?: string;
  /** Volumes of members before a restore or a recovery, by slot. They are not used. */
  readonly parked?: Readonly<Record<number, string>>;
  /** Slots of those that a recovery has parked, oldest first: they are deleted when the cluster was Ready for long enough. */
  readonly parkedByRecovery?: readonly number[];
  /** Since when the condition Ready is True. */
  readonly readySinceMs?: number;
  /** The volume that the member of a slot has its data on, by uid. A different volume is an empty one. */
  readonly volumes: Readonly<Record<number, string>>;
  /** Since when no quorum was seen. */
  readonly quorumLostAtMs?: number;
}

export type OperationType = 'Bootstrap' | 'AddMember' | 'RemoveMember' | 'ReplaceMember' | 'Restart' | 'Upgrade';

/** The change in progress. It is written before its first step, so that another process can continue it. */
export interface Operation {
  readonly type: OperationType;
  readonly slot: number;
  readonly startedAtMs: number;
  /** The member and the volume that a replacement replaces, and the pod that was there when the member was added again. */
  readonly memberId?: EtcdId;
  readonly volumeUid?: string;
  readonly podUid?: string;
  /** Attempts before this one, for operations that start over. */
  readonly attempts?: number;
}

export interface QuorumRecovery {
  readonly survivor: number;
  /**
   * Stopping: all members stop. Forcing: the survivor starts as the only member. Cleaning: it starts again as any member,
   * and volumes that were created instead of lost ones are deleted. Moving: those with data of members are parked, and its
   * data moves to a slot above them, so that others can join next to it.
   */
  readonly phase: 'Stopping' | 'Forcing' | 'Cleaning' | 'Moving';
  readonly startedAtMs: number;
  /** The pod that was started as the only member. It is deleted before others join. */
  readonly podUid?: string;
  /** The slot that its data moves to. */
  readonly target?: number;
}

/**
 * A restore, as far as the cluster is concerned. Stopping: all members stop. Waiting: nothing runs, and the restore fills
 * the volume of a slot above all others. Starting: its member runs alone. Then it is the cluster, and the others join.
 */
export interface Restoring {
  readonly uid: string;
  readonly phase: 'Stopping' | 'Waiting' | 'Starting';
  readonly slot: number;
  readonly startedAtMs: number;
  /** Of the restored member, once it serves. */
  readonly revision?: string;
  /** How many it has at the revision of the request; undefined if that was compacted. */
  readonly keys?: number;
  /** What is started again if the restore fails; without a cluster id there was nothing. */
  readonly former: {
    readonly clusterId?: EtcdId;
    readonly start: number;
    readonly size: number;
    readonly restoredFrom?: string;
    readonly volumes: Readonly<Record<number, string>>;
  };
}

/** The EtcdRestore that the annotation of a cluster names. */
export interface RestoreRequest {
  readonly name: string;
  /** Undefined if there is no such object. */
  readonly uid?: string;
  readonly step?: RestoreStep;
  /** The claim that was filled. */
  readonly volumeUid?: string;
  /** The newest revision of the restored data. */
  readonly revision?: string;
}

/**
 * Making room after a NOSPACE alarm: every member deletes the history, then one after the other is defragmented. What is
 * recorded has been done.
 */
export interface SpaceReclaim {
  readonly startedAtMs: number;
  /** The newest revision when the cycle started: older ones are discarded. */
  readonly revision: string;
  /** Slots whose member has deleted them. */
  readonly compacted: readonly number[];
  /** Slots whose member was defragmented afterwards. */
  readonly defragmented: readonly number[];
}

/** What the spec asks for, as far as decisions depend on it. */
export interface Wanted {
  readonly size: number;
  /** Without `v`. */
  readonly version: string;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  readonly whenScaled: 'Delete' | 'Retain';
  readonly whenDeleted: 'Delete' | 'Retain';
  /** The annotation that allows a recovery that may lose writes: the pod to keep, or `auto`. */
  readonly recoverFrom?: string;
  readonly restore?: RestoreRequest;
  readonly quotaBytes: number;
  readonly defragmentation: Defragmentation | undefined;
  /** Whether members may be upgraded to a minor version whose rules are not known. */
  readonly allowsUnknownVersion: boolean;
  /** Of each volume. */
  readonly storageBytes: number;
}

/** A member is defragmented if it can free `freeBytesMin`, or `reclaimBytesMin` of a database of `usedBytesMin`. */
export interface Defragmentation {
  readonly freeBytesMin: number;
  readonly usedBytesMin: number;
  readonly reclaimBytesMin: number;
}

export interface PassSettings {
  /** How long a learner may take to start and catch up before it is removed and added again. Default 600,000. */
  readonly learnerDeadlineMs: number;
  /** How long there must be no quorum before it is reported as lost. Default 60,000. */
  readonly quorumGraceMs: number;
  /** Restarts of a container that is not ready until its member is replaced. Default 5. */
  readonly restartsMax: number;
  /** Minimum time between two cycles of making room. Default 600,000. */
  readonly spaceCycleMs: number;
  /**
   * Time for nodes to deliver changed Secrets to running pods, and for clients to read them: what they trust before an
   * authority issues, and new certificates before the former one is not trusted any more. Default 600,000.
   */
  readonly deliveryMs: number;
  /** How long a cluster has to be Ready before volumes that a recovery has parked are deleted. Default 86,400,000. */
  readonly parkedMs: number;
  /** Shortest interval of passes while something is in progress; it grows the longer that takes. Default 250. */
  readonly busyMs: number;
  /** Interval of passes at rest. Default 30,000. */
  readonly restMs: number;
}

/** The certificates of a cluster whose TLS is automatic, or what is wrong with those that the user provides. */
export interface CertificateFacts {
  /** Undefined if the certificates can be used. */
  readonly problem?: string;
  readonly hasAuthority: boolean;
  /** Whether there were certificates of an authority whose key does not exist any more. */
  readonly isKeyLost: boolean;
  /** Whether the Secret of the authority cannot be deleted as long as the cluster exists. */
  readonly isAuthorityKept: boolean;
  /** Secrets whose certificate has to be issued. */
  readonly due: readonly string[];
  /** Secrets whose certificate cannot be issued, because the key is lost, and that no other one can replace. */
  readonly lost: readonly string[];
  readonly isAuthorityDue: boolean;
  /** Steady, or in the middle of a change of the authority; see `resource/tls-material`. */
  readonly rotation: 'Steady' | 'Introduced' | 'Switched';
  readonly introducedAtMs?: number;
  readonly switchedAtMs?: number;
  readonly notAfterMs?: number;
}

/** Everything that a decision depends on. */
export interface PassInput {
  readonly wanted: Wanted;
  readonly recorded: Recorded;
  readonly facts: ClusterFacts;
  /** Undefined without TLS. */
  readonly certificates?: CertificateFacts;
  /** Objects that are missing or differ from what they should be, such as `Service/main-client`. */
  readonly staleObjects: readonly string[];
  /** Objects with the names of those that belong to something else. */
  readonly foreignObjects: readonly string[];
  /** The hash of the pod template that the spec renders with the recorded version. */
  readonly templateHash: string;
  /** Why Kubernetes refused to enlarge a volume to the wanted size a short time ago. */
  readonly resizeRefused?: string;
  readonly settings: PassSettings;
}

/** One change, outside of the status. `why` is shown in log lines and in the status. */
export type Action = { readonly why: string } & (
  | { readonly do: 'applyObjects'; readonly objects: readonly string[] }
  | { readonly do: 'createSet' | 'setRange'; readonly start: number; readonly replicas: number }
  | { readonly do: 'deleteSet' | 'removeFinalizer' }
  | { readonly do: 'addLearner'; readonly slot: number; readonly peerURL: string }
  | { readonly do: 'promote' | 'removeMember' | 'moveLeader'; readonly slot: number; readonly memberId: EtcdId }
  | { readonly do: 'deletePod' | 'deleteVolume'; readonly slot: number; readonly uid: string }
  | { readonly do: 'enlargeVolume'; readonly slot: number; readonly uid: string }
  | { readonly do: 'disarm'; readonly alarm: EtcdAlarm }
  | { readonly do: 'compact'; readonly slot: number; readonly revision: bigint }
  | { readonly do: 'defragment'; readonly slot: number }
  | { readonly do: 'certificates'; readonly step: TlsStep }
);

export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason | ConditionReason;
  readonly message: string;
}

/** Why nothing further is done, or what is wrong, in the words of the condition. */
export interface Finding {
  readonly reason: ConditionReason;
  readonly message: string;
}

export interface Decision {
  /** To be written into the status before the action. */
  readonly recorded: Recorded;
  readonly action?: Action;
  /** To be written once the action was carried out; not if it was refused, or if that is not known. */
  readonly afterwards?: Recorded;
  /** What the next step waits for. */
  readonly waiting?: Finding;
  /** What needs a person, or does not work. */
  readonly problem?: Finding;
  readonly events: readonly PlannedEvent[];
  /** 0: go on in the next pass. Default: the interval of the controller that is responsible. */
  readonly requeueAfterMs?: 0;
}
