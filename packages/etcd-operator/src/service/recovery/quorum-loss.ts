/**
 * Loss of the quorum: detection, and recovery from one member if the user allows it. The recovery discards writes that
 * only lost members have, so it never starts by itself. All members stop before the survivor starts as the only one. The
 * volumes of the others are kept until the cluster was Ready for long enough.
 */
import { timestampAt } from '@ecsm/runtime';
import { slotAt, slotsInRange } from '../cluster/range.ts';
import { isRunning, isServing, quorumOf } from '../health/quorum.ts';
import type { Decision, Finding, PassInput, QuorumRecovery, Recorded, SlotFacts } from '../model.ts';
import { act, blocked, isParked, normal, record, wait, warning } from '../rule.ts';

/** Continues a recovery. */
export function recovery(input: PassInput): Decision | undefined {
  const { recovery: current } = input.recorded;
  if (current === undefined) return undefined;
  switch (current.phase) {
    case 'Stopping':
      return stopAll(input, current);
    case 'Forcing':
      return force(input, current);
    case 'Cleaning':
      return clean(input, current);
    case 'Moving':
      return move(input, current);
  }
}

/** Parked volumes may use this many times what the cluster uses. Above it, the oldest are kept for a shorter time. */
const parkedFactor = 3;
const parkedPart = 1 / 24;

/**
 * Deletes volumes that a recovery has parked, one after another, when the cluster was Ready for long enough that its data
 * is known to be the right one. The last rule but one: every member serves, and nothing else is to be done.
 */
export function parkedVolumes(input: PassInput): Decision | undefined {
  const { recorded, facts, wanted, settings } = input;
  const { parked = {}, parkedByRecovery: slots = [], readySinceMs } = recorded;
  const volumes = slots.flatMap((index) => {
    const volume = slotAt(facts, index)?.volume;
    return volume?.isOurs && volume.uid === parked[index] ? [{ index, ...volume }] : [];
  });
  const gone = slots.filter((slot) => volumes.every(({ index }) => index !== slot));
  if (gone.length > 0) return record(withoutParked(recorded, gone));
  const oldest = volumes.find(({ isDeleting }) => !isDeleting);
  if (oldest === undefined || readySinceMs === undefined) return undefined;
  const bytes = volumes.reduce((sum, { requestBytes }) => sum + requestBytes, 0);
  const isTooMuch = bytes > parkedFactor * wanted.size * wanted.storageBytes;
  const keptMs = isTooMuch ? settings.parkedMs * parkedPart : settings.parkedMs;
  if (facts.nowMs - readySinceMs < keptMs) return undefined;
  const why = `it was parked by a recovery, and the cluster is ready since ${timestampAt(readySinceMs)}`;
  return act(input, { do: 'deleteVolume', slot: oldest.index, uid: oldest.uid, why });
}

function withoutParked(recorded: Recorded, slots: readonly number[]): Recorded {
  const { parked = {}, parkedByRecovery = [], ...rest } = recorded;
  const left = Object.entries(parked).filter(([slot]) => !slots.includes(Number(slot)));
  const recovered = parkedByRecovery.filter((slot) => !slots.includes(slot));
  return {
    ...rest,
    ...(left.length > 0 ? { parked: Object.fromEntries(left) } : {}),
    ...(recovered.length > 0 ? { parkedByRecovery: recovered } : {}),
  };
}

/** Detects the loss, and starts a recovery if the annotation allows it. */
export function quorumLoss(input: PassInput): Decision | undefined {
  const { facts, recorded, settings } = input;
  if (facts.membership !== undefined) {
    return recorded.quorumLostAtMs === undefined ? undefined : record(withoutLoss(recorded));
  }
  // A member asks its quorum before it refuses a read, so there is one, and nothing to recover.
  if (slotsInRange(facts).some(({ status, isDenied }) => status !== undefined && isDenied)) {
    const message = 'etcd has authentication enabled, and refuses the operator: the members are not known';
    return blocked(input, 'AuthenticationRequired', message, { recorded: withoutLoss(recorded) });
  }
  if (recorded.quorumLostAtMs === undefined) return record({ ...recorded, quorumLostAtMs: facts.nowMs });
  const finding = lossOf(input);
  const unseen = unseenQuorum(input);
  if (facts.nowMs - recorded.quorumLostAtMs < settings.quorumGraceMs) {
    return wait(input, 'WaitingForQuorum', finding.message);
  }
  return unseen ? blocked(input, unseen.reason, unseen.message) : startRecovery(input, finding);
}

