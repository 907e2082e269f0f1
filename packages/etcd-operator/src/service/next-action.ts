/**
 * The one decision of a pass: from what is wanted, recorded and observed to at most one action. Rules are asked in this
 * order, and the first that applies decides. Changes that have begun come before new ones, and what protects data comes
 * before what was asked for.
 */
import { corruption, defragmentation, space } from './alarms.ts';
import { bootstrap } from './bootstrap.ts';
import { authority, certificates } from './certificates.ts';
import { deletion } from './deletion.ts';
import { identity, missingSet } from './identity.ts';
import { learner, leaving } from './joining.ts';
import type { Decision, PassInput } from './model.ts';
import { countVoters, isServing } from './quorum.ts';
import { quorumLoss, recovery } from './quorum-loss.ts';
import { slotsInRange } from './range.ts';
import { replacement } from './replacement.ts';
import { brokenTemplate, restarted, rollout } from './rollout.ts';
import { act, blocked, type Rule, wait } from './rule.ts';
import { scaling } from './scaling.ts';
import { stopped } from './stop.ts';
import { enlargement, enlargementRefused } from './storage.ts';
import { takeBack, upgrade } from './upgrade.ts';

const rules: readonly Rule[] = [
  deletion,
  paused,
  identity,
  certificates,
  objects,
  bootstrap,
  recovery,
  stopped,
  missingSet,
  enlargement,
  corruption,
  brokenTemplate,
  quorumLoss,
  space,
  replacement,
  leaving,
  learner,
  strangers,
  takeBack,
  rollout,
  everyMemberServes,
  restarted,
  authority,
  scaling,
  upgrade,
  defragmentation,
  enlargementRefused,
];

export function nextAction(input: PassInput): Decision {
  for (const rule of rules) {
    const decision = rule(input);
    if (decision) return decision;
  }
  return { recorded: input.recorded, events: [], requeueAfterMs: input.settings.restMs };
}

function paused(input: PassInput): Decision | undefined {
  const { wanted, recorded, settings } = input;
  if (!wanted.isPaused) return undefined;
  const waiting = { reason: 'Paused', message: 'spec.paused is set: nothing is changed' } as const;
  return { recorded, events: [], requeueAfterMs: settings.restMs, waiting };
}

/** Objects that start and stop nothing: services, configuration, the disruption budget, the template of the pods. */
function objects(input: PassInput): Decision | undefined {
  const { staleObjects } = input;
  if (staleObjects.length === 0) return undefined;
  return act(input, { do: 'applyObjects', objects: staleObjects, why: 'they are missing or differ' });
}

/** Members that no slot explains are never removed: a user added them. */
function strangers(input: PassInput): Decision | undefined {
  const { strangers } = input.facts;
  if (strangers.length === 0) return undefined;
  const names = strangers.map(({ name, id, peerURLs }) => `${name || id} (${peerURLs.join(', ')})`).join(', ');
  return blocked(input, 'ForeignMember', `members that do not belong to a pod of this cluster: ${names}`);
}

function everyMemberServes(input: PassInput): Decision | undefined {
  const { facts } = input;
  const { voters, serving } = countVoters(facts);
  const slots = slotsInRange(facts);
  const missing = slots.filter((slot) => !isServing(slot) || slot.pod?.isReady !== true);
  if (missing.length === 0 && voters === serving && slots.length === voters) return undefined;
  const names = missing.map(({ podName }) => podName).join(', ');
  const message = `waiting for ${names || 'the members'} to be ready`;
  const { operation } = input.recorded;
  const isStuck =
    operation?.type === 'Upgrade' && facts.nowMs - operation.startedAtMs > input.settings.learnerDeadlineMs;
  const problem = {
    reason: 'UpgradeStuck',
    message: `${names} did not come back with ${input.recorded.version}`,
  } as const;
  return wait(input, 'WaitingForPod', message, isStuck ? { problem } : {});
}
