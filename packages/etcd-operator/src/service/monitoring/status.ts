/** The status of a cluster: what the operator remembers in it, and what it tells people. */
import { type Condition, findCondition, setCondition, timeMsOf, timestampAt } from '@ecsm/runtime';
import type { EtcdCluster, EtcdClusterStatus, MemberStatus } from '../../apis/etcd-cluster.ts';
import { selectorOf } from '../../apis/well-known.ts';
import { clientEndpoint, clientURL } from '../../resource/cluster.ts';
import { slotOfMember } from '../health/quorum.ts';
import type {
  Decision,
  Operation,
  OperationType,
  PassInput,
  QuorumRecovery,
  Recorded,
  Restoring,
  SlotFacts,
} from '../model.ts';
import { conditionsOf, phaseOf } from './conditions.ts';

const operationTypes: readonly string[] = [
  'Bootstrap',
  'AddMember',
  'RemoveMember',
  'ReplaceMember',
  'Restart',
  'Upgrade',
] satisfies readonly OperationType[];

/** What an earlier pass wrote. Times are to the second. */
export function recordedOf(status: EtcdClusterStatus | undefined): Recorded {
  const { clusterID, targetVersion, stoppedSize, stoppedStart, recovery, space, quorumLostAt } = status ?? {};
  const operation = operationOf(status?.operation);
  const ready = findCondition(status?.conditions, 'Ready');
  const lostAtMs = msOf(quorumLostAt);
  return {
    volumes: bySlot(status?.volumes),
    ...(clusterID === undefined ? {} : { clusterId: clusterID }),
    ...(targetVersion === undefined ? {} : { version: targetVersion }),
    ...(stoppedSize === undefined ? {} : { stopped: { size: stoppedSize, start: stoppedStart ?? 0 } }),
    ...(operation ? { operation } : {}),
    ...(recovery ? { recovery: recoveryOf(recovery) } : {}),
    ...(status?.restore ? { restore: restoringOf(status.restore) } : {}),
    ...(status?.restoredFrom === undefined ? {} : { restoredFrom: status.restoredFrom }),
    ...parkedOf(status?.parkedVolumes),
    ...(ready?.status === 'True' ? { readySinceMs: msOf(ready.lastTransitionTime) ?? 0 } : {}),
    ...(space
      ? {
          space: {
            startedAtMs: msOf(space.startedAt) ?? 0,
            revision: space.revision ?? '0',
            compacted: space.compactedSlots ?? [],
            defragmented: space.defragmented ?? [],
          },
        }
      : {}),
    ...(lostAtMs === undefined ? {} : { quorumLostAtMs: lostAtMs }),
  };
}

function recoveryOf({
  survivor,
  phase,
  startedAt,
  podUID,
  target,
}: NonNullable<EtcdClusterStatus['recovery']>): QuorumRecovery {
  return {
    survivor,
    phase,
    startedAtMs: msOf(startedAt) ?? 0,
    ...(podUID === undefined ? {} : { podUid: podUID }),
    ...(target === undefined ? {} : { target }),
  };
}

function parkedOf(parked: EtcdClusterStatus['parkedVolumes']): Pick<Recorded, 'parked' | 'parkedByRecovery'> {
  if (parked === undefined) return {};
  const recovered = parked.filter(({ byRecovery }) => byRecovery).map(({ slot }) => slot);
  return { parked: bySlot(parked), ...(recovered.length > 0 ? { parkedByRecovery: recovered } : {}) };
}

function parkedStatus({ parked = {}, parkedByRecovery = [] }: Recorded): Pick<EtcdClusterStatus, 'parkedVolumes'> {
  const isLast = (slot: number) => parkedByRecovery.includes(slot);
  // Those of a recovery in their order, which is that of their age.
  const volumes = volumesOf(parked).filter(({ slot }) => !isLast(slot));
  const recovered = parkedByRecovery.flatMap((slot) => {
    const uid = parked[slot];
    return uid === undefined ? [] : [{ slot, uid, byRecovery: true }];
  });
  const all = [...volumes, ...recovered];
  return all.length === 0 ? {} : { parkedVolumes: all };
}

type SlotVolumes = EtcdClusterStatus['volumes'];

function bySlot(volumes: SlotVolumes): Readonly<Record<number, string>> {
  return Object.fromEntries(volumes?.map(({ slot, uid }) => [slot, uid]) ?? []);
}