/**
 * Why there may be a quorum that the operator does not see. A member with which TLS fails runs, and may serve clients whose
 * certificates it accepts. A pod is ready if its member has served a linearizable read, which Kubernetes asks for without
 * TLS.
 */
function unseenQuorum({ facts }: PassInput): Finding | undefined {
  const slots = slotsInRange(facts);
  const untrusted = slots.filter(({ isUntrusted }) => isUntrusted);
  const answering = slots.filter(({ status }) => status !== undefined);
  if (untrusted.length > 0 && answering.length + untrusted.length >= quorumOf(slots.length)) {
    const message = `members may have a quorum, but TLS with them fails: ${untrusted.map(whySilent).join('; ')}`;
    return { reason: 'CertificateUntrusted', message };
  }
  const ready = slots.filter(({ pod }) => pod?.isReady && !pod.isDeleting);
  if (ready.length === 0) return undefined;
  const names = ready.map(({ podName }) => podName).join(', ');
  const message = `the operator does not reach the members, but Kubernetes does: ready pods are ${names}`;
  return { reason: 'Unreachable', message };
}

function startRecovery(input: PassInput, { reason, message }: Finding): Decision {
  const { wanted, facts, recorded } = input;
  const { recoverFrom } = wanted;
  if (recoverFrom === undefined) return blocked(input, reason, message);
  const survivor = survivorOf(input, recoverFrom);
  if (survivor === undefined) {
    const why =
      recoverFrom === 'auto'
        ? 'no member answers; name the pod to keep'
        : `${recoverFrom} is not a member, or its volume was lost`;
    return blocked(input, reason, `${message}; recovery from ${recoverFrom} is not possible: ${why}`);
  }
  const running = runningMajority(input);
  if (running !== undefined) {
    const why = `the processes of ${running} may run, and are a quorum; bring them back, or prove that they are dead: delete their Node, or claims whose data is of no use`;
    return blocked(input, reason, `${message}; recovery from ${recoverFrom} is refused: ${why}`);
  }
  const next: QuorumRecovery = { survivor: survivor.index, phase: 'Stopping', startedAtMs: facts.nowMs };
  const { operation: _, ...rest } = recorded;
  return record({ ...rest, recovery: next }, [
    warning(
      'RecoveryStarted',
      `recovering the cluster from ${survivor.podName}; writes that only other members have are lost`,
    ),
  ]);
}

/**
 * The named pod, or the one with the most entries of those that answer. A member that has restarted does not answer before
 * there is a quorum, so one that is named, or the only one that is left, needs no more than its volume.
 */
function survivorOf(input: PassInput, name: string): SlotFacts | undefined {
  const slots = slotsInRange(input.facts);
  const answering = slots.filter(({ status }) => status !== undefined && !status.isLearner);
  const intact = slots.filter((slot) => slot.status === undefined && hasItsVolume(input, slot));
  if (name !== 'auto') return [...answering, ...intact].find(({ podName }) => podName === name);
  const [only, ...others] = intact;
  if (answering.length === 0) return others.length === 0 ? only : undefined;
  return answering.reduce<SlotFacts | undefined>((best, slot) => (isAhead(slot, best) ? slot : best), undefined);
}

/**
 * Names of the pods whose processes may run with the data of their members, if they are a majority. A pod that exists is no
 * proof that its process has ended: its node may be cut off, and serve clients.
 */
function runningMajority({ facts, recorded: { volumes } }: PassInput): string | undefined {
  const slots = slotsInRange(facts);
  const running = slots.filter(({ index, pod, volume }) => {
    const hasOtherVolume = volume !== undefined && volumes[index] !== undefined && volume.uid !== volumes[index];
    return pod !== undefined && (isRunning(pod) || pod.phase === 'Unknown') && !hasOtherVolume;
  });
  return running.length < quorumOf(slots.length) ? undefined : running.map(({ podName }) => podName).join(', ');
}

/** Not that of a member that was still joining. */
function hasItsVolume({ recorded: { volumes, operation } }: PassInput, { index, volume }: SlotFacts): boolean {
  const isJoining = operation?.slot === index && ['AddMember', 'ReplaceMember'].includes(operation.type);
  return volume !== undefined && !volume.isDeleting && volume.uid === volumes[index] && !isJoining;
}

