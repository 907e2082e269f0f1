/**
 * Restarts members whose pod was created from another template than the current one, one at a time: after a change of
 * the configuration, of the trust bundle or of the version. Followers first, the leader last.
 */

import { slotsInRange } from '../cluster/range.ts';
import { countVoters, isRunning, isServing, mayStop, quorumOf } from '../health/quorum.ts';
import type { Decision, PassInput, PodFacts, SlotFacts } from '../model.ts';
import { leaderSlot, successorOf } from '../recovery/replacement.ts';
import { act, type Extras, finished, normal, record, wait } from '../rule.ts';

/**
 * Also called while a member does not serve: a pod that does not start because of its template has to be replaced by
 * one of the current template, or nothing would ever repair a wrong setting.
 */
export function rollout(input: PassInput): Decision | undefined {
  const { facts, recorded, templateHash } = input;
  const outdated = slotsInRange(facts).filter(({ pod }) => pod && !pod.isDeleting && pod.templateHash !== templateHash);
  const next = nextToRestart(input, outdated);
  if (next?.pod === undefined) return undefined;
  if (facts.set?.templateHash !== templateHash)
    return wait(input, 'Updating', 'waiting for the template of the StatefulSet');
  if (!mayStop(facts, next)) return undefined;
  if (isServing(next) && leavesTooFewReady(input, next)) return undefined;
  const isUpgrade =
    next.status !== undefined && recorded.version !== undefined && next.status.version !== recorded.version;
  const why = isUpgrade ? `upgrade to ${recorded.version}` : 'its configuration changed';
  const intent = intentTo(input, isUpgrade ? 'Upgrade' : 'Restart', next, why);
  const isLeader = isServing(next) && leaderSlot(input)?.index === next.index;
  const successor = isLeader ? successorOf(input, next) : undefined;
  if (successor?.member) {
    return act(input, { do: 'moveLeader', slot: successor.index, memberId: successor.member.id, why }, intent);
  }
  return act(input, { do: 'deletePod', slot: next.index, uid: next.pod.uid, why }, intent);
}

/** Written with the first action of a restart, and before it: as nothing else is waited for, it needs no pass of its own. */
function intentTo({ facts, recorded }: PassInput, type: 'Upgrade' | 'Restart', next: SlotFacts, why: string): Extras {
  const { operation } = recorded;
  if (operation?.type === type && operation.slot === next.index) return {};
  return {
    recorded: { ...recorded, operation: { type, slot: next.index, startedAtMs: facts.nowMs } },
    events: [normal('MemberRestarted', `restarting ${next.podName}: ${why}`)],
  };
}

/**
 * Whether a pod with the current template does not get clients yet and is needed for that. The members serve, and
 * Kubernetes notices it up to a second later. It is not waited for if as many other pods get clients as members may fail:
 * while there is a quorum, one of them serves. Pods with a former template may never become ready.
 */
function leavesTooFewReady({ facts, templateHash }: PassInput, next: SlotFacts): boolean {
  const others = slotsInRange(facts).filter(({ index }) => index !== next.index);
  if (!others.some(({ pod }) => pod?.templateHash === templateHash && !pod.isReady)) return false;
  const { voters } = countVoters(facts);
  const ready = others.filter((slot) => isServing(slot) && slot.pod?.isReady).length;
  return ready < Math.max(1, voters - quorumOf(voters));
}

/**
 * Without a quorum, only pods whose container does not run: nothing else repairs a wrong setting, and nothing stops. A
 * container that ended a moment ago is started again by Kubernetes. Its template has worked, and the new one may not.
 */
export function brokenTemplate(input: PassInput): Decision | undefined {
  const { facts, templateHash, settings } = input;
  if (facts.membership !== undefined || facts.set?.templateHash !== templateHash) return undefined;
  const isStuck = ({ restarts, lastTermination }: PodFacts) =>
    restarts >= settings.restartsMax || (restarts === 0 && lastTermination === undefined);
  const broken = slotsInRange(facts).find(
    ({ pod }) => pod && !pod.isDeleting && !isRunning(pod) && isStuck(pod) && pod.templateHash !== templateHash,
  );
  if (broken?.pod === undefined) return undefined;
  return act(input, { do: 'deletePod', slot: broken.index, uid: broken.pod.uid, why: 'its configuration changed' });
}

/** Those that do not serve, then followers from the highest slot, then the leader. */
function nextToRestart(input: PassInput, outdated: readonly SlotFacts[]): SlotFacts | undefined {
  const leader = leaderSlot(input);
  return (
    outdated.find((slot) => !isServing(slot)) ??
    outdated.filter(({ index }) => index !== leader?.index).at(-1) ??
    outdated[0]
  );
}

/**
 * When every member serves with the current template, a restart is finished. What follows still waits until all pods are
 * ready.
 */
export function restarted(input: PassInput): Decision | undefined {
  const { facts, templateHash } = input;
  const { operation } = input.recorded;
  if (operation?.type !== 'Restart' && operation?.type !== 'Upgrade') return undefined;
  const slots = slotsInRange(facts);
  const { voters, serving } = countVoters(facts);
  if (voters !== serving || slots.length !== voters) return undefined;
  if (!slots.every((slot) => isServing(slot) && slot.pod?.templateHash === templateHash)) return undefined;
  return record(finished(input.recorded));
}
