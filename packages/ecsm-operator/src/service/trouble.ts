/** What is wrong with the instances of a service, in the words of the conditions. */
import type { Instance } from '../resource/model.ts';
import { inState } from './instances.ts';
import type { PlanSettings } from './model.ts';
import type { Owned, Situation } from './situation.ts';

export interface Trouble {
  readonly reason: 'DeploymentFailed' | 'InstanceStopped' | 'InstancePaused';
  readonly owned: Owned;
  readonly instances: readonly Instance[];
}

const kinds = [
  { reason: 'DeploymentFailed', state: 'failed' },
  { reason: 'InstanceStopped', state: 'stopped' },
  { reason: 'InstancePaused', state: 'paused' },
] as const;

/** The worst first. */
export function troublesOf(owned: readonly Owned[]): readonly Trouble[] {
  return kinds.flatMap(({ reason, state }) =>
    owned
      .map((one) => ({ reason, owned: one, instances: inState(one.instances, state) }))
      .filter(({ instances }) => instances.length > 0),
  );
}

/** So many restarts, the last of them not long ago, are a loop. */
const restartsMin = 3;
/** So many starts by us that did not last are one, too. */
const attemptsMin = 3;

export interface CrashLoop {
  readonly instances: readonly Instance[];
  /** When it may be over, if nothing happens. */
  readonly dueMs?: number;
}

/** It is only said: the platform restarts what ends by itself, and knows better how often to try. */
export function crashLoopOf({ input, owned, healing }: Situation): CrashLoop {
  const { nowMs, settings } = input;
  const isOurs = healing?.reason === 'InstanceStopped' && healing.attempts >= attemptsMin;
  const looping: Instance[] = [];
  let dueMs: number | undefined;
  for (const { instance, state } of owned.flatMap(({ instances }) => instances)) {
    const isRestarted = instance.restarts >= restartsMin;
    const youngMs = state === 'ready' && isRestarted ? youngForMs(instance, nowMs, settings) : 0;
    if (youngMs > 0) dueMs = Math.min(youngMs, dueMs ?? youngMs);
    if (youngMs > 0 || (state === 'stopped' && (isRestarted || isOurs))) looping.push(instance);
  }
  return { instances: looping, ...(dueMs === undefined ? {} : { dueMs }) };
}

/** How much longer it has to run until it is believed to stay. The platform's clock may be ahead of ours, or behind. */
function youngForMs({ startedMs }: Instance, nowMs: number, { healGraceMs }: PlanSettings): number {
  const provenMs = 4 * healGraceMs;
  if (startedMs === undefined || startedMs > nowMs + provenMs) return 0;
  return Math.min(Math.max(startedMs + provenMs - nowMs, 0), provenMs);
}
