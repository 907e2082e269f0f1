/** Whether what is observed is this cluster: its objects, and one cluster id. */
import type { Decision, PassInput } from '../model.ts';
import { act, blocked, wait } from '../rule.ts';
import { isInRange, type Range, slotAt } from './range.ts';

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

/** A StatefulSet that was deleted is created again, for the slots that have members; one that was scaled gets them back. */
export function missingSet(input: PassInput): Decision | undefined {
  const { facts, recorded } = input;
  const { set } = facts;
  const known = Object.keys(recorded.volumes).map(Number);
  if (set === undefined) {
    return act(input, { do: 'createSet', ...rangeOf(known), why: 'the StatefulSet was deleted' });
  }
  const missing = known.filter((index) => !isInRange(set, index) && isMember(input, index));
  if (missing.length === 0) return undefined;
  const present = set.replicas === 0 ? [] : [set.start, set.start + set.replicas - 1];
  const why = `the StatefulSet was scaled: slots with members are ${missing.join(', ')}, too`;
  return act(input, { do: 'setRange', ...rangeOf([...present, ...missing]), why });
}

/** Not one that is being removed: its pod is stopped before its volume is forgotten. */
function isMember({ facts, recorded: { operation } }: PassInput, index: number): boolean {
  if (facts.membership === undefined) return operation?.type !== 'RemoveMember' || operation.slot !== index;
  const member = slotAt(facts, index)?.member;
  return member !== undefined && !member.isLearner;
}

function rangeOf(slots: readonly number[]): Range {
  const start = Math.min(...slots);
  return { start, replicas: Math.max(...slots) - start + 1 };
}