function volumesOf(volumes: Readonly<Record<number, string>>): NonNullable<SlotVolumes> {
  return Object.entries(volumes).map(([slot, uid]) => ({ slot: Number(slot), uid }));
}

function restoringOf(status: NonNullable<EtcdClusterStatus['restore']>): Restoring {
  const { uid, phase, slot, startedAt, revision, keys, clusterID, start = 0, size = 0, restoredFrom, volumes } = status;
  return {
    uid,
    phase,
    slot,
    startedAtMs: msOf(startedAt) ?? 0,
    ...(revision === undefined ? {} : { revision }),
    ...(keys === undefined ? {} : { keys }),
    former: {
      start,
      size,
      volumes: bySlot(volumes),
      ...(clusterID === undefined ? {} : { clusterId: clusterID }),
      ...(restoredFrom === undefined ? {} : { restoredFrom }),
    },
  };
}

function restoringStatus({ former, startedAtMs, ...own }: Restoring): NonNullable<EtcdClusterStatus['restore']> {
  const { clusterId, volumes, ...rest } = former;
  return {
    ...own,
    startedAt: timestampAt(startedAtMs),
    ...rest,
    ...(clusterId === undefined ? {} : { clusterID: clusterId }),
    volumes: volumesOf(volumes),
  };
}

function operationOf(status: EtcdClusterStatus['operation']): Operation | undefined {
  if (status === undefined || !isOperationType(status.type)) return undefined;
  const { type, slot = 0, memberID, volumeUID, podUID, attempts, startedAt } = status;
  return {
    type,
    slot,
    startedAtMs: msOf(startedAt) ?? 0,
    ...(memberID === undefined ? {} : { memberId: memberID }),
    ...(volumeUID === undefined ? {} : { volumeUid: volumeUID }),
    ...(podUID === undefined ? {} : { podUid: podUID }),
    ...(attempts === undefined ? {} : { attempts }),
  };
}

function isOperationType(type: string): type is OperationType {
  return operationTypes.includes(type);
}

/** The status after a decision. `before` keeps the times of conditions that did not change. */
export function statusOf(cluster: EtcdCluster, input: PassInput, decision: Decision): EtcdClusterStatus {
  const { status: before, metadata } = cluster;
  const { facts, certificates } = input;
  const { recorded } = decision;
  const now = timestampAt(facts.nowMs);
  const conditions = conditionsOf(input, decision).reduce<readonly Condition[]>(
    (all, condition) => setCondition(all, { ...condition, observedGeneration: metadata.generation }, now),
    before?.conditions ?? [],
  );
  const phase = phaseOf(input, decision, before?.phase);
  const members = membersOf(cluster, input) ?? before?.members?.map((member) => lastKnown(member, input));
  const ready = members?.filter((member) => member.ready).length ?? 0;
  const leaderID = facts.membership?.leaderId;
  const versions = facts.slots.flatMap(({ status }) => (status ? [status.version] : [])).sort();
  const currentVersion = versions[0] ?? before?.currentVersion;
  return {
    phase,
    conditions,
    observedGeneration: metadata.generation,
    replicas: members?.length ?? 0,
    readyReplicas: facts.membership === undefined ? 0 : ready,
    selector: Object.entries(selectorOf(metadata.name))
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
    ...(members ? { members } : {}),
    ...(leaderID === undefined ? {} : { leaderID }),
    ...(recorded.clusterId === undefined ? {} : { clusterID: recorded.clusterId }),
    clientEndpoints: [clientEndpoint(cluster)],
    ...(currentVersion === undefined ? {} : { currentVersion }),
    ...(recorded.version === undefined ? {} : { targetVersion: recorded.version }),
    ...(recorded.stopped ? { stoppedSize: recorded.stopped.size, stoppedStart: recorded.stopped.start } : {}),
    ...operationStatus(input, decision),
    ...(recorded.recovery
      ? {
          recovery: {
            survivor: recorded.recovery.survivor,
            phase: recorded.recovery.phase,
            startedAt: timestampAt(recorded.recovery.startedAtMs),
            ...(recorded.recovery.podUid === undefined ? {} : { podUID: recorded.recovery.podUid }),
            ...(recorded.recovery.target === undefined ? {} : { target: recorded.recovery.target }),
          },
        }
      : {}),
    ...(recorded.restore ? { restore: restoringStatus(recorded.restore) } : {}),
    ...(recorded.restoredFrom === undefined ? {} : { restoredFrom: recorded.restoredFrom }),
    ...parkedStatus(recorded),
    ...(recorded.space
      ? {
          space: {
            startedAt: timestampAt(recorded.space.startedAtMs),
            revision: recorded.space.revision,
            compactedSlots: recorded.space.compacted,
            defragmented: recorded.space.defragmented,
          },
        }
      : {}),
    ...(recorded.quorumLostAtMs === undefined ? {} : { quorumLostAt: timestampAt(recorded.quorumLostAtMs) }),
    volumes: volumesOf(recorded.volumes),
    ...(certificates?.notAfterMs === undefined
      ? {}
      : { certificates: { notAfter: timestampAt(certificates.notAfterMs) } }),
    lastUpdateTime: phase === before?.phase ? (before?.lastUpdateTime ?? now) : now,
  };
}

