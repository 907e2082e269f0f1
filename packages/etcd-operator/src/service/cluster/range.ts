/** The range of slots that a StatefulSet keeps pods for: `start` to `start + replicas - 1`. */
import { countVoters } from '../health/quorum.ts';
import type { ClusterFacts, PassInput, Recorded, SlotFacts } from '../model.ts';

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
 * that has a parked volume, which is so after a restore, and after a recovery that has parked some.
 */
export function nextSlot({ start, replicas }: Range, parked: Recorded['parked'] = {}): number {
  return start > 0 && parked[start - 1] === undefined ? start - 1 : start + replicas;
}

/** The slots that a cluster gets on its way to a larger size, in this order. */
export function slotsToGrow({
  facts,
  recorded,
  wanted,
}: Pick<PassInput, 'facts' | 'recorded' | 'wanted'>): readonly number[] {
  let range: Range = facts.set ?? { start: 0, replicas: 0 };
  const indexes: number[] = [];
  // While the members are not known, each slot of the range has one.
  const present = facts.membership ? countVoters(facts).voters : range.replicas;
  for (let voters = present; voters < wanted.size; voters++) {
    const index = nextSlot(range, recorded.parked);
    indexes.push(index);
    range = withSlot(range, index);
  }
  return indexes;
}

/**
 * Whether the cluster has its size without the learner of a slot, and its pod can go: the size was lowered before it joined.
 * Nothing else would end the attempts to add one that cannot start. One in the middle is only left out while the cluster
 * shrinks, because its pod exists as long as those on both sides.
 */
export function isDispensable({ facts, wanted }: PassInput, { index }: SlotFacts): boolean {
  const { voters } = countVoters(facts);
  const isInside = [index - 1, index, index + 1].every((one) => isInRange(facts.set, one));
  return isInside ? voters > wanted.size : voters >= wanted.size;
}

/** The range with one slot more, which is next to it. */
export function withSlot({ start, replicas }: Range, index: number): Range {
  return { start: Math.min(start, index), replicas: replicas + 1 };
}

export function slotAt({ slots }: ClusterFacts, index: number): SlotFacts | undefined {
  return slots.find((slot) => slot.index === index);
}
