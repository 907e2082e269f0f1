/**
 * Changes the number of members, one at a time, and stops and starts all of them. Scaling waits until every member serves
 * and nothing else is in progress, unless a member may never serve again. A stop keeps the volumes and the membership: the
 * members that were stopped are started together, whatever size is wanted then, and only afterwards the cluster is scaled.
 */
import { isDispensable, isInRange, nextSlot, slotAt, slotsInRange, slotsToGrow, withSlot } from '../cluster/range.ts';
import { countVoters, isDead, learnerOf, mayRemove, quorumOf, slotOfMember, voterSlots } from '../health/quorum.ts';
import type { ClusterFacts, Decision, PassInput, Recorded, SlotFacts } from '../model.ts';
import { isOtherBroken, leaderSlot, successorOf } from '../recovery/replacement.ts';
import { act, blocked, finished, isParked, normal, record, wait, warning, withoutVolume } from '../rule.ts';

function scaling(input: PassInput): Decision | undefined {
  const { wanted, facts, recorded } = input;
  const { voters } = countVoters(facts);
  const { operation } = recorded;
  if (operation?.type === 'AddMember') {
    // The learner was promoted; or the operation was interrupted before it was added, and begins again below.
    const slot = slotAt(facts, operation.slot);
    const events = slot?.member ? [normal('MemberPromoted', `${slot.podName} is a voting member`)] : [];
    if (slot?.member || voters >= wanted.size) return record(finished(recorded), events);
  }
  // The size was raised again before etcd removed the member.
  if (operation?.type === 'RemoveMember' && wanted.size > 0 && voters <= wanted.size) return record(finished(recorded));
  if (wanted.size === 0) return scaleToZero(input);
  if (voters < wanted.size) return scaleUp(input);
  return voters > wanted.size ? scaleDown(input, slotsInRange(facts).at(-1)) : undefined;
}

/**
 * A smaller size removes the members first that may never serve again, wherever they are: nothing else would remove them,
 * and everything else waits for them.
 */
function withoutDead(input: PassInput): Decision | undefined {
  const { wanted, facts } = input;
  if (wanted.size === 0 || countVoters(facts).voters <= wanted.size || learnerOf(facts)) return undefined;
  const voters = voterSlots(facts);
  const dead = voters.find((slot) => isDead(facts, slot));
  const isGap = slotsInRange(facts).some(({ member }) => member === undefined);
  return dead || isGap ? scaleDown(input, dead ?? voters.at(-1)) : undefined;
}

/** Stops the members without waiting for those that may never serve again, or for a quorum: a stop needs neither. */
function stopping(input: PassInput): Decision | undefined {
  const { wanted, facts, recorded } = input;
  if (wanted.size > 0 || recorded.clusterId === undefined || facts.set === undefined) return undefined;
  // An alarm is answered first.
  if (facts.alarms.length > 0) return undefined;
  const isStuck = facts.membership === undefined || slotsInRange(facts).some((slot) => isDead(facts, slot));
  return isStuck ? scaleToZero(input) : undefined;
}

/** The slots are recorded first: they are what is started again, whatever size is wanted then. */
function scaleToZero(input: PassInput): Decision {
  const { facts, recorded } = input;
  const { set, alarms } = facts;
  if (set === undefined) return wait(input, 'Stopping', 'there is no StatefulSet');
  if (alarms.length > 0) {
    return blocked(input, 'AlarmActive', 'the cluster is not stopped while an alarm is active');
  }
  return record({ ...finished(recorded), stopped: { start: set.start, size: set.replicas } }, [
    normal('ClusterStopped', `stopping ${set.replicas} members; their volumes are kept`),
  ]);
}

function scaleUp(input: PassInput): Decision {
  const { facts, recorded, wanted } = input;
  const { set } = facts;
  if (set === undefined) return wait(input, 'Scaling', 'there is no StatefulSet');
  const index = nextSlot(set, recorded.parked);
  const slot = slotAt(facts, index);
  if (slot?.pod) return leftBehind(input) ?? wait(input, 'WaitingForPod', `waiting until ${slot.podName} is stopped`);
  // All slots before the first learner: the cluster would stop at an even size.
  const used = slotsToGrow(input)
    .flatMap((one) => slotAt(facts, one) ?? [])
    .filter(({ volume }) => volume !== undefined);
  const claims = used.map(({ podName }) => `data-${podName}`).join(', ');
  if (used.some(({ volume }) => volume?.isDeleting === false)) {
    const message = `volumes of earlier members exist and are retained: ${claims}; delete them to let the cluster grow`;
    return blocked(input, 'VolumesExist', message);
  }
  if (used.length > 0) return wait(input, 'WaitingForVolume', `waiting until ${claims} are deleted`);
  if (recorded.operation?.type !== 'AddMember' || recorded.operation.slot !== index) {
    const operation = { type: 'AddMember', slot: index, startedAtMs: facts.nowMs } as const;
    return record({ ...recorded, operation });
  }
  const peerURL = slot?.peerURL;
  if (peerURL === undefined) return wait(input, 'Scaling', `slot ${index} is not known`);
  const why = `size is ${wanted.size}`;
  return act(input, { do: 'addLearner', slot: index, peerURL, why });
}

