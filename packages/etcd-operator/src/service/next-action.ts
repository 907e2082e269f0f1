/**
 * The one decision of a pass: from what is wanted, recorded and observed to at most one action. Rules are asked in this
 * order, and the first that applies decides. Changes that have begun come before new ones, and what protects data comes
 * before what was asked for.
 */

import { ClusterService } from './cluster/cluster.ts';
import { slotsInRange } from './cluster/range.ts';
import { HealthService } from './health/health.ts';
import { countVoters, isServing } from './health/quorum.ts';
import { withStuck } from './health/stuck.ts';
import type { Decision, PassInput } from './model.ts';
import { parkedVolumes, quorumLoss, recovery } from './recovery/quorum-loss.ts';
import { replacement } from './recovery/replacement.ts';
import { restoring } from './recovery/restoring.ts';
import { act, blocked, type Rule, wait } from './rule.ts';
import { ScalingService } from './scaling/scaling.ts';
import { authority, certificates } from './security/certificates.ts';
import { brokenTemplate, restarted, rollout } from './upgrade/rollout.ts';
import { takeBack, upgrade } from './upgrade/upgrade.ts';

const rules: readonly Rule[] = [
  ClusterService.deletion,
  paused,
  ClusterService.identity,
  certificates,
  objects,
  restoring,
  ClusterService.bootstrap,
  recovery,
  ScalingService.stopped,
  ScalingService.stopping,
  ClusterService.missingSet,
  ClusterService.enlargement,
  HealthService.corruption,
  brokenTemplate,
  quorumLoss,
  HealthService.space,
  replacement,
  ScalingService.leaving,
  ScalingService.learner,
  strangers,
  takeBack,
  rollout,
  restarted,
  ScalingService.withoutDead,
  everyMemberServes,
  authority,
  ScalingService.scaling,
  upgrade,
  HealthService.defragmentation,
  parkedVolumes,
  ClusterService.enlargementRefused,
  ScalingService.leftBehind,
];

export function nextAction(input: PassInput): Decision {
  for (const rule of rules) {
    const decision = rule(input);
    if (decision) return withStuck(input, decision);
  }
  return { recorded: input.recorded, events: [] };
}

function paused(input: PassInput): Decision | undefined {
  const { wanted, recorded } = input;
  if (!wanted.isPaused) return undefined;
  const waiting = { reason: 'Paused', message: 'spec.paused is set: nothing is changed' } as const;
  return { recorded, events: [], waiting };
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
  return wait(input, 'WaitingForPod', `waiting for ${names || 'the members'} to be ready`);
}
