/** Which member a cluster without a quorum is recovered from, with a toy cluster of five of which some answer. */
import { describe, expect, it } from 'vitest';
import type { EtcdStatus } from '../../client/etcd/contract.ts';
import type { SlotFacts } from '../model.ts';
import { nextAction } from '../next-action.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';

/** The last two slots answer; the others have their volumes and no pods. Kubernetes knows of no ready pod. */
function survivorOf(recoverFrom: string, change: (slot: SlotFacts) => Partial<SlotFacts>): number | undefined {
  const cluster = new ToyCluster();
  cluster.wanted = { ...cluster.wanted, size: 5 };
  cluster.run();
  for (const slot of [0, 1, 2]) cluster.unreachable.add(slot);
  cluster.run();
  cluster.nowMs += 200_000;
  cluster.wanted = { ...cluster.wanted, recoverFrom };
  const input = cluster.input();
  const lost = (slot: SlotFacts): SlotFacts =>
    slot.index < 3 || slot.pod === undefined
      ? { ...slot, pod: undefined }
      : { ...slot, pod: { ...slot.pod, isReady: false } };
  const slots = input.facts.slots.map(lost).map((slot) => ({ ...slot, ...change(slot) }));
  return nextAction({ ...input, facts: { ...input.facts, slots } }).recorded.recovery?.survivor;
}

const status =
  (changes: Readonly<Record<number, Partial<EtcdStatus>>>) =>
  ({ index, status }: SlotFacts): Partial<SlotFacts> =>
    status && changes[index] ? { status: { ...status, ...changes[index] } } : {};

describe('a recovery from any member', () => {
  it('chooses the one with the most entries of those that answer', () => {
    expect(survivorOf('auto', () => ({}))).toBe(4);
    expect(survivorOf('auto', status({ 3: { raftIndex: 100n } }))).toBe(3);
  });

  it('prefers a later term to more entries of an earlier one', () => {
    expect(survivorOf('auto', status({ 3: { raftTerm: 3n, raftIndex: 1n }, 4: { raftIndex: 100n } }))).toBe(3);
  });

  it('chooses the first one of those that have the same', () => {
    expect(survivorOf('auto', status({ 3: { raftIndex: 50n }, 4: { raftIndex: 50n } }))).toBe(3);
  });

  it('never chooses a learner, which may lack entries', () => {
    expect(survivorOf('auto', status({ 4: { isLearner: true } }))).toBe(3);
  });

  it('does not guess among several that do not answer', () => {
    expect(survivorOf('auto', () => ({ status: undefined }))).toBeUndefined();
  });
});

describe('a recovery from a named member', () => {
  it('needs its volume or its answer, and nothing of the others', () => {
    expect(survivorOf('main-3', () => ({}))).toBe(3);
    expect(survivorOf('main-1', () => ({}))).toBe(1);
    expect(survivorOf('main-1', ({ index }) => (index === 1 ? { volume: undefined } : {}))).toBeUndefined();
    expect(survivorOf('main-9', () => ({}))).toBeUndefined();
  });

  it('does not use a volume that is another one, or is being deleted', () => {
    const changed =
      (change: object) =>
      ({ index, volume }: SlotFacts): Partial<SlotFacts> =>
        index === 1 && volume ? { volume: { ...volume, ...change } } : {};
    expect(survivorOf('main-1', changed({}))).toBe(1);
    expect(survivorOf('main-1', changed({ uid: 'another' }))).toBeUndefined();
    expect(survivorOf('main-1', changed({ isDeleting: true }))).toBeUndefined();
  });
});

describe('the members of a cluster that is recovered', () => {
  it('have all stopped before one of them starts alone: the last pod counts, too', () => {
    const cluster = new ToyCluster();
    cluster.run();
    cluster.recorded = { ...cluster.recorded, recovery: { survivor: 0, phase: 'Stopping', startedAtMs: 0 } };
    cluster.set = { start: 0, replicas: 0, hash: cluster.templateHash };
    const input = cluster.input();
    const left = (podsLeft: number) => {
      const slots = input.facts.slots.map((slot, index) => (index < podsLeft ? slot : { ...slot, pod: undefined }));
      const { recorded, waiting } = nextAction({ ...input, facts: { ...input.facts, slots, membership: undefined } });
      return [recorded.recovery?.phase, waiting?.message];
    };
    expect(left(2)).toEqual(['Stopping', 'waiting until 2 pods are stopped']);
    expect(left(1)).toEqual(['Stopping', 'waiting until 1 pods are stopped']);
    expect(left(0)).toEqual(['Forcing', undefined]);
  });

  it('are the one that the data has moved to, also if the StatefulSet was scaled by hand', () => {
    const cluster = new ToyCluster();
    cluster.run();
    cluster.recorded = { ...cluster.recorded, recovery: { survivor: 0, phase: 'Moving', target: 2, startedAtMs: 0 } };
    cluster.members = cluster.members.slice(2);
    cluster.set = { start: 2, replicas: 2, hash: cluster.templateHash };
    expect(cluster.step()).toBe('setRange 2+1');
  });
});

it('a lost quorum is reported with what is known of each member, such as a pod that is being deleted', () => {
  const cluster = new ToyCluster();
  cluster.run();
  for (const slot of [0, 1]) cluster.unreachable.add(slot);
  cluster.run();
  cluster.nowMs += 200_000;
  const input = cluster.input();
  const slots = input.facts.slots.map((slot) =>
    slot.index === 0 && slot.pod ? { ...slot, pod: { ...slot.pod, isDeleting: true } } : slot,
  );
  const { problem } = nextAction({ ...input, facts: { ...input.facts, slots } });
  expect(problem?.message).toContain('main-0: the pod is being deleted');
});