function scaleDown(input: PassInput, victim: SlotFacts | undefined): Decision {
  const { facts, recorded, wanted } = input;
  if (victim?.member === undefined) return wait(input, 'Scaling', 'the last slot has no member');
  if (!mayRemove(facts, victim))
    return wait(input, 'WaitingForQuorum', `the others have no quorum without ${victim.podName}`);
  const { operation } = recorded;
  if (operation?.type !== 'RemoveMember' || operation.slot !== victim.index) {
    const next = {
      type: 'RemoveMember',
      slot: victim.index,
      memberId: victim.member.id,
      startedAtMs: facts.nowMs,
    } as const;
    return record({ ...recorded, operation: next });
  }
  const why = `size is ${wanted.size}`;
  const successor = leaderSlot(input)?.index === victim.index ? successorOf(input, victim) : undefined;
  if (successor?.member) {
    return act(input, { do: 'moveLeader', slot: successor.index, memberId: successor.member.id, why });
  }
  return act(input, { do: 'removeMember', slot: victim.index, memberId: victim.member.id, why });
}

/** Continues to stop, keeps stopped, or starts what was stopped. `scaleToZero` is begun by the rule for scaling. */
function stopped(input: PassInput): Decision | undefined {
  const { wanted, recorded } = input;
  if (recorded.stopped === undefined) return undefined;
  return wanted.size === 0 ? keepStopped(input) : restartFromZero(input, recorded.stopped);
}

function keepStopped(input: PassInput): Decision {
  const { recorded, facts } = input;
  const { set } = facts;
  if (set && set.replicas > 0) {
    return act(input, { do: 'setRange', start: set.start, replicas: 0, why: 'size is 0: all members are stopped' });
  }
  const pods = facts.slots.filter(({ pod }) => pod !== undefined);
  if (pods.length > 0) return wait(input, 'Stopping', `waiting until ${pods.length} pods are stopped`);
  return { recorded, events: [] };
}

function restartFromZero(input: PassInput, { start, size }: NonNullable<Recorded['stopped']>): Decision {
  const { recorded, facts } = input;
  const { set, membership } = facts;
  const slots = Array.from({ length: size }, (_, offset) => slotAt(facts, start + offset));
  const intact = slots.filter((slot) => slot?.volume !== undefined && slot.volume.uid === recorded.volumes[slot.index]);
  // A slot whose learner has not started has no data.
  const needed = quorumOf(slots.filter((slot) => slot && recorded.volumes[slot.index] !== undefined).length);
  if (intact.length < needed) {
    const message = `${intact.length} of ${size} volumes are left, and a quorum of ${needed} is needed; restore a backup into a new cluster`;
    return blocked(input, 'DataMissing', message);
  }
  if (set === undefined || set.start !== start || set.replicas !== size) {
    const why = `the ${size} members that were stopped are started`;
    return act(input, { do: set ? 'setRange' : 'createSet', start, replicas: size, why });
  }
  if (membership === undefined) {
    const ready = slots.filter((slot) => slot?.status !== undefined).length;
    return wait(input, 'Starting', `${ready} of ${size} members are running; waiting for a quorum`);
  }
  const { stopped: _, ...rest } = recorded;
  return record(rest, [normal('ClusterStarted', `${size} members started`)]);
}

/** A slot whose member was removed: the pod goes, and then the volume. */
function leaving(input: PassInput): Decision | undefined {
  const { facts, recorded, wanted } = input;
  const { set, membership } = facts;
  if (membership === undefined || set === undefined) return undefined;
  // With its volume it would count as a member whose pod is missing when the members cannot be listed.
  const without = (slot: SlotFacts, start: number) => {
    const why = `${slot.podName} is not a member any more`;
    const action = { do: 'setRange', start, replicas: set.replicas - 1, why } as const;
    return act(input, action, { recorded: withoutVolume(recorded, slot.index) });
  };
  const last = slotAt(facts, set.start + set.replicas - 1);
  if (set.replicas > 1 && last && last.member === undefined) return without(last, set.start);
  const first = slotAt(facts, set.start);
  if (set.replicas > 1 && first && first.member === undefined && isDispensable(input, first)) {
    return without(first, set.start + 1);
  }
  const inside = slotsInRange(facts).find(({ member }) => member === undefined);
  // A learner comes first.
  if (inside && !isDispensable(input, inside) && learnerOf(facts) === undefined) return rejoin(input, inside);
  for (const slot of facts.slots) {
    if (isInRange(set, slot.index) || slot.member !== undefined) continue;
    // Its volume is deleted when it has ended; what does not need it goes on.
    if (slot.pod && isDead(facts, slot)) continue;
    if (slot.pod) return wait(input, 'WaitingForPod', `waiting until ${slot.podName} is stopped`);
    if (slot.volume === undefined || !slot.volume.isOurs) {
      if (recorded.volumes[slot.index] !== undefined) return record(withoutVolume(recorded, slot.index));
      continue;
    }
    if (wanted.whenScaled === 'Retain' || isParked(recorded, slot)) {
      // Retained, and not that of a member any more.
      if (recorded.volumes[slot.index] !== undefined) return record(withoutVolume(recorded, slot.index));
      continue;
    }
    if (slot.volume.isDeleting)
      return wait(input, 'WaitingForVolume', `waiting until the volume of ${slot.podName} is deleted`);
    const why = `${slot.podName} was removed`;
    return act(input, { do: 'deleteVolume', slot: slot.index, uid: slot.volume.uid, why });
  }
  if (recorded.operation?.type !== 'RemoveMember') return undefined;
  const removed = slotAt(facts, recorded.operation.slot);
  if (removed?.member !== undefined) return undefined;
  const podName = removed?.podName ?? `slot ${recorded.operation.slot}`;
  return record(withoutVolume(finished(recorded), recorded.operation.slot), [
    normal('MemberRemoved', `${podName} was removed`),
  ]);
}

