/**
 * Repairs instances that are not running. The platform repairs some problems itself, so the operator acts only after a
 * grace period, and with backoff. Instances in an unknown state are not changed.
 */

import { type Healing, healingDelayMs, healingFor, redeployMs, waitLeftMs, withAttempt } from './healing-backoff.ts';
import { describe, inState } from './instances.ts';
import type { Step } from './model.ts';
import { resized } from './payloads.ts';
import type { PlanContext } from './plan-context.ts';
import { type Problem, problemsOf } from './problems.ts';
import { type EventReason, event } from './reasons.ts';
import { change, type StepWithEvent } from './step-with-event.ts';
import { earliest, remainingMs } from './times.ts';

export interface Repairs {
  readonly actions: readonly StepWithEvent[];
  readonly healing?: Healing;
  readonly dueMs?: number;
}

/** `touched`: ids of services that this plan changes anyway. `before`: the attempts so far. */
export function heal(context: PlanContext, touched: ReadonlySet<string>, before: Healing | undefined): Repairs {
  const { nowMs, settings } = context.input;
  const untouched = context.owned.filter(({ service }) => !touched.has(service.id));
  const problems = problemsOf(untouched);
  const [worst] = problems;
  if (worst === undefined) return recover(context, before);
  const healing = healingFor(before, worst.reason, nowMs);
  const waiting: number[] = [];
  // The repairs that are least likely to be refused come first: a refusal ends the plan.
  const actions = [...problems].reverse().flatMap((problem) => {
    const waitMs = waitLeftMs(healing, problem.reason, nowMs, settings);
    if (waitMs === 0) return repairsOf(context, problem, healing);
    waiting.push(waitMs);
    return [];
  });
  if (actions.length > 0) return { actions, healing: withAttempt(healing, nowMs) };
  const dueMs = earliest(...waiting);
  return { actions, healing, ...(dueMs === undefined ? {} : { dueMs }) };
}

/** Keeps the attempts for a while after a repair: if the problem returns soon, the backoff continues. */
function recover({ input, owned }: PlanContext, healing: Healing | undefined): Repairs {
  if (healing === undefined || healing.attempts === 0) return { actions: [] };
  if (healing.reason === 'Differs') return { actions: [], healing };
  const isStarting = owned.some(({ instances }) => inState(instances, 'starting').length > 0);
  if (isStarting) return { actions: [], healing };
  const watchMs = redeployMs(healing.attempts, input.settings) + input.settings.healGraceMs;
  const dueMs = remainingMs(healing.lastTime, watchMs, input.nowMs);
  return dueMs === 0 ? { actions: [] } : { actions: [], healing, dueMs };
}

function repairsOf(context: PlanContext, problem: Problem, healing: Healing): readonly StepWithEvent[] {
  switch (problem.reason) {
    case 'DeploymentFailed':
      return redeploy(context, problem, healing);
    case 'InstanceStopped':
      return control(problem, 'start', 'Started', 'not running');
    case 'InstancePaused':
      return control(problem, 'unpause', 'Unpaused', 'paused');
  }
}

/** Acts on one instance by its name, or on several with one call. */
function control(
  problem: Problem,
  action: 'start' | 'unpause',
  reason: EventReason,
  what: string,
): readonly StepWithEvent[] {
  const { owned, instances } = problem;
  const [first] = instances;
  if (first === undefined) return [];
  const { id, name } = owned.service;
  const why = `${describe(instances)}: ${what}`;
  const one = action === 'start' ? 'startInstance' : 'unpauseInstance';
  const step: Step = instances.length === 1 ? { do: one, instance: first.name, why } : { do: action, id, name, why };
  return [{ step, event: event('Normal', reason, why) }];
}

/** Redeploys, unless another instance is still being deployed and may succeed. */
function redeploy(context: PlanContext, { owned, instances }: Problem, healing: Healing): readonly StepWithEvent[] {
  const { service } = owned;
  if (inState(owned.instances, 'starting').length > 0) return [];
  const why = `deployment failed: ${describe(instances)}`;
  const isNoneRunning = owned.instances.every(({ state }) => state === 'failed' || state === 'unknown');
  if (isNoneRunning) {
    const step: Step = { do: 'redeploy', id: service.id, name: service.name, why };
    return [{ step, event: event('Normal', 'Redeployed', why) }];
  }
  // A redeployment would stop running instances. So the failed ones are started first; if that fails, the service is sent again.
  const body = resized(service, {});
  if (isFirstAttempt(context, healing) || body === undefined) {
    return instances.slice(0, instanceStepsMax).map(({ name }) => ({
      step: { do: 'startInstance', instance: name, why },
      event: event('Normal', 'Started', why),
    }));
  }
  return [change(service, body, 'Redeployed', why)];
}

const instanceStepsMax = 3;

/** If the first attempt is long overdue, it was sent and refused. */
function isFirstAttempt({ input }: PlanContext, healing: Healing): boolean {
  const { nowMs, settings } = input;
  const waitMs = healingDelayMs('DeploymentFailed', 0, settings);
  return healing.attempts === 0 && remainingMs(healing.lastTime, waitMs * 2, nowMs) > 0;
}
