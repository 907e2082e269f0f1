import { describe, expect, it } from 'vitest';
import { nextAction } from '../next-action.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';

/** Three members, of which two do not run; their template is not the current one. */
function withoutQuorum(restarts: number): ReturnType<typeof nextAction> {
  const cluster = new ToyCluster();
  cluster.run();
  for (const slot of [1, 2]) {
    const pod = cluster.pods.get(slot);
    if (pod) pod.isBroken = true;
  }
  cluster.templateRevision++;
  if (cluster.set) cluster.set.hash = cluster.templateHash;
  const input = cluster.input();
  const slots = input.facts.slots.map((slot) => ({
    ...slot,
    pod: slot.pod && { ...slot.pod, restarts: slot.pod.restarts === 0 ? 0 : restarts, lastTermination: 'Error' },
  }));
  return nextAction({ ...input, facts: { ...input.facts, slots } });
}

describe('without a quorum, a changed template', () => {
  it('replaces a pod whose container does not start', () => {
    expect(withoutQuorum(5).action).toMatchObject({ do: 'deletePod', slot: 1 });
  });

  it('is not given to a pod whose container ended once: an untested template took the place of a working one', () => {
    expect(withoutQuorum(1).action).toBeUndefined();
    // Restarts are counted when the container starts again.
    expect(withoutQuorum(0).action).toBeUndefined();
  });
});
