/** Whether what is observed is this cluster: its objects, and one cluster id. */
import type { Decision, PassInput } from '../model.ts';
import { act, blocked, wait } from '../rule.ts';

export function identity(input: PassInput): Decision | undefined {
  const { facts, recorded, wanted } = input;
  const { set, slots, clusterIds } = facts;
  if (set && !set.isOurs) {
    return blocked(input, 'ForeignObjects', 'a StatefulSet of this name exists that belongs to something else');
  }
  const foreign = slots.filter(
    ({ index, volume }) => volume?.isOurs === false && (index < wanted.size || recorded.volumes[index] !== undefined),
  );
  if (foreign.length > 0) {
    const names = foreign.map(({ podName }) => `data-${podName}`).join(', ');
    const message = `volumes of an earlier cluster of this name exist: ${names}; delete them, or choose another name`;
    return blocked(input, 'VolumesExist', message);
  }
  const others = clusterIds.filter((id) => id !== recorded.clusterId);
  if (recorded.clusterId !== undefined && others.length > 0) {
    const message = `members report the cluster id ${others.join(', ')}; this cluster has the id ${recorded.clusterId}`;
    return blocked(input, 'ClusterIDMismatch', message);
  }
  if (input.foreignObjects.length > 0) {
    const message = `objects with names of this cluster belong to something else: ${input.foreignObjects.join(', ')}`;
    // Those of an earlier cluster of the name are being deleted by Kubernetes.
    return wait(input, 'ForeignObjects', message, { problem: { reason: 'ForeignObjects', message } });
  }
  return undefined;
}

/** A StatefulSet that was deleted is created again, for the slots that have members. */
export function missingSet(input: PassInput): Decision | undefined {
  const { facts, recorded } = input;
  if (facts.set !== undefined) return undefined;
  const known = Object.keys(recorded.volumes).map(Number);
  const start = Math.min(...known);
  const replicas = Math.max(...known) - start + 1;
  return act(input, { do: 'createSet', start, replicas, why: 'the StatefulSet was deleted' });
}
