/**
 * How the member of each slot starts. A slot without a configuration cannot start.
 *
 * The configuration of a member that has joined names no peers. With its data directory that makes no difference; with
 * an empty one it cannot join under its old identity, which could lose writes: it stays down until it is replaced.
 */
import type { SlotConfig } from '../../resource/etcd-config.ts';
import type { ClusterFacts, Recorded } from '../model.ts';

export interface SlotConfigs {
  readonly slots: ReadonlyMap<number, SlotConfig>;
  /** Whether slots that are not named may not start. Otherwise they stay as they are: their members are not known now. */
  readonly isComplete: boolean;
}

export function slotConfigs(recorded: Recorded, facts: ClusterFacts): SlotConfigs {
  const { clusterId, operation, recovery, restore } = recorded;
  if (recovery?.phase === 'Forcing') return complete([[recovery.survivor, { role: 'survivor' }]]);
  // From its data, never as a new cluster. Until then nothing may start.
  if (restore) return complete(restore.phase === 'Starting' ? [[restore.slot, { role: 'settled' }]] : []);
  if (clusterId === undefined) return complete(operation?.type === 'Bootstrap' ? [[0, { role: 'first' }]] : []);
  // Settings can be changed without a quorum: a wrong one may be the reason that there is none.
  if (facts.membership === undefined) {
    const known = Object.keys(recorded.volumes).map((index) => [Number(index), { role: 'settled' }] as const);
    return { slots: new Map(known), isComplete: false };
  }
  return complete(
    facts.slots.flatMap(({ index, member }) => {
      if (member === undefined) return [];
      const isJoining = member.isLearner && recorded.volumes[index] === undefined;
      const config: SlotConfig = isJoining
        ? { role: 'joining', initialCluster: initialCluster(facts) }
        : { role: 'settled' };
      return [[index, config] as const];
    }),
  );
}

function complete(slots: Iterable<readonly [number, SlotConfig]>): SlotConfigs {
  return { slots: new Map(slots), isComplete: true };
}

/** The peer URLs as etcd reports them; members that have not started have no name yet. */
function initialCluster({ slots, strangers }: ClusterFacts): string {
  const ours = slots.flatMap(({ podName, member }) => member?.peerURLs.map((url) => `${podName}=${url}`) ?? []);
  const others = strangers.flatMap(({ name, id, peerURLs }) => peerURLs.map((url) => `${name || id}=${url}`));
  return [...ours, ...others].join(',');
}
