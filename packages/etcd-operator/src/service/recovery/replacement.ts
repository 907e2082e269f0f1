/**
 * Replaces a member whose data is lost or unusable: the member is removed, its volume deleted, and a learner added in
 * the same slot. Only while a quorum serves without it, and one at a time. A pod that was lost with its volume intact is
 * no reason: it restarts with the same identity.
 */

import { isDispensable, slotAt, slotsInRange } from '../cluster/range.ts';
import { holdsWithout, isServing, learnerOf, slotOfMember } from '../health/quorum.ts';
import type { Decision, Operation, PassInput, SlotFacts } from '../model.ts';
import { act, blocked, finished, normal, record, wait, warning, withoutVolume } from '../rule.ts';

export function replacement(input: PassInput): Decision | undefined {
  const { operation } = input.recorded;
  return operation?.type === 'ReplaceMember' ? proceed(input, operation) : begin(input);
}

function begin(input: PassInput): Decision | undefined {
  const { facts, recorded } = input;
  if (facts.membership === undefined) return undefined;
  const broken = slotsInRange(facts).flatMap((slot) => {
    const fault = faultOf(input, slot);
    return fault && slot.member ? [{ slot, member: slot.member, fault }] : [];
  });
  const [first] = broken;
  if (first === undefined) return undefined;
  const { slot, member, fault } = first;
  const learner = learnerOf(facts);
  // One membership change at a time: a learner that makes progress comes first.
  if (learner && learner.id !== member.id) return undefined;
  if (!member.isLearner && !holdsWithout(facts, slot)) {
    return blocked(
      input,
      'MemberUnhealthy',
      `${slot.podName} has to be replaced (${fault}), but the others have no quorum`,
    );
  }
  const volumeUid = recorded.volumes[slot.index] ?? slot.volume?.uid;
  const operation: Operation = {
    type: 'ReplaceMember',
    slot: slot.index,
    memberId: member.id,
    startedAtMs: facts.nowMs,
    ...(volumeUid === undefined ? {} : { volumeUid }),
  };
  return record({ ...recorded, operation }, [warning('MemberReplaced', `replacing ${slot.podName}: ${fault}`)]);
}

/** Why the data of a member is lost or unusable; undefined if it is not. */
function faultOf({ recorded, facts, settings }: PassInput, slot: SlotFacts): string | undefined {
  const { member, volume, pod } = slot;
  if (member === undefined) return undefined;
  const known = recorded.volumes[slot.index];
  if (volume && !volume.isDeleting && known !== undefined && volume.uid !== known) {
    return 'its volume was deleted';
  }
  if (volume?.phase === 'Lost') return 'its volume is lost';
  if (facts.alarms.some(({ type, memberId }) => type === 'CORRUPT' && memberId === member.id)) {
    return 'its data is corrupt';
  }
  if (slot.status !== undefined || pod === undefined || pod.isDeleting) return undefined;
  const isStuck = pod.restarts >= settings.restartsMax && pod.waitingReason !== undefined;
  // A version or a setting that does not work is no fault of the data: the same template has to work for another member.
  const worksElsewhere = facts.slots.some((other) => isServing(other) && other.pod?.templateHash === pod.templateHash);
  // A change in progress comes first. A member that was added and votes is none, whether it serves or not.
  const { operation } = recorded;
  const isAdded = operation?.type === 'AddMember' && slotAt(facts, operation.slot)?.member?.isLearner === false;
  if ((operation !== undefined && !isAdded) || !worksElsewhere) return undefined;
  if (isStuck && !pod.lastTermination?.startsWith('OOMKilled')) {
    return `its container does not start (${pod.restarts} restarts)`;
  }
  return undefined;
}

