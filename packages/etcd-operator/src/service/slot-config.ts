/**
 * How the member of each slot starts. A slot without a configuration cannot start.
 *
 * The configuration of a member that has joined names no peers. With its data directory that makes no difference; with
 * an empty one it cannot join under its old identity, which could lose writes: it stays down until it is replaced.
 */
import type { SlotConfig } from '../resource/etcd-config.ts';
import type { ClusterFacts, Recorded } from './model.ts';

/** By slot. Undefined: the members are not known now, and the configurations stay as they are. */
export function slotConfigs(recorded: Recorded, facts: ClusterFacts): ReadonlyMap<number, SlotConfig> | undefined {
  const { clusterId, operation, recovery } = recorded;
  if (recovery?.phase === 'Forcing') return new Map([[recovery.survivor, { role: 'survivor' }]]);
  if (recovery?.phase === 'Stopping') return undefined;
  if (clusterId === undefined) {
    return operation?.type === 'Bootstrap' ? new Map([[0, { role: 'first' }]]) : new Map();
  }
  if (facts.membership === undefined) return undefined;
  const configs = new Map<number, SlotConfig>();
  for (const { index, member } of facts.slots) {
    if (member === undefined) continue;
    const isJoining = member.isLearner && recorded.volumes[index] === undefined;
    configs.set(index, isJoining ? { role: 'joining', initialCluster: initialCluster(facts) } : { role: 'settled' });
  }
  return configs;
}

/** The peer URLs as etcd reports them; members that have not started have no name yet. */
function initialCluster({ slots, strangers }: ClusterFacts): string {
  const ours = slots.flatMap(({ podName, member }) => member?.peerURLs.map((url) => `${podName}=${url}`) ?? []);
  const others = strangers.flatMap(({ name, id, peerURLs }) => peerURLs.map((url) => `${name || id}=${url}`));
  return [...ours, ...others].join(',');
}