function isAhead({ status }: SlotFacts, other: SlotFacts | undefined): boolean {
  if (status === undefined || other?.status === undefined) return other === undefined;
  if (status.raftTerm !== other.status.raftTerm) return status.raftTerm > other.status.raftTerm;
  return status.raftIndex > other.status.raftIndex;
}

function lossOf({ facts }: PassInput): Finding {
  const slots = slotsInRange(facts);
  const silent = slots.filter(({ status }) => status === undefined);
  const each = silent.map(whySilent).join('; ');
  const answering = slots.length - silent.length;
  return {
    reason: 'QuorumLost',
    message: `no quorum: ${answering} of ${slots.length} members answer${each && ` (${each})`}`,
  };
}

function whySilent(slot: SlotFacts): string {
  return `${slot.podName}: ${silenceOf(slot)}`;
}

function silenceOf({ pod, volume, statusError }: SlotFacts): string {
  if (pod === undefined) return volume === undefined ? 'no pod and no volume' : 'no pod';
  if (pod.isDeleting) return 'the pod is being deleted';
  if (pod.waitingReason !== undefined) return [pod.waitingReason, pod.lastTermination].filter(Boolean).join(', ');
  return pod.phase === 'Running' ? (statusError ?? 'no answer') : `the pod is ${pod.phase}`;
}

function stopAll(input: PassInput, current: QuorumRecovery): Decision {
  const { facts, recorded } = input;
  const { set, membership } = facts;
  if (membership !== undefined && membership.members.length > 1) {
    return record(withoutRecovery(recorded), [normal('RecoveryCancelled', 'the quorum is back')]);
  }
  const running = set && set.replicas > 0 ? runningMajority(input) : undefined;
  if (running !== undefined) {
    return record(withoutRecovery(recorded), [normal('RecoveryCancelled', `the processes of ${running} run again`)]);
  }
  if (set === undefined || set.replicas > 0 || set.start !== current.survivor) {
    const why = 'all members stop before one is restarted as the only member';
    return act(input, { do: set ? 'setRange' : 'createSet', start: current.survivor, replicas: 0, why });
  }
  const pods = facts.slots.filter(({ pod }) => pod !== undefined);
  if (pods.length > 0) return wait(input, 'Recovering', `waiting until ${pods.length} pods are stopped`);
  return record({ ...recorded, recovery: { ...current, phase: 'Forcing' } });
}

function force(input: PassInput, current: QuorumRecovery): Decision {
  const { facts, recorded } = input;
  const { set, membership } = facts;
  const survivor = slotAt(facts, current.survivor);
  if (set === undefined || set.replicas !== 1) {
    const why = 'the survivor starts as the only member';
    return act(input, { do: set ? 'setRange' : 'createSet', start: current.survivor, replicas: 1, why });
  }
  if (membership === undefined || survivor === undefined || !isServing(survivor)) {
    return wait(input, 'Recovering', `waiting for ${survivor?.podName ?? 'the survivor'} to start as the only member`);
  }
  const stray = membership.members.find(({ id }) => id !== survivor.member?.id);
  // Older versions keep members that a forced start should have removed.
  if (stray) {
    return act(input, { do: 'removeMember', slot: current.survivor, memberId: stray.id, why: 'it was not recovered' });
  }
  const podUid = survivor.pod && { podUid: survivor.pod.uid };
  return record({ ...recorded, recovery: { ...current, ...podUid, phase: 'Cleaning' } });
}

/**
 * Kubernetes updates the mounted configuration of a pod after a minute or two. A container that restarts before starts once
 * more as the only member, without those that have joined: so its pod is replaced before any does.
 */
