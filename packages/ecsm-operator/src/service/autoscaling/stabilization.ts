/**
 * Stabilization windows: a number is changed only if every recommendation within the window asks for it. Both windows
 * clamp around the current number. Recommendations are recorded as they were before any limit.
 *
 * Kubernetes records one at every sync. Here a repeated recommendation is one entry without an end, so that the status
 * changes only when the recommendation does. Its end is when another one follows, which is at most one sync later than in
 * Kubernetes.
 */
import { recommendationsMax } from '../../apis/hpa-status-schema.ts';
import type { Behavior } from './behavior.ts';
import type { Recommendation } from './model.ts';

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
