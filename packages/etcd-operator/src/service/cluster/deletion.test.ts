/** In which order the objects of a cluster go, and what is left alone. */
import { describe, expect, it } from 'vitest';
import type { SlotFacts } from '../model.ts';
import { nextAction } from '../next-action.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';

type Change = (slot: SlotFacts) => Partial<SlotFacts>;

/** What is decided for a cluster of three that is being deleted, whose set is gone. */
function decided(whenDeleted: 'Delete' | 'Retain', change: Change) {
  const cluster = new ToyCluster();
  cluster.run();
  cluster.wanted = { ...cluster.wanted, isDeleting: true, whenDeleted };
  const input = cluster.input();
  const slots = input.facts.slots.map((slot) => ({ ...slot, ...change(slot) }));
  const { action, waiting } = nextAction({ ...input, facts: { ...input.facts, set: undefined, slots } });
  return action ? [action.do, 'slot' in action ? action.slot : undefined] : waiting?.message;
}

const without: Change = () => ({ pod: undefined });

describe('a cluster that is deleted', () => {
  it('keeps its volumes until its last pod is gone', () => {
    const podOf =
      (kept: number): Change =>
      ({ index, pod }) => ({ pod: index === kept ? pod : undefined });
    for (const kept of [0, 1, 2]) {
      expect(decided('Delete', podOf(kept))).toBe('waiting until 1 pods are deleted');
      expect(decided('Retain', podOf(kept))).toBe('waiting until 1 pods are deleted');
    }
  });

  it('loses its own volumes one by one if the policy says so, and then its finalizer', () => {
    expect(decided('Delete', without)).toEqual(['deleteVolume', 0]);
    const left =
      (first: number): Change =>
      (slot) => ({
        pod: undefined,
        volume: slot.index < first ? undefined : slot.volume,
      });
    expect(decided('Delete', left(2))).toEqual(['deleteVolume', 2]);
    expect(decided('Delete', left(3))).toEqual(['removeFinalizer', undefined]);
  });

  it('keeps them if the policy says so, and never touches those of others', () => {
    expect(decided('Retain', without)).toEqual(['removeFinalizer', undefined]);
    const foreign: Change = ({ volume }) => ({ pod: undefined, volume: volume && { ...volume, isOurs: false } });
    expect(decided('Delete', foreign)).toEqual(['removeFinalizer', undefined]);
    const mixed: Change = ({ index, volume }) => ({
      pod: undefined,
      volume: volume && { ...volume, isOurs: index === 1 },
    });
    expect(decided('Delete', mixed)).toEqual(['deleteVolume', 1]);
  });

  it('waits for a volume that is being deleted', () => {
    const deleting: Change = ({ volume }) => ({ pod: undefined, volume: volume && { ...volume, isDeleting: true } });
    expect(decided('Delete', deleting)).toBe('waiting until the volume of main-0 is deleted');
  });
});
