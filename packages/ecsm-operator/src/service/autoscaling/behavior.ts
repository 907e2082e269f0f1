/**
 * How fast the number may change: the behavior of an autoscaler, with the defaults of autoscaling/v2.
 *
 * Stabilization windows: a number is changed only if every recommendation within the window asks for it. Both windows clamp
 * around the current number. Recommendations are recorded as they were before any limit.
 *
 * Kubernetes records one at every sync. Here a repeated recommendation is one entry without an end, so that the status
 * changes only when the recommendation does. Its end is when another one follows, which is at most one sync later than in
 * Kubernetes.
 *
 * Policies: how far the number may change within a time. A policy counts from the number at the start of its period: the
 * current one without the changes since then, in both directions.
 */
import type { HpaSpec } from '../../apis/hpa.ts';
import { periodSecondsMax } from '../../apis/hpa-behavior-schema.ts';
import { recommendationsMax, scaleEventsMax } from '../../apis/hpa-status-schema.ts';
import { parseMetricQuantity } from '../../apis/metric-quantity.ts';
import { roundDown, roundUp, toleranceDefault } from './metric-replicas.ts';
import type { Recommendation, ScaleEvent, Tolerance } from './model.ts';

interface ScalingPolicy {
  readonly type: 'Pods' | 'Percent';
  readonly value: number;
  readonly periodSeconds: number;
}

interface ScalingRules {
  readonly windowMs: number;
  readonly policies: readonly ScalingPolicy[];
  readonly selectPolicy: 'Max' | 'Min' | 'Disabled';
}

export interface Behavior {
  readonly up: ScalingRules;
  readonly down: ScalingRules;
  readonly tolerance: Tolerance;
}

const upDefault: ScalingRules = {
  windowMs: 0,
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
  selectPolicy: 'Max',
};

const downDefault: ScalingRules = {
  windowMs: 300_000,
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  selectPolicy: 'Max',
};

type RulesInput = NonNullable<NonNullable<HpaSpec['behavior']>['scaleUp']>;

export function behaviorOf({ behavior }: Pick<HpaSpec, 'behavior'>): Behavior {
  const { scaleUp, scaleDown } = behavior ?? {};
  return {
    up: rulesOf(scaleUp, upDefault),
    down: rulesOf(scaleDown, downDefault),
    tolerance: { up: toleranceOf(scaleUp), down: toleranceOf(scaleDown) },
  };
}

function rulesOf(input: RulesInput | undefined, defaults: ScalingRules): ScalingRules {
  if (input === undefined) return defaults;
  const { stabilizationWindowSeconds, policies = defaults.policies, selectPolicy } = input;
  const windowMs = stabilizationWindowSeconds === undefined ? defaults.windowMs : stabilizationWindowSeconds * 1_000;
  return { windowMs, policies, selectPolicy };
}

function toleranceOf(input: RulesInput | undefined): number {
  return (input?.tolerance === undefined ? undefined : parseMetricQuantity(input.tolerance)) ?? toleranceDefault;
}

/** The first sync records the current number: a restart must not scale down at once. */
export function initialRecommendations(
  known: readonly Recommendation[] | undefined,
  current: number,
): readonly Recommendation[] {
  return known === undefined || known.length === 0 ? [{ replicas: current }] : known;
}

/** The number within the limits of both windows. */
export function stabilized(
  recommendations: readonly Recommendation[],
  { up, down }: Pick<Behavior, 'up' | 'down'>,
  { current, desired, nowMs }: { readonly current: number; readonly desired: number; readonly nowMs: number },
): number {
  let [upLimit, downLimit] = [desired, desired];
  for (const { replicas, untilMs = nowMs } of recommendations) {
    if (untilMs > nowMs - up.windowMs) upLimit = Math.min(upLimit, replicas);
    if (untilMs > nowMs - down.windowMs) downLimit = Math.max(downLimit, replicas);
  }
  return Math.min(Math.max(current, upLimit), downLimit);
}

/** Adds a recommendation, and removes those that no window needs. Returns the same list if nothing changes. */
export function recorded(
  recommendations: readonly Recommendation[],
  desired: number,
  { up, down }: Pick<Behavior, 'up' | 'down'>,
  nowMs: number,
): readonly Recommendation[] {
  const newest = recommendations.at(-1);
  const isRepeated = newest !== undefined && newest.untilMs === undefined && newest.replicas === desired;
  const longestMs = Math.max(up.windowMs, down.windowMs);
  const closed = isRepeated
    ? recommendations
    : [...recommendations.map(({ replicas, untilMs = nowMs }) => ({ replicas, untilMs })), { replicas: desired }];
  const needed = closed.filter(
    (one, index) =>
      one.untilMs === undefined ||
      (one.untilMs > nowMs - longestMs && !isCovered(one.replicas, closed.slice(index + 1))),
  );
  const bounded = needed.slice(-recommendationsMax);
  return isRepeated && bounded.length === recommendations.length ? recommendations : bounded;
}

/** Later entries stay in a window for longer. One that is neither the largest nor the smallest has no effect. */
function isCovered(replicas: number, later: readonly Recommendation[]): boolean {
  return later.some((one) => one.replicas >= replicas) && later.some((one) => one.replicas <= replicas);
}

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