function proceed(input: PassInput, operation: Operation): Decision | undefined {
  const { facts, recorded } = input;
  const slot = slotAt(facts, operation.slot);
  if (facts.membership === undefined || slot === undefined) {
    return wait(input, 'WaitingForQuorum', 'the members cannot be listed now');
  }
  const old = facts.membership.members.find(({ id }) => id === operation.memberId);
  if (old) return leave(input, slot, operation);
  const alarm = facts.alarms.find(({ memberId, type }) => type === 'CORRUPT' && memberId === operation.memberId);
  if (alarm) return act(input, { do: 'disarm', alarm, why: 'the corrupt member was removed' });
  const isOldVolume = slot.volume?.uid === operation.volumeUid;
  if (slot.volume && isOldVolume && !slot.volume.isDeleting) {
    const why = `${slot.podName} starts again without data`;
    return act(input, { do: 'deleteVolume', slot: slot.index, uid: slot.volume.uid, why });
  }
  if (slot.member === undefined) {
    if (isDispensable(input, slot)) return record(withoutVolume(finished(recorded), slot.index));
    // One that did not join is tried again after the others: it would prevent their replacement for ever.
    if ((operation.attempts ?? 0) > 0 && isOtherBroken(input, slot)) {
      return record(withoutVolume(finished(recorded), slot.index));
    }
    // A learner whose pod cannot start would stop every other change of the members.
    if (slot.pod?.isDeleting) return wait(input, 'WaitingForPod', `waiting until ${slot.podName} is stopped`);
    return join(input, slot, operation);
  }
  if (slot.pod && !slot.pod.isDeleting && (slot.pod.uid === operation.podUid || isOldVolume)) {
    const why = 'its member was replaced';
    return act(input, { do: 'deletePod', slot: slot.index, uid: slot.pod.uid, why });
  }
  // Whether it serves or not: another one that fails now would wait for it.
  if (!slot.member.isLearner && !isOldVolume) {
    return record(finished(recorded), [normal('MemberPromoted', `${slot.podName} is a voting member again`)]);
  }
  // It joins as every learner does.
  return undefined;
}

/** Whether another member has to be replaced, and can be. */
export function isOtherBroken({ recorded, ...input }: PassInput, slot: SlotFacts): boolean {
  const before = { ...input, recorded: finished(recorded) };
  return slotsInRange(input.facts).some(({ index, ...other }) => {
    const found = { index, ...other };
    return index !== slot.index && faultOf(before, found) !== undefined && holdsWithout(input.facts, found);
  });
}

/** The pod of this moment was created before the member was added: it cannot join, and is deleted afterwards. */
function join(input: PassInput, slot: SlotFacts, operation: Operation): Decision {
  const { index, peerURL, podName, pod } = slot;
  const { podUid: _, ...rest } = operation;
  const next: Operation = { ...rest, ...(pod ? { podUid: pod.uid } : {}) };
  const recorded = { ...withoutVolume(input.recorded, index), operation: next };
  return act(input, { do: 'addLearner', slot: index, peerURL, why: `${podName} joins again` }, { recorded });
}

function leave(input: PassInput, slot: SlotFacts, { memberId }: Operation): Decision {
  const { facts, recorded } = input;
  if (memberId === undefined) return record(finished(recorded));
  // The fault may have been a passing one.
  if (faultOf(input, slot) === undefined && isServing(slot)) return record(finished(recorded));
  if (!slot.member?.isLearner && !holdsWithout(facts, slot)) {
    return blocked(input, 'MemberUnhealthy', `${slot.podName} has to be replaced, but the others have no quorum`);
  }
  const successor = facts.membership?.leaderId === memberId ? successorOf(input, slot) : undefined;
  if (successor?.member) {
    const why = `${slot.podName} is replaced`;
    return act(input, { do: 'moveLeader', slot: successor.index, memberId: successor.member.id, why });
  }
  return act(input, { do: 'removeMember', slot: slot.index, memberId, why: `${slot.podName} is replaced` });
}

/** The member that leads next: the lowest slot that serves. */
export function successorOf({ facts }: PassInput, leaving: SlotFacts): SlotFacts | undefined {
  return facts.slots.find((slot) => slot.index !== leaving.index && isServing(slot));
}

export function leaderSlot({ facts }: PassInput): SlotFacts | undefined {
  return slotOfMember(facts, facts.membership?.leaderId);
}
