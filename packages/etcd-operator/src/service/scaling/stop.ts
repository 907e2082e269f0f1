/**
 * Stops all members and starts them again, keeping their volumes. The membership does not change: the members that were
 * stopped are started together, whatever size is wanted then, and only afterwards the cluster is scaled.
 */

import { slotAt } from '../cluster/range.ts';
import { quorumOf } from '../health/quorum.ts';
import type { Decision, PassInput, Recorded } from '../model.ts';
import { act, blocked, normal, record, wait } from '../rule.ts';

/** Continues to stop, keeps stopped, or starts what was stopped. `stop` is begun by the rule for scaling. */
export function stopped(input: PassInput): Decision | undefined {
  const { wanted, recorded } = input;
  if (recorded.stopped === undefined) return undefined;
  return wanted.size === 0 ? keepStopped(input) : start(input, recorded.stopped);
}

function keepStopped(input: PassInput): Decision {
  const { recorded, facts } = input;
  const { set } = facts;
  if (set && set.replicas > 0) {
    return act(input, { do: 'setRange', start: set.start, replicas: 0, why: 'size is 0: all members are stopped' });
  }
  const pods = facts.slots.filter(({ pod }) => pod !== undefined);
  if (pods.length > 0) return wait(input, 'Stopping', `waiting until ${pods.length} pods are stopped`);
  return { recorded, events: [] };
}

function start(input: PassInput, { start, size }: NonNullable<Recorded['stopped']>): Decision {
  const { recorded, facts } = input;
  const { set, membership } = facts;
  const slots = Array.from({ length: size }, (_, offset) => slotAt(facts, start + offset));
  const intact = slots.filter((slot) => slot?.volume !== undefined && slot.volume.uid === recorded.volumes[slot.index]);
  // A slot whose learner has not started has no data.
  const needed = quorumOf(slots.filter((slot) => slot && recorded.volumes[slot.index] !== undefined).length);
  if (intact.length < needed) {
    const message = `${intact.length} of ${size} volumes are left, and a quorum of ${needed} is needed; restore a backup into a new cluster`;
    return blocked(input, 'DataMissing', message);
  }
  if (set === undefined || set.start !== start || set.replicas !== size) {
    const why = `the ${size} members that were stopped are started`;
    return act(input, { do: set ? 'setRange' : 'createSet', start, replicas: size, why });
  }
  if (membership === undefined) {
    const ready = slots.filter((slot) => slot?.status !== undefined).length;
    return wait(input, 'Starting', `${ready} of ${size} members are running; waiting for a quorum`);
  }
  const { stopped: _, ...rest } = recorded;
  return record(rest, [normal('ClusterStarted', `${size} members started`)]);
}
