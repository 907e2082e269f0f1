/**
 * Policies: how far the number may change within a time. A policy counts from the number at the start of its period: the
 * current one without the changes since then, in both directions.
 */
import { periodSecondsMax } from '../../apis/hpa-behavior-schema.ts';
import { scaleEventsMax } from '../../apis/hpa-status-schema.ts';
import type { ScalingPolicy, ScalingRules } from './behavior.ts';
import type { ScaleEvent } from './model.ts';
import { roundDown, roundUp } from './rounding.ts';

/** The largest number that the policies allow now; at least the current one. */
export function upLimit(current: number, events: readonly ScaleEvent[], rules: ScalingRules, nowMs: number): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const limits = rules.policies.map((policy) => {
    const start = startOf(current, events, policy, nowMs);
    // Rounded up: 10 percent of 3 must not be nothing. Of 0 it is nothing.
    return policy.type === 'Pods' ? start + policy.value : roundUp((start * (100 + policy.value)) / 100);
  });
  const limit = rules.selectPolicy === 'Max' ? Math.max(...limits) : Math.min(...limits);
  return Math.max(limit, current);
}

/** The smallest number that the policies allow now; at most the current one. */
export function downLimit(current: number, events: readonly ScaleEvent[], rules: ScalingRules, nowMs: number): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const limits = rules.policies.map((policy) => {
    const start = startOf(current, events, policy, nowMs);
    return policy.type === 'Pods' ? start - policy.value : roundDown((start * (100 - policy.value)) / 100);
  });
  // The largest change is the smallest number.
  const limit = rules.selectPolicy === 'Max' ? Math.min(...limits) : Math.max(...limits);
  return Math.min(limit, current);
}

function startOf(current: number, events: readonly ScaleEvent[], { periodSeconds }: ScalingPolicy, nowMs: number) {
  const afterMs = nowMs - periodSeconds * 1_000;
  return current - events.reduce((sum, { timeMs, change }) => sum + (timeMs > afterMs ? change : 0), 0);
}

/** The events after a change, without those that no policy needs. */
export function eventsAfter(events: readonly ScaleEvent[], change: number, nowMs: number): readonly ScaleEvent[] {
  const recent = events.filter(({ timeMs }) => timeMs > nowMs - periodSecondsMax * 1_000);
  return bounded([...recent, { timeMs: nowMs, change }]);
}

/** The two oldest become one with the later time, which counts for longer than they would. */
function bounded(events: readonly ScaleEvent[]): readonly ScaleEvent[] {
  const [first, second, ...others] = events;
  if (events.length <= scaleEventsMax || first === undefined || second === undefined) return events;
  return bounded([{ timeMs: second.timeMs, change: first.change + second.change }, ...others]);
}
