/** From answers of Kubernetes and of the members to the facts of a cluster. */
import type { PersistentVolumeClaim, Pod, StatefulSet } from '@ecsm/kubernetes';
import { timeMsOf } from '@ecsm/runtime';
import { bytesOf } from '../../apis/bytes.ts';
import { ETCD_CONTAINER } from '../../apis/well-known.ts';
import type { EtcdAlarm, EtcdMember, EtcdMemberList, EtcdStatus } from '../../client/etcd/contract.ts';
import type { MemberAnswer } from '../../client/etcd/members.ts';
import type { ClusterFacts, PodFacts, SetFacts, SlotFacts, VolumeFacts } from '../model.ts';
import { nextSlot } from './range.ts';

/** The names that belong to a cluster. */
export interface ClusterNames {
  readonly uid: string;
  podName(slot: number): string;
  peerURL(slot: number): string;
  /** The slot of a pod, a claim or a peer URL; undefined if it is not one of this cluster. */
  slotOfPod(name: string): number | undefined;
  slotOfClaim(name: string): number | undefined;
  slotOfPeerURL(url: string): number | undefined;
  /** Annotations and labels that the objects carry. */
  templateHashOf(annotations: Readonly<Record<string, string>> | undefined): string | undefined;
  isOwnClaim(labels: Readonly<Record<string, string>> | undefined): boolean;
}

export interface Observed {
  readonly nowMs: number;
  /** A slot that is looked at although nothing of it exists yet. */
  readonly slot?: number | undefined;
  readonly set: StatefulSet | undefined;
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  /** By slot. */
  readonly answers: ReadonlyMap<number, MemberAnswer>;
  /** Undefined if no member serves. */
  readonly members: EtcdMemberList | undefined;
  readonly alarms: readonly EtcdAlarm[];
}

export function clusterFacts(names: ClusterNames, observed: Observed): ClusterFacts {
  const { nowMs, slot: asked, answers, members, alarms } = observed;
  const set = observed.set && setFacts(names, observed.set);
  const pods = bySlot(observed.pods, ({ metadata }) => names.slotOfPod(metadata.name));
  const claims = bySlot(observed.claims, ({ metadata }) => names.slotOfClaim(metadata.name));
  const byURL = (member: EtcdMember) => member.peerURLs.map(names.slotOfPeerURL).find((slot) => slot !== undefined);
  const memberSlots = bySlot(members?.members ?? [], byURL);
  const statuses = [...answers.values()].flatMap(({ status }) => (status ? [status] : []));
  const leaderId = leaderOf(statuses);
  const extra = new Map(asked === undefined ? [] : [[asked, true]]);
  const slots = indexes(set, pods, claims, memberSlots, extra).map((index): SlotFacts => {
    const pod = pods.get(index);
    const claim = claims.get(index);
    const answer = answers.get(index);
    return {
      index,
      podName: names.podName(index),
      peerURL: names.peerURL(index),
      pod: pod && podFacts(names, pod),
      volume: claim && volumeFacts(names, claim),
      member: memberSlots.get(index),
      status: answer?.status,
      statusError: answer?.error,
      isServing: answer?.isServing ?? false,
      ...(answer?.isDenied ? { isDenied: true } : {}),
      ...(answer?.isUntrusted ? { isUntrusted: true } : {}),
      ...(answer?.keys === undefined ? {} : { keys: answer.keys }),
    };
  });
  return {
    nowMs,
    set,
    slots,
    membership: members && { clusterId: members.clusterId, members: members.members, leaderId },
    strangers: members?.members.filter((member) => byURL(member) === undefined) ?? [],
    clusterIds: [...new Set(statuses.map(({ clusterId }) => clusterId))].sort(),
    alarms,
  };
}

