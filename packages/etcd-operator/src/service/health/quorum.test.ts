import { describe, expect, it } from 'vitest';
import { ToyCluster } from '../toy-cluster.kit.ts';
import { holdsWithout, mayRemove, mayStop, quorumOf } from './quorum.ts';

it.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 3],
  [5, 3],
  [7, 4],
  [9, 5],
])('the quorum of %i voters is %i', (voters, quorum) => {
  expect(quorumOf(voters)).toBe(quorum);
});

function cluster(size: number, unreachable: readonly number[] = []) {
  const toy = new ToyCluster();
  toy.wanted = { ...toy.wanted, size };
  toy.run();
  for (const slot of unreachable) toy.unreachable.add(slot);
  return toy;
}

function slotOf(toy: ToyCluster, index: number) {
  const facts = toy.facts();
  const slot = facts.slots[index];
  if (slot === undefined) throw new Error(`no slot ${index}`);
  return { facts, slot };
}

describe('of a slot', () => {
  it.each([
    // size, unreachable, slot: whether it may be stopped, may be removed, and the others hold without it
    [1, [], 0, true, false, false],
    [3, [], 0, true, true, true],
    [3, [2], 0, false, false, false],
    [3, [2], 2, true, true, true],
    [5, [4], 0, false, true, true],
    [5, [4], 4, true, true, true],
    [5, [3, 4], 0, false, false, false],
    [5, [3, 4], 4, true, true, true],
  ])('of %i members, with %j down: slot %i', (size, down, index, isStoppable, isRemovable, holds) => {
    const { facts, slot } = slotOf(cluster(size, down), index);
    expect([mayStop(facts, slot), mayRemove(facts, slot), holdsWithout(facts, slot)]).toEqual([
      isStoppable,
      isRemovable,
      holds,
    ]);
  });

  it('the pod may always be stopped if its container does not run', () => {
    const toy = cluster(3, [1]);
    const pod = toy.pods.get(0);
    if (pod) pod.isBroken = true;
    const { facts, slot } = slotOf(toy, 0);
    expect(facts.membership).toBeUndefined();
    expect(mayStop(facts, slot)).toBe(true);
    expect(mayStop(facts, { ...slot, pod: undefined })).toBe(true);
  });

  it('the pod may not be stopped if its member answers, although Kubernetes has not noticed that its container runs', () => {
    const { facts, slot } = slotOf(cluster(3, [1]), 0);
    const pod = slot.pod && { ...slot.pod, restarts: 1, waitingReason: 'CrashLoopBackOff' };
    expect(mayStop(facts, { ...slot, pod })).toBe(false);
  });

  it('a learner may be stopped and removed while the members are known', () => {
    const { facts, slot } = slotOf(cluster(3, [1]), 2);
    const learner = slot.member && { ...slot, member: { ...slot.member, isLearner: true } };
    if (learner === undefined) throw new Error('no member');
    expect([mayStop(facts, learner), mayRemove(facts, learner)]).toEqual([true, true]);
    expect(mayStop({ ...facts, membership: undefined }, learner)).toBe(false);
  });
});