function operationStatus(
  { facts }: PassInput,
  { recorded, action, waiting }: Decision,
): Pick<EtcdClusterStatus, 'operation'> {
  const { operation } = recorded;
  if (operation === undefined) return {};
  const { type, slot, startedAtMs, memberId, volumeUid, podUid, attempts } = operation;
  const message = action ? `${action.do}: ${action.why}` : waiting?.message;
  return {
    operation: {
      type,
      slot,
      startedAt: timestampAt(Math.min(startedAtMs, facts.nowMs)),
      ...(memberId === undefined ? {} : { memberID: memberId }),
      ...(volumeUid === undefined ? {} : { volumeUID: volumeUid }),
      ...(podUid === undefined ? {} : { podUID: podUid }),
      ...(attempts === undefined ? {} : { attempts }),
      ...(action ? { step: action.do } : {}),
      ...(message === undefined ? {} : { message }),
    },
  };
}

/** Undefined if the members are not known now: then the last list is kept. */
function membersOf(cluster: EtcdCluster, { facts }: PassInput): readonly MemberStatus[] | undefined {
  const { membership } = facts;
  if (membership === undefined) return undefined;
  const leader = slotOfMember(facts, membership.leaderId)?.status;
  const before = new Map(cluster.status?.members?.map(({ id, dbSizeBytes }) => [id, dbSizeBytes]));
  const indexOf = (id: string) => slotOfMember(facts, id)?.index ?? Number.POSITIVE_INFINITY;
  const sorted = [...membership.members].sort((one, other) => indexOf(one.id) - indexOf(other.id));
  return sorted.map((member) => {
    const slot = slotOfMember(facts, member.id);
    const [peerURL] = member.peerURLs;
    const message = slot && whyNotReady(slot);
    return {
      name: slot?.podName ?? member.name,
      id: member.id,
      ...(peerURL === undefined ? {} : { peerURL }),
      ...(slot ? { clientURL: clientURL(cluster, slot.index) } : {}),
      ready: slot?.isServing ?? false,
      role: member.isLearner ? 'learner' : member.id === membership.leaderId ? 'leader' : 'follower',
      ...(slot?.status
        ? { version: slot.status.version, dbSizeBytes: steady(slot.status.dbSizeBytes, before.get(member.id)) }
        : {}),
      ...(slot?.status && leader ? { lag: lagOf(slot.status.raftAppliedIndex, leader.raftIndex) } : {}),
      ...(message === undefined ? {} : { message }),
    };
  });
}

/** Without a membership nothing is known about roles; a member that does not answer is not ready. */
function lastKnown({ role: _, lag: __, message: ___, ...member }: MemberStatus, { facts }: PassInput): MemberStatus {
  const slot = facts.slots.find(({ podName }) => podName === member.name);
  const message = slot ? whyNotReady(slot) : 'no pod';
  return { ...member, ready: slot?.isServing ?? false, ...(message === undefined ? {} : { message }) };
}

/** A status that changes with every write of a client would be written each time: only differences of a tenth count. */
function steady(size: number, before: number | undefined): number {
  return before !== undefined && Math.abs(size - before) <= before / 10 ? before : size;
}

/** In hundreds: members are read one after the other, so that small differences say nothing. */
function lagOf(applied: bigint, of: bigint): number {
  return applied >= of ? 0 : Math.floor(Number(of - applied) / 100) * 100;
}

function whyNotReady({ pod, status, statusError, isServing }: SlotFacts): string | undefined {
  if (isServing) return undefined;
  if (pod === undefined) return 'no pod';
  if (pod.waitingReason !== undefined) return [pod.waitingReason, pod.lastTermination].filter(Boolean).join(': ');
  return status === undefined ? (statusError ?? 'no answer') : 'not in sync yet';
}

function msOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : timeMsOf(time);
}
