/**
 * Deletes a cluster: the pods first, then the volumes if the policy says so. Members are not removed one by one: that
 * needs a quorum, and nothing remains of the cluster.
 */
import type { Decision, PassInput } from '../model.ts';
import { act, wait } from '../rule.ts';

export function deletion(input: PassInput): Decision | undefined {
  const { wanted, facts } = input;
  if (!wanted.isDeleting) return undefined;
  const { set } = facts;
  if (set?.isOurs && !set.isDeleting) return act(input, { do: 'deleteSet', why: 'the cluster is deleted' });
  // Pods of a set that is not ours are left alone.
  const pods = facts.slots.filter(({ pod }) => pod !== undefined && (set === undefined || set.isOurs));
  if (set?.isOurs || pods.length > 0) {
    return wait(input, 'Deleting', `waiting until ${pods.length} pods are deleted`);
  }
  if (wanted.whenDeleted === 'Delete') {
    for (const { index, podName, volume } of facts.slots) {
      if (volume === undefined || !volume.isOurs) continue;
      if (volume.isDeleting) return wait(input, 'Deleting', `waiting until the volume of ${podName} is deleted`);
      return act(input, { do: 'deleteVolume', slot: index, uid: volume.uid, why: 'the cluster is deleted' });
    }
  }
  return act(input, { do: 'removeFinalizer', why: 'nothing of the cluster is left' });
}
