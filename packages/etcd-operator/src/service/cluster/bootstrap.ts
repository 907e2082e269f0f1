/** Forms the cluster: slot 0 alone, as the first member. The others join one by one, as in any scale-up. */
import type { Decision, PassInput } from '../model.ts';
import { act, blocked, finished, normal, record, wait } from '../rule.ts';
import { brokenTemplate } from '../upgrade/rollout.ts';
import { slotAt } from './range.ts';

export function bootstrap(input: PassInput): Decision | undefined {
  const { wanted, recorded, facts } = input;
  const { set } = facts;
  if (recorded.clusterId !== undefined) return undefined;
  if (wanted.size === 0 && set === undefined) return { recorded, events: [] };
  if (recorded.operation?.type !== 'Bootstrap') {
    const operation = { type: 'Bootstrap', slot: 0, startedAtMs: facts.nowMs } as const;
    return record({ ...recorded, version: recorded.version ?? wanted.version, operation });
  }
  if (recorded.version !== wanted.version) return record({ ...recorded, version: wanted.version });
  if (set === undefined) return act(input, { do: 'createSet', start: 0, replicas: 1, why: 'the first member starts' });
  if (set.start !== 0 || set.replicas !== 1) {
    return act(input, { do: 'setRange', start: 0, replicas: 1, why: 'the first member forms the cluster alone' });
  }
  return brokenTemplate(input) ?? latch(input);
}

/** The id is recorded once, and from then on no member may form a cluster. */
function latch(input: PassInput): Decision {
  const { recorded, facts } = input;
  const { membership } = facts;
  const first = slotAt(facts, 0);
  if (membership === undefined || first?.volume === undefined) {
    return wait(input, 'WaitingForPod', `waiting for ${first?.podName ?? 'the first pod'} to form the cluster`);
  }
  const [member, ...others] = membership.members;
  if (member === undefined || others.length > 0 || member.id !== first.member?.id || member.isLearner) {
    const found = membership.members.map(({ name, peerURLs }) => name || peerURLs.join(',')).join(', ');
    return blocked(input, 'ForeignMember', `a new cluster has other members than its first one: ${found}`);
  }
  return record({ ...finished(recorded), clusterId: membership.clusterId, volumes: { 0: first.volume.uid } }, [
    normal('ClusterCreated', `cluster ${membership.clusterId} formed by ${first.podName}`),
  ]);
}
