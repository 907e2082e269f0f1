/** What is known about a cluster, and the one action that a pass takes. Plain data: everything is decided on it. */
import type { EtcdAlarm, EtcdId, EtcdMember, EtcdStatus } from '../client/etcd/contract.ts';

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
}

export interface PodFacts {
  readonly uid: string;
  readonly address: string | undefined;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly isReady: boolean;
  readonly isDeleting: boolean;
  readonly createdAtMs: number;
  readonly restarts: number;
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
export interface MembershipFacts {
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
