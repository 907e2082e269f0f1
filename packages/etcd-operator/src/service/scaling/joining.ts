/** Finishes membership changes that have begun: members that leave, and learners that join. */

import { isDispensable, isInRange, slotAt, slotsInRange, withSlot } from '../cluster/range.ts';
import { isDead, learnerOf, slotOfMember } from '../health/quorum.ts';
import type { Decision, PassInput, SlotFacts } from '../model.ts';
import { act, blocked, finished, isParked, normal, record, wait, warning, withoutVolume } from '../rule.ts';

/** A slot whose member was removed: the pod goes, and then the volume. */
export function leaving(input: PassInput): Decision | undefined {
  const { facts, recorded, wanted } = input;
  const { set, membership } = facts;
  if (membership === undefined || set === undefined) return undefined;
  const last = slotAt(facts, set.start + set.replicas - 1);
  if (set.replicas > 1 && last && last.member === undefined) {
    const why = `${last.podName} is not a member any more`;
    return act(input, { do: 'setRange', start: set.start, replicas: set.replicas - 1, why });
  }
  const first = slotAt(facts, set.start);
  if (set.replicas > 1 && first && first.member === undefined && isDispensable(input, first)) {
    const why = `${first.podName} is not a member any more`;
    return act(input, { do: 'setRange', start: set.start + 1, replicas: set.replicas - 1, why });
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
export function leftBehind(input: PassInput): Decision | undefined {
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
export function learner(input: PassInput): Decision | undefined {
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
  if (!hasStarted || slot.volume === undefined) {
    const { operation } = recorded;
    if (operation && facts.nowMs - operation.startedAtMs > settings.learnerDeadlineMs)
      return startOver(input, slot, member.id);
    return wait(input, 'WaitingForPod', `waiting for ${slot.podName} to join`);
  }
  if (recorded.volumes[slot.index] !== slot.volume.uid) {
    return record({ ...recorded, volumes: { ...recorded.volumes, [slot.index]: slot.volume.uid } });
  }
  return act(input, { do: 'promote', slot: slot.index, memberId: member.id, why: `${slot.podName} is in sync` });
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
