/**
 * The number of repairs of a problem, and the backoff before the next one. Both are kept in the status, so that a
 * restarted operator continues from there.
 */
import { backoffMs } from '@ecsm/runtime';
import type { ServiceStatus } from '../apis/ecsm-service.ts';
import type { PlanSettings } from './model.ts';
import { remainingMs, statusTime } from './times.ts';

export type Healing = NonNullable<ServiceStatus['healing']>;

/** The values of `status.healing.reason`. */
export type HealingReason = 'DeploymentFailed' | 'InstanceStopped' | 'InstancePaused' | 'Differs';

export function redeployMs(attempts: number, { redeployMsMin, redeployMsMax }: PlanSettings): number {
  return backoffMs(attempts, redeployMsMin, redeployMsMax);
}

/** The delay from the last attempt, or from when the problem was first observed. */
export function healingDelayMs(reason: HealingReason, attempts: number, settings: PlanSettings): number {
  switch (reason) {
    case 'DeploymentFailed':
      return redeployMs(attempts, settings);
    case 'InstanceStopped':
      // The platform restarts instances that exit, and has the grace period for it.
      return attempts === 0 ? settings.healGraceMs : Math.max(settings.healGraceMs, redeployMs(attempts, settings));
    case 'InstancePaused':
      return attempts === 0 ? 0 : redeployMs(attempts, settings);
    case 'Differs':
      // Usually the call was lost, so it is repeated soon.
      return attempts === 0 ? 0 : backoffMs(attempts, settings.pollMs, settings.redeployMsMax);
  }
}

export function waitLeftMs(healing: Healing, reason: HealingReason, nowMs: number, settings: PlanSettings): number {
  return remainingMs(healing.lastTime, healingDelayMs(reason, healing.attempts, settings), nowMs);
}

/** The record of a problem that is observed now. Attempts are kept if the reason changes after an attempt. */
export function healingFor(before: Healing | undefined, reason: HealingReason, nowMs: number): Healing {
  if (before === undefined) return { reason, attempts: 0, lastTime: statusTime(nowMs) };
  if (before.reason === reason) return before;
  return before.attempts === 0 ? { reason, attempts: 0, lastTime: statusTime(nowMs) } : { ...before, reason };
}

export function withAttempt(healing: Healing, nowMs: number): Healing {
  return { ...healing, attempts: healing.attempts + 1, lastTime: statusTime(nowMs) };
}
