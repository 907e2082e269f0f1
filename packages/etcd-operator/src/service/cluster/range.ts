/** The range of slots that a StatefulSet keeps pods for: `start` to `start + replicas - 1`. */
import { countVoters } from '../health/quorum.ts';
import type { ClusterFacts, PassInput, Recorded, SetFacts, SlotFacts } from '../model.ts';

export interface Range {
  readonly start: number;
  readonly replicas: number;
}

export function isInRange(set: Range | undefined, index: number): boolean {
  return set !== undefined && index >= set.start && index < set.start + set.replicas;
}

export function slotsInRange({ set, slots }: ClusterFacts): readonly SlotFacts[] {
  return slots.filter(({ index }) => isInRange(set, index));
}

/**
 * The slot that a new member gets: below the range if it does not start at 0, which is so after a recovery; but not one
 * that has a parked volume, which is so after a restore.
 */
export function nextSlot({ start, replicas }: SetFacts, parked: Recorded['parked'] = {}): number {
  return start > 0 && parked[start - 1] === undefined ? start - 1 : start + replicas;
}

/**
 * Whether the cluster has its size without the learner of a slot, and its pod can go: the size was lowered before it joined.
 * Nothing else would end the attempts to add one that cannot start.
 */
export function isDispensable({ facts, wanted }: PassInput, { index }: SlotFacts): boolean {
  const isInside = [index - 1, index, index + 1].every((one) => isInRange(facts.set, one));
  return !isInside && countVoters(facts).voters >= wanted.size;
}

/** The range with one slot more, which is next to it. */
export function withSlot({ start, replicas }: Range, index: number): Range {
  return { start: Math.min(start, index), replicas: replicas + 1 };
}

export function slotAt({ slots }: ClusterFacts, index: number): SlotFacts | undefined {
  return slots.find((slot) => slot.index === index);
}