/** A member that is cut off still names its former leader: the newest term counts. */
function leaderOf(statuses: readonly EtcdStatus[]): string | undefined {
  const led = statuses.filter(({ leaderId }) => leaderId !== undefined);
  return led.reduce<EtcdStatus | undefined>(
    (best, one) => (best && best.raftTerm >= one.raftTerm ? best : one),
    undefined,
  )?.leaderId;
}

/** Slots of the range, the one that a new member would get, and those that something exists for. */
function indexes(set: SetFacts | undefined, ...found: readonly ReadonlyMap<number, unknown>[]): readonly number[] {
  const all = new Set(found.flatMap((map) => [...map.keys()]));
  if (set) {
    for (let offset = 0; offset < set.replicas; offset++) all.add(set.start + offset);
    // Above and below: which of them a new member gets is decided later.
    all.add(nextSlot(set));
    all.add(set.start + set.replicas);
  } else all.add(0);
  return [...all].sort((a, b) => a - b);
}

function bySlot<T>(items: readonly T[], slotOf: (item: T) => number | undefined): ReadonlyMap<number, T> {
  const map = new Map<number, T>();
  for (const item of items) {
    const slot = slotOf(item);
    if (slot !== undefined) map.set(slot, item);
  }
  return map;
}

function setFacts(names: ClusterNames, { metadata, spec }: StatefulSet): SetFacts {
  return {
    uid: metadata.uid,
    isOurs: metadata.ownerReferences?.some(({ uid }) => uid === names.uid) ?? false,
    isDeleting: metadata.deletionTimestamp !== undefined,
    start: spec.ordinals?.start ?? 0,
    replicas: spec.replicas,
    templateHash: names.templateHashOf(spec.template.metadata?.annotations),
  };
}

function podFacts(names: ClusterNames, { metadata, status }: Pod): PodFacts {
  // By name: Kubernetes sorts them by it, and a pod may get further containers when it is created.
  const container = status?.containerStatuses?.find(({ name }) => name === ETCD_CONTAINER);
  const ended = container?.lastState?.terminated ?? container?.state?.terminated;
  const unscheduled = status?.conditions?.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const createdAtMs = timeMsOf(metadata.creationTimestamp) ?? 0;
  const isReady = ready?.status === 'True';
  const downSince =
    metadata.deletionTimestamp ?? (isReady ? undefined : (ready?.lastTransitionTime ?? metadata.creationTimestamp));
  const downSinceMs = downSince === undefined ? undefined : timeMsOf(downSince);
  const termination = ended && [ended.reason, ended.message].filter(Boolean).join(': ');
  return {
    uid: metadata.uid,
    address: status?.podIP,
    phase: status?.phase ?? 'Pending',
    isReady,
    isDeleting: metadata.deletionTimestamp !== undefined,
    createdAtMs,
    ...(downSinceMs === undefined ? {} : { downSinceMs }),
    restarts: container?.restartCount ?? 0,
    ...(unscheduled ? { unscheduled: unscheduled.message ?? 'it is not scheduled' } : {}),
    waitingReason: container?.state?.waiting?.reason ?? (container?.state?.terminated ? 'Terminated' : undefined),
    lastTermination: termination === '' ? undefined : termination,
    templateHash: names.templateHashOf(metadata.annotations),
  };
}

const resizeErrors: readonly string[] = ['ControllerResizeError', 'NodeResizeError'];

function volumeFacts(names: ClusterNames, { metadata, spec, status }: PersistentVolumeClaim): VolumeFacts {
  const failed = status?.conditions?.find(({ type, status: value }) => resizeErrors.includes(type) && value === 'True');
  return {
    uid: metadata.uid,
    phase: status?.phase ?? 'Pending',
    isDeleting: metadata.deletionTimestamp !== undefined,
    isOurs: names.isOwnClaim(metadata.labels),
    requestBytes: bytesOf(spec.resources?.requests?.['storage'] ?? 0),
    ...(failed ? { resizeError: failed.message ?? failed.type } : {}),
  };
}