function clean(input: PassInput, current: QuorumRecovery): Decision {
  const { facts, recorded } = input;
  const { podUid } = current;
  const survivor = slotAt(facts, current.survivor);
  const isOldPod = podUid !== undefined && survivor?.pod?.uid === podUid;
  if (isOldPod && !survivor.pod.isDeleting) {
    const why = 'it does not start as the only member any more';
    return act(input, { do: 'deletePod', slot: current.survivor, uid: podUid, why });
  }
  for (const slot of facts.slots) {
    const { index, podName, volume } = slot;
    if (index === current.survivor || volume === undefined || !volume.isOurs || isParked(recorded, slot)) continue;
    if (volume.isDeleting) return wait(input, 'Recovering', `waiting until the volume of ${podName} is deleted`);
    if (volume.uid === recorded.volumes[index]) continue;
    return act(input, {
      do: 'deleteVolume',
      slot: index,
      uid: volume.uid,
      why: 'it was created instead of a lost one',
    });
  }
  const podName = survivor?.podName ?? '';
  if (podUid !== undefined && (isOldPod || !survivor || !isServing(survivor))) {
    return wait(input, 'Recovering', `waiting for ${podName || 'the survivor'} to start again`);
  }
  const { [current.survivor]: uid, ...others } = recorded.volumes;
  const volumes = uid === undefined ? {} : { [current.survivor]: uid };
  const kept = Object.entries(others).filter(([index, other]) => slotAt(facts, Number(index))?.volume?.uid === other);
  const after = parking({ ...recorded, volumes }, Object.fromEntries(kept));
  const isBelow = facts.slots.some(({ index, volume }) => index > current.survivor && volume !== undefined);
  if (!isBelow) return completed(after, podName);
  const { podUid: _, ...rest } = current;
  const target = Math.max(...facts.slots.map(({ index }) => index)) + 1;
  return record({ ...after, recovery: { ...rest, phase: 'Moving', target } });
}

function parking(recorded: Recorded, volumes: Readonly<Record<number, string>>): Recorded {
  const slots = Object.keys(volumes).map(Number);
  if (slots.length === 0) return recorded;
  return {
    ...recorded,
    parked: { ...recorded.parked, ...volumes },
    parkedByRecovery: [...(recorded.parkedByRecovery ?? []), ...slots],
  };
}

function completed(recorded: Recorded, podName: string): Decision {
  const event = normal('RecoveryCompleted', `the cluster was recovered from ${podName}`);
  return record(withoutLoss(withoutRecovery(recorded)), [event]);
}

/**
 * The slots of a StatefulSet have no gaps, and a slot belongs to its volume. So the data moves to a slot above the parked
 * volumes as to any new member: as a learner, which is promoted before the survivor is removed. Pods in between have no
 * configuration, and do not start.
 */
function move(input: PassInput, current: QuorumRecovery): Decision {
  const { facts, recorded } = input;
  const { set, membership } = facts;
  const { survivor, target = survivor } = current;
  const [from, to] = [slotAt(facts, survivor), slotAt(facts, target)];
  if (membership === undefined || set === undefined || from === undefined || to === undefined) {
    return wait(input, 'Recovering', `waiting for ${from?.podName ?? 'the survivor'} to serve`);
  }
  const why = `the data of ${from.podName} moves to ${to.podName}, above the volumes that are parked`;
  if (to.member === undefined) return act(input, { do: 'addLearner', slot: target, peerURL: to.peerURL, why });
  if (from.member) {
    const replicas = target - survivor + 1;
    if (set.start !== survivor || set.replicas !== replicas) {
      return act(input, { do: 'setRange', start: survivor, replicas, why });
    }
    if (to.member.isLearner) {
      if (to.status === undefined) return wait(input, 'Recovering', `waiting for ${to.podName} to start`);
      return act(input, { do: 'promote', slot: target, memberId: to.member.id, why });
    }
    if (!isServing(to)) return wait(input, 'Recovering', `waiting for ${to.podName} to serve`);
    if (membership.leaderId !== to.member.id) {
      return act(input, { do: 'moveLeader', slot: target, memberId: to.member.id, why });
    }
    return act(input, { do: 'removeMember', slot: survivor, memberId: from.member.id, why });
  }
  if (set.start !== target || set.replicas !== 1) {
    return act(input, { do: 'setRange', start: target, replicas: 1, why: `${from.podName} has moved` });
  }
  const pods = facts.slots.filter(({ index, pod }) => index !== target && pod !== undefined);
  if (pods.length > 0) return wait(input, 'Recovering', `waiting until ${pods.length} pods are stopped`);
  if (to.volume === undefined || !isServing(to)) {
    return wait(input, 'Recovering', `waiting for ${to.podName} to serve`);
  }
  const { [survivor]: uid } = recorded.volumes;
  const after = parking(recorded, uid === undefined ? {} : { [survivor]: uid });
  return completed({ ...after, volumes: { [target]: to.volume.uid } }, from.podName);
}

function withoutRecovery(recorded: Recorded): Recorded {
  const { recovery: _, ...rest } = recorded;
  return rest;
}

function withoutLoss(recorded: Recorded): Recorded {
  const { quorumLostAtMs: _, ...rest } = recorded;
  return rest;
}