/** After everything else: pods of members that were removed and whose node does not end them. */
function leftBehind(input: PassInput): Decision | undefined {
  const { facts } = input;
  const left = facts.slots.filter((slot) => slot.pod && !isInRange(facts.set, slot.index) && isDead(facts, slot));
  if (left.length === 0) return undefined;
  const names = left.map(({ podName }) => podName).join(', ');
  return blocked(input, 'PodNotStopped', `pods of members that were removed do not end: ${names}`);
}

/** A pod in the middle of the range whose member was removed by a user: its data cannot be used again. */
function rejoin(input: PassInput, slot: SlotFacts): Decision {
  const { recorded, facts } = input;
  const volumeUid = recorded.volumes[slot.index] ?? slot.volume?.uid;
  const operation = {
    type: 'ReplaceMember',
    slot: slot.index,
    startedAtMs: facts.nowMs,
    ...(volumeUid === undefined ? {} : { volumeUid }),
  } as const;
  return record({ ...recorded, operation }, [
    warning('MemberReplaced', `replacing ${slot.podName}: its member was removed`),
  ]);
}

/** A learner: its pod starts, its volume is recorded, and it is promoted as soon as it is in sync. */
function learner(input: PassInput): Decision | undefined {
  const { facts, recorded, settings, wanted } = input;
  const member = learnerOf(facts);
  const { set } = facts;
  if (member === undefined || set === undefined) return undefined;
  const slot = slotOfMember(facts, member.id);
  if (slot === undefined)
    return blocked(input, 'ForeignMember', `learner ${member.id} does not belong to a pod of this cluster`);
  if (isDispensable(input, slot)) {
    const why = `size is ${wanted.size}`;
    return act(input, { do: 'removeMember', slot: slot.index, memberId: member.id, why });
  }
  if (!isInRange(set, slot.index)) {
    return act(input, { do: 'setRange', ...withSlot(set, slot.index), why: `${slot.podName} joins` });
  }
  const hasStarted = slot.status?.memberId === member.id;
  const { operation } = recorded;
  const isLate = operation !== undefined && facts.nowMs - operation.startedAtMs > settings.learnerDeadlineMs;
  if (!hasStarted || slot.volume === undefined) {
    if (isLate) return startOver(input, slot, member.id);
    return wait(input, 'WaitingForPod', `waiting for ${slot.podName} to join`);
  }
  if (recorded.volumes[slot.index] !== slot.volume.uid) {
    return record({ ...recorded, volumes: { ...recorded.volumes, [slot.index]: slot.volume.uid } });
  }
  // A large database takes long: only another member that has to be replaced, and cannot be meanwhile, ends it.
  if (isLate && isBehind(facts, slot) && isOtherBroken(input, slot)) return startOver(input, slot, member.id);
  return act(input, { do: 'promote', slot: slot.index, memberId: member.id, why: `${slot.podName} is in sync` });
}

/** Whether etcd would not promote a learner: it has less than nine tenths of what the leader has. */
function isBehind(facts: ClusterFacts, { status }: SlotFacts): boolean {
  const leader = slotOfMember(facts, facts.membership?.leaderId)?.status;
  return status !== undefined && leader !== undefined && status.raftIndex * 10n < leader.raftIndex * 9n;
}

function startOver(input: PassInput, slot: SlotFacts, memberId: string): Decision {
  const { facts, recorded } = input;
  const attempts = (recorded.operation?.attempts ?? 0) + 1;
  const volumeUid = slot.volume?.uid;
  const operation = {
    type: 'ReplaceMember',
    slot: slot.index,
    memberId,
    startedAtMs: facts.nowMs,
    attempts,
    ...(volumeUid === undefined ? {} : { volumeUid }),
  } as const;
  return record({ ...recorded, operation }, [
    warning('MemberReplaced', `${slot.podName} did not join in time; starting over (attempt ${attempts + 1})`),
  ]);
}

/** The rules, in the order of `nextAction`. */
export const ScalingService = { stopped, stopping, leaving, learner, withoutDead, scaling, leftBehind };
