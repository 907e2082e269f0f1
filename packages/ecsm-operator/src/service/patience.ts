/**
 * How often something was done about a trouble, and how long to wait before the next time. It is kept in the status,
 * so that an operator that starts again does not begin again.
 */
import { backoffMs } from '@ecsm/runtime';
import type { ServiceStatus } from '../apis/ecsm-service.ts';
import type { PlanSettings } from './model.ts';
import { leftMs, momentText } from './times.ts';

export type Healing = NonNullable<ServiceStatus['healing']>;

/** What `status.healing.reason` may say. */
export type HealingReason = 'DeploymentFailed' | 'InstanceStopped' | 'InstancePaused' | 'Differs';

export function redeployMs(attempts: number, { redeployMsMin, redeployMsMax }: PlanSettings): number {
  return backoffMs(attempts, redeployMsMin, redeployMsMax);
}

/** How long to wait from the last attempt, or from when the trouble was first seen. */
export function patienceMs(reason: HealingReason, attempts: number, settings: PlanSettings): number {
  switch (reason) {
    case 'DeploymentFailed':
      return redeployMs(attempts, settings);
    case 'InstanceStopped':
      // The platform restarts what ends by itself, and is given the time to do so.
      return attempts === 0 ? settings.healGraceMs : Math.max(settings.healGraceMs, redeployMs(attempts, settings));
    case 'InstancePaused':
      return attempts === 0 ? 0 : redeployMs(attempts, settings);
    case 'Differs':
      // Most of the time the call was lost on the way, so the first repetition comes soon.
      return attempts === 0 ? 0 : backoffMs(attempts, settings.pollMs, settings.redeployMsMax);
  }
}

export function waitLeftMs(healing: Healing, reason: HealingReason, nowMs: number, settings: PlanSettings): number {
  return leftMs(healing.lastTime, patienceMs(reason, healing.attempts, settings), nowMs);
}

/** A trouble that is seen now. One that was acted upon goes on, whatever form it takes. */
export function noticed(before: Healing | undefined, reason: HealingReason, nowMs: number): Healing {
  if (before === undefined) return { reason, attempts: 0, lastTime: momentText(nowMs) };
  if (before.reason === reason) return before;
  return before.attempts === 0 ? { reason, attempts: 0, lastTime: momentText(nowMs) } : { ...before, reason };
}

export function attempted(healing: Healing, nowMs: number): Healing {
  return { ...healing, attempts: healing.attempts + 1, lastTime: momentText(nowMs) };
}
