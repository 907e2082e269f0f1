/**
 * Scaling by one member at a time, and stopping. It waits until every member serves and nothing else is in progress, unless
 * a member may never serve again.
 */

import { nextSlot, slotAt, slotsInRange, slotsToGrow } from '../cluster/range.ts';
import { countVoters, isDead, learnerOf, mayRemove, voterSlots } from '../health/quorum.ts';
import type { Decision, PassInput, SlotFacts } from '../model.ts';
import { leaderSlot, successorOf } from '../recovery/replacement.ts';
import { act, blocked, finished, normal, record, wait } from '../rule.ts';
import { leftBehind } from './joining.ts';

export function scaling(input: PassInput): Decision | undefined {
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
  if (wanted.size === 0) return stop(input);
  if (voters < wanted.size) return grow(input);
  return voters > wanted.size ? shrink(input, slotsInRange(facts).at(-1)) : undefined;
}

/**
 * A smaller size removes the members first that may never serve again, wherever they are: nothing else would remove them,
 * and everything else waits for them.
 */
export function withoutDead(input: PassInput): Decision | undefined {
  const { wanted, facts } = input;
  if (wanted.size === 0 || countVoters(facts).voters <= wanted.size || learnerOf(facts)) return undefined;
  const voters = voterSlots(facts);
  const dead = voters.find((slot) => isDead(facts, slot));
  const isGap = slotsInRange(facts).some(({ member }) => member === undefined);
  return dead || isGap ? shrink(input, dead ?? voters.at(-1)) : undefined;
}

/** Stops the members without waiting for those that may never serve again, or for a quorum: a stop needs neither. */
export function stopping(input: PassInput): Decision | undefined {
  const { wanted, facts, recorded } = input;
  if (wanted.size > 0 || recorded.clusterId === undefined || facts.set === undefined) return undefined;
  // An alarm is answered first.
  if (facts.alarms.length > 0) return undefined;
  const isStuck = facts.membership === undefined || slotsInRange(facts).some((slot) => isDead(facts, slot));
  return isStuck ? stop(input) : undefined;
}

/** The slots are recorded first: they are what is started again, whatever size is wanted then. */
function stop(input: PassInput): Decision {
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

function grow(input: PassInput): Decision {
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

function shrink(input: PassInput, victim: SlotFacts | undefined): Decision {
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
