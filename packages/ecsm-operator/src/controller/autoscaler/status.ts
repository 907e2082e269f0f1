/** The status of an autoscaler: read into what a decision takes, and written after it. */
import { type Condition, deepEqual, setCondition, timeMsOf, timestampAt } from '@ecsm/runtime';
import type { ECSMHpa, HpaCurrentMetric, HpaStatus } from '../../apis/hpa.ts';
import type { Recommendation, ScaleEvent } from '../../service/autoscaling/model.ts';
import type { HpaCondition } from '../../service/autoscaling/reasons.ts';

export const emptyStatus: HpaStatus = { currentReplicas: 0, desiredReplicas: 0, currentMetrics: [], conditions: [] };

export function recommendationsIn({ status }: ECSMHpa, nowMs: number): readonly Recommendation[] | undefined {
  return status?.recommendations?.map(({ replicas, untilTime }) => {
    const untilMs = untilTime === undefined ? undefined : pastMsOf(untilTime, nowMs);
    return { replicas, ...(untilMs !== undefined && { untilMs }) };
  });
}

export function scaleEventsIn({ status }: ECSMHpa, nowMs: number): readonly ScaleEvent[] {
  return (status?.scaleEvents ?? []).flatMap(({ time, change }) => {
    const timeMs = pastMsOf(time, nowMs);
    return timeMs === undefined ? [] : [{ timeMs, change }];
  });
}

/**
 * A time after now is from before the clock was set back. It counts as now, and is written so: otherwise it would have an
 * effect until the clock reaches it again.
 */
function pastMsOf(time: string, nowMs: number): number | undefined {
  const timeMs = timeMsOf(time);
  return timeMs === undefined ? undefined : Math.min(timeMs, nowMs);
}

export function recommendationsField(recommendations: readonly Recommendation[]): Pick<HpaStatus, 'recommendations'> {
  return {
    recommendations: recommendations.map(({ replicas, untilMs }) => ({
      replicas,
      ...(untilMs !== undefined && { untilTime: timestampAt(untilMs) }),
    })),
  };
}

export function scaleEventsField(events: readonly ScaleEvent[]): Pick<HpaStatus, 'scaleEvents'> {
  return events.length === 0
    ? {}
    : { scaleEvents: events.map(({ timeMs, change }) => ({ time: timestampAt(timeMs), change })) };
}

export function conditionsAfter(
  before: readonly Condition[],
  planned: readonly HpaCondition[],
  nowMs: number,
): readonly Condition[] {
  return planned.reduce((list, one) => setCondition(list, one, timestampAt(nowMs)), before);
}

/**
 * Whether two statuses differ in nothing but the values of metrics. Usage changes with every read; it is written only from
 * time to time, unless something else is to be written.
 */
export function isSameDecision(one: HpaStatus, other: HpaStatus): boolean {
  return deepEqual(withoutValues(one), withoutValues(other));
}

function withoutValues(status: HpaStatus): HpaStatus {
  const currentMetrics = status.currentMetrics.map(({ type, name, active, error }): HpaCurrentMetric => {
    return { type, name, ...(active !== undefined && { active }), ...(error !== undefined && { error }) };
  });
  return { ...status, currentMetrics };
}
