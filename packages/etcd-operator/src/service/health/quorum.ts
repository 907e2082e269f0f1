/** Arithmetic of voters and quorums. It counts voters of the live member list, never pods and never the wanted size. */
import type { EtcdId, EtcdMember } from '../../client/etcd/contract.ts';
import type { ClusterFacts, PodFacts, SlotFacts } from '../model.ts';

export function quorumOf(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

export function voterSlots(facts: ClusterFacts): readonly SlotFacts[] {
  return facts.slots.filter(({ member }) => member !== undefined && !member.isLearner);
}

export function learnerOf(facts: ClusterFacts): EtcdMember | undefined {
  return facts.membership?.members.find(({ isLearner }) => isLearner);
}

export function slotOfMember(facts: ClusterFacts, id: EtcdId | undefined): SlotFacts | undefined {
  return id === undefined ? undefined : facts.slots.find(({ member }) => member?.id === id);
}

/** A started voter through which a linearizable read succeeded. */
export function isServing({ member, isServing }: SlotFacts): boolean {
  return member !== undefined && !member.isLearner && isServing;
}

/** Number of voters, of those that serve. Voters that are not in a slot count as voters only. */
export function countVoters({ membership, slots }: ClusterFacts): {
  readonly voters: number;
  readonly serving: number;
} {
  const voters = membership?.members.filter(({ isLearner }) => !isLearner).length ?? 0;
  return { voters, serving: slots.filter(isServing).length };
}

/**
 * Whether the pod of a slot may be stopped: the one place that decides it, for every reason to stop one. A container that
 * does not run may be, because nothing stops. The only voter may, because it cannot be restarted in another way. Otherwise
 * the others have to serve: all of them if this one does too, and a quorum of them if it does not, because it may take
 * part without being reachable from here.
 */
export function mayStop(facts: ClusterFacts, slot: SlotFacts): boolean {
  // Kubernetes may not have noticed yet that a container runs again: one whose member answers does.
  if (slot.pod === undefined || (!isRunning(slot.pod) && slot.status === undefined)) return true;
  if (slot.member === undefined || slot.member.isLearner) return facts.membership !== undefined;
  const { voters, serving } = countVoters(facts);
  if (voters === 1) return true;
  return isServing(slot) ? serving === voters && holdsWithout(facts, slot) : holdsWithout(facts, slot);
}

/** Whether the container of a pod runs. */
export function isRunning({ phase, waitingReason }: PodFacts): boolean {
  return phase === 'Running' && waitingReason === undefined;
}

/** Time after which a pod that is not ready, or does not end, is not waited for where it is not needed. */
export const deadMsMin = 120_000;

/** Whether a member may never come back: its node is lost, its pod does not end or does not start. */
export function isDead({ nowMs }: ClusterFacts, { pod, status, isServing }: SlotFacts): boolean {
  if (isServing || status !== undefined || pod?.downSinceMs === undefined) return false;
  return nowMs - pod.downSinceMs > deadMsMin;
}

/** Whether a quorum of the present voters serves without this slot. */
export function holdsWithout(facts: ClusterFacts, slot: SlotFacts): boolean {
  const { voters, serving } = countVoters(facts);
  return serving - (isServing(slot) ? 1 : 0) >= quorumOf(voters);
}

/** Whether the voters that serve are a quorum after a voter is removed. */
export function mayRemove(facts: ClusterFacts, slot: SlotFacts): boolean {
  if (slot.member === undefined || slot.member.isLearner) return true;
  const { voters, serving } = countVoters(facts);
  return serving - (isServing(slot) ? 1 : 0) >= quorumOf(voters - 1);
}
