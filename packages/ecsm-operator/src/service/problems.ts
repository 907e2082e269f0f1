/** Problems of the instances of a service, with the reason of the condition. */
import type { Instance } from '../resource/model.ts';
import { inState } from './instances.ts';
import type { PlanSettings } from './model.ts';
import type { Owned, PlanContext } from './plan-context.ts';

export interface Problem {
  readonly reason: 'DeploymentFailed' | 'InstanceStopped' | 'InstancePaused';
  readonly owned: Owned;
  readonly instances: readonly Instance[];
}

const kinds = [
  { reason: 'DeploymentFailed', state: 'failed' },
  { reason: 'InstanceStopped', state: 'stopped' },
  { reason: 'InstancePaused', state: 'paused' },
] as const;

/** The most severe first. */
export function problemsOf(owned: readonly Owned[]): readonly Problem[] {
  return kinds.flatMap(({ reason, state }) =>
    owned
      .map((one) => ({ reason, owned: one, instances: inState(one.instances, state) }))
      .filter(({ instances }) => instances.length > 0),
  );
}

/** This many restarts by the platform, the last one recent, are a crash loop. */
const restartsMin = 3;
/** So are this many starts by the operator that did not last. */
const attemptsMin = 3;

export interface CrashLoop {
  readonly instances: readonly Instance[];
  /** When the loop ends if the instance keeps running. */
  readonly dueMs?: number;
}

/** A crash loop is only reported: the platform restarts instances that exit. */
export function crashLoopOf({ input, owned, healing }: PlanContext): CrashLoop {
  const { nowMs, settings } = input;
  const isRestartedByUs = healing?.reason === 'InstanceStopped' && healing.attempts >= attemptsMin;
  const looping: Instance[] = [];
  let dueMs: number | undefined;
  for (const { instance, state } of owned.flatMap(({ instances }) => instances)) {
    const isRestarted = instance.restarts >= restartsMin;
    const unstableMs = state === 'ready' && isRestarted ? untilStableMs(instance, nowMs, settings) : 0;
    if (unstableMs > 0) dueMs = Math.min(unstableMs, dueMs ?? unstableMs);
    if (unstableMs > 0 || (state === 'stopped' && (isRestarted || isRestartedByUs))) looping.push(instance);
  }
  return { instances: looping, ...(dueMs === undefined ? {} : { dueMs }) };
}

/** How much longer it has to run until it counts as stable. The platform's clock may differ from ours. */
function untilStableMs({ startedMs }: Instance, nowMs: number, { healGraceMs }: PlanSettings): number {
  const stableMs = 4 * healGraceMs;
  if (startedMs === undefined || startedMs > nowMs + stableMs) return 0;
  return Math.min(Math.max(startedMs + stableMs - nowMs, 0), stableMs);
}
