/**
 * Brings back what does not run, without getting in the way of what the platform does by itself: only after a grace
 * period, and less and less often. What the platform cannot see is left alone.
 */

import { describe, inState } from './instances.ts';
import type { Step } from './model.ts';
import { attempted, type Healing, noticed, patienceMs, redeployMs, waitLeftMs } from './patience.ts';
import { resized } from './payloads.ts';
import { type EventReason, event } from './reasons.ts';
import type { Situation } from './situation.ts';
import { change, type StepWithEvent } from './step-with-event.ts';
import { earliest, leftMs } from './times.ts';
import { type Trouble, troublesOf } from './trouble.ts';

export interface Care {
  readonly actions: readonly StepWithEvent[];
  readonly healing?: Healing;
  readonly dueMs?: number;
}

/** `touched`: ids of services that this plan changes anyway. `before`: what the rest of the plan says of healing. */
export function heal(situation: Situation, touched: ReadonlySet<string>, before: Healing | undefined): Care {
  const { nowMs, settings } = situation.input;
  const untouched = situation.owned.filter(({ service }) => !touched.has(service.id));
  const troubles = troublesOf(untouched);
  const [worst] = troubles;
  if (worst === undefined) return recover(situation, before);
  const healing = noticed(before, worst.reason, nowMs);
  const waiting: number[] = [];
  // The surest remedies first: one that is refused ends the plan.
  const actions = [...troubles].reverse().flatMap((trouble) => {
    const waitMs = waitLeftMs(healing, trouble.reason, nowMs, settings);
    if (waitMs === 0) return remedies(situation, trouble, healing);
    waiting.push(waitMs);
    return [];
  });
  if (actions.length > 0) return { actions, healing: attempted(healing, nowMs) };
  const dueMs = earliest(...waiting);
  return { actions, healing, ...(dueMs === undefined ? {} : { dueMs }) };
}

/** What was healed is watched for a while: one that stops again soon was not, and the waits go on growing. */
function recover({ input, owned }: Situation, healing: Healing | undefined): Care {
  if (healing === undefined || healing.attempts === 0) return { actions: [] };
  if (healing.reason === 'Differs') return { actions: [], healing };
  const isStarting = owned.some(({ instances }) => inState(instances, 'starting').length > 0);
  if (isStarting) return { actions: [], healing };
  const watchMs = redeployMs(healing.attempts, input.settings) + input.settings.healGraceMs;
  const dueMs = leftMs(healing.lastTime, watchMs, input.nowMs);
  return dueMs === 0 ? { actions: [] } : { actions: [], healing, dueMs };
}

function remedies(situation: Situation, trouble: Trouble, healing: Healing): readonly StepWithEvent[] {
  switch (trouble.reason) {
    case 'DeploymentFailed':
      return redeploy(situation, trouble, healing);
    case 'InstanceStopped':
      return control(trouble, 'start', 'Started', 'not running');
    case 'InstancePaused':
      return control(trouble, 'unpause', 'Unpaused', 'paused');
  }
}

/** One by its name, several with one call. */
function control(
  trouble: Trouble,
  action: 'start' | 'unpause',
  reason: EventReason,
  what: string,
): readonly StepWithEvent[] {
  const { owned, instances } = trouble;
  const [first] = instances;
  if (first === undefined) return [];
  const { id, name } = owned.service;
  const why = `${describe(instances)}: ${what}`;
  const one = action === 'start' ? 'startInstance' : 'unpauseInstance';
  const step: Step = instances.length === 1 ? { do: one, instance: first.name, why } : { do: action, id, name, why };
  return [{ step, event: event('Normal', reason, why) }];
}

/** One that is still under way may end well. */
function redeploy(situation: Situation, { owned, instances }: Trouble, healing: Healing): readonly StepWithEvent[] {
  const { service } = owned;
  if (inState(owned.instances, 'starting').length > 0) return [];
  const why = `deployment failed: ${describe(instances)}`;
  const isAllLost = owned.instances.every(({ state }) => state === 'failed' || state === 'unknown');
  if (isAllLost) {
    const step: Step = { do: 'redeploy', id: service.id, name: service.name, why };
    return [{ step, event: event('Normal', 'Redeployed', why) }];
  }
  // A redeployment would take down those that run, or are about to. A start is the least that may help; then the same service sent again.
  const body = resized(service, {});
  if (isFirstTry(situation, healing) || body === undefined) {
    return instances.slice(0, instanceStepsMax).map(({ name }) => ({
      step: { do: 'startInstance', instance: name, why },
      event: event('Normal', 'Started', why),
    }));
  }
  return [change(service, body, 'Redeployed', why)];
}

const instanceStepsMax = 3;

/** Long after it was due, it must have been tried and refused. */
function isFirstTry({ input }: Situation, healing: Healing): boolean {
  const { nowMs, settings } = input;
  const waitMs = patienceMs('DeploymentFailed', 0, settings);
  return healing.attempts === 0 && leftMs(healing.lastTime, waitMs * 2, nowMs) > 0;
}
