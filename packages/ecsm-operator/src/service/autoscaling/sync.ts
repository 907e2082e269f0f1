/**
 * One sync of an autoscaler: from what was observed to its status, its events and the change of its target. The change is in
 * the status before it is made, so that policies count it also after a crash.
 */
import {
  type Decision,
  deepEqual,
  type Happened,
  type Report,
  setCondition,
  timeMsOf,
  timestampAt,
} from '@ecsm/runtime';
import type { ECSMService } from '../../apis/ecsm-service.ts';
import type { ECSMHpa, HpaCurrentMetric, HpaStatus } from '../../apis/hpa.ts';
import { eventsAfter } from './behavior.ts';
import { decide } from './decide.ts';
import type { MetricReading, Recommendation, ScaleEvent } from './model.ts';
import { type HpaCondition, type HpaEvent, hpaCondition, hpaEvent } from './reasons.ts';

/** What a sync depends on, besides the autoscaler and the time. */
export type HpaFacts =
  /** The services of the target on the platform will be known soon. That is not a failure of metrics. */
  | { readonly is: 'early' }
  | { readonly is: 'ambiguous'; readonly acting: ECSMHpa }
  | { readonly is: 'missing' }
  | { readonly is: 'not scalable'; readonly target: ECSMService }
  | Scalable;

interface Scalable {
  readonly is: 'scalable';
  readonly target: ECSMService;
  readonly replicas: number;
  /** In the order of the spec. Empty if they are not needed. */
  readonly readings: readonly MetricReading[];
  /** Whether a change of nothing but the values of metrics is written. */
  readonly areValuesDue: boolean;
}

export type HpaStep =
  | {
      readonly do: 'rescale';
      readonly why: string;
      readonly event: HpaEvent;
      readonly target: ECSMService;
      readonly replicas: number;
      readonly reason: string;
      /** The status without the change. */
      readonly unchanged: HpaStatus;
    }
  | { readonly do: 'count failures'; readonly failures: readonly HpaEvent[] };

/** Delay of a sync whose target was not observed yet. */
const earlyMs = 1_000;

const emptyStatus: HpaStatus = { currentReplicas: 0, desiredReplicas: 0, currentMetrics: [], conditions: [] };

/** The number of instances of a target; undefined if it cannot be scaled. */
export function scaleOf({ metadata, spec: { deploymentStrategy: strategy } }: ECSMService): number | undefined {
  return metadata.deletionTimestamp === undefined && strategy.type === 'Dynamic' ? strategy.replicas : undefined;
}

/** The autoscaler that acts on a target is the oldest: of two that were created in the same second, the first by name. */
export function isOlder({ metadata: one }: ECSMHpa, { metadata: other }: ECSMHpa): boolean {
  if (one.creationTimestamp !== other.creationTimestamp) return one.creationTimestamp < other.creationTimestamp;
  return one.name < other.name;
}

export function decideSync(hpa: ECSMHpa, facts: HpaFacts, nowMs: number): Decision<HpaStatus, HpaStep> {
  if (facts.is === 'early') return { status: hpa.status, requeueAfterMs: earlyMs };
  if (facts.is === 'scalable') return decideScale(hpa, facts, nowMs);
  const { recommendations: _, ...before } = hpa.status ?? emptyStatus;
  const { conditions, events } = whyNot(hpa, facts);
  const status = statusAfter(hpa, { ...before, currentMetrics: [] }, conditions, nowMs);
  return { status, events: newEvents(hpa, status, events) };
}

function decideScale(hpa: ECSMHpa, facts: Scalable, nowMs: number): Decision<HpaStatus, HpaStep> {
  const { target, replicas: current, readings, areValuesDue } = facts;
  const { readyReplicas = 0, preempted } = target.status ?? {};
  const preemptedBy = preempted && (preempted.by ?? 'a service that was deleted');
  const scaleEvents = scaleEventsIn(hpa, nowMs);
  const decision = decide({
    spec: hpa.spec,
    target: { replicas: current, readyReplicas, ...(preemptedBy !== undefined && { preemptedBy }) },
    readings,
    recommendations: recommendationsIn(hpa, nowMs),
    events: scaleEvents,
    nowMs,
  });
  const { replicas, reason, conditions, events: failures } = decision;
  const isDecided = !conditions.some(({ type, status }) => type === 'ScalingActive' && status === 'False');
  const status = statusAfter(
    hpa,
    {
      ...(hpa.status ?? emptyStatus),
      currentReplicas: current,
      // What was decided stays while it cannot be decided again.
      ...(isDecided && { desiredReplicas: replicas }),
      currentMetrics: decision.currentMetrics ?? [],
      recommendations: decision.recommendations.map(({ replicas, untilMs }) => ({
        replicas,
        ...(untilMs !== undefined && { untilTime: timestampAt(untilMs) }),
      })),
      ...scaleEventsField(scaleEvents),
    },
    conditions,
    nowMs,
  );
  const records: readonly HpaStep[] = failures.length === 0 ? [] : [{ do: 'count failures', failures }];
  const events = newEvents(hpa, status, failures);
  if (reason === undefined) {
    const isWorthAWrite = areValuesDue || hpa.status === undefined || !isSameDecision(hpa.status, status);
    return { status: isWorthAWrite ? status : hpa.status, records, events };
  }
  const step: HpaStep = {
    do: 'rescale',
    why: `${target.metadata.name} from ${current} to ${replicas}: ${reason}`,
    event: hpaEvent('Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`),
    target,
    replicas,
    reason,
    unchanged: status,
  };
  const intended: HpaStatus = {
    ...status,
    lastScaleTime: timestampAt(nowMs),
    lastScaleReason: reason,
    ...scaleEventsField(eventsAfter(scaleEvents, replicas - current, nowMs)),
  };
  return { status: intended, records, events, steps: [step] };
}

/** What is said about a change that was made, or that was refused: that one does not count. */
export function reportSync(
  hpa: ECSMHpa,
  happened: Happened<HpaStatus, HpaStep, HpaFacts>,
  nowMs: number,
): Report<HpaStatus> | undefined {
  if (happened.is === 'invalid') return undefined;
  const [step] = happened.decision.steps ?? [];
  if (step?.do !== 'rescale') return undefined;
  const { replicas, reason, unchanged } = step;
  if (happened.is === 'done') {
    const message = `the number of instances was set to ${replicas}`;
    const done = hpaCondition('AbleToScale', true, 'SucceededRescale', message);
    const written = { ...(hpa.status ?? unchanged), currentReplicas: replicas };
    return { status: statusAfter(hpa, written, [done], nowMs) };
  }
  const message = `the number could not be set to ${replicas}: ${happened.message}`;
  const failed = hpaCondition('AbleToScale', false, 'FailedUpdateScale', message);
  const text = `New size: ${replicas}; reason: ${reason}; error: ${happened.message}`;
  return {
    status: statusAfter(hpa, unchanged, [failed], nowMs),
    events: [hpaEvent('Warning', 'FailedRescale', text)],
  };
}

/** Why the target is not scaled. One that is being deleted is no event: it was asked for. */
function whyNot(hpa: ECSMHpa, facts: Exclude<HpaFacts, Scalable | { readonly is: 'early' }>) {
  const { kind, name } = hpa.spec.scaleTargetRef;
  const target = `${kind} "${name}"`;
  const refusal = (reason: 'FailedGetScale' | 'NotScalable' | 'AmbiguousTarget', message: string) => ({
    conditions: bothFalse(reason, message),
    events: [hpaEvent('Warning', reason, message)],
  });
  if (facts.is === 'missing') return refusal('FailedGetScale', `the target could not be read: ${target} not found`);
  if (facts.is === 'ambiguous') {
    const acting = facts.acting.metadata.name;
    return refusal('AmbiguousTarget', `${target} is scaled by ECSMHpa "${acting}", which is older`);
  }
  return facts.target.metadata.deletionTimestamp === undefined
    ? refusal('NotScalable', `${target} is Static: it has one instance on each of its nodes`)
    : { conditions: bothFalse('TargetTerminating', `${target} is being deleted`), events: [] };
}

function bothFalse(
  reason: 'FailedGetScale' | 'NotScalable' | 'AmbiguousTarget' | 'TargetTerminating',
  message: string,
): readonly HpaCondition[] {
  return [hpaCondition('AbleToScale', false, reason, message), hpaCondition('ScalingActive', false, reason, message)];
}

function statusAfter(
  { metadata }: ECSMHpa,
  status: HpaStatus,
  planned: readonly HpaCondition[],
  nowMs: number,
): HpaStatus {
  const time = timestampAt(nowMs);
  const conditions = planned.reduce((list, one) => [...setCondition(list, one, time)], [...status.conditions]);
  return { ...status, observedGeneration: metadata.generation, conditions };
}

/** A failure that lasts is one event, not one for each sync. */
function newEvents(hpa: ECSMHpa, status: HpaStatus, events: readonly HpaEvent[]): readonly HpaEvent[] {
  return deepEqual(messagesIn(status), messagesIn(hpa.status ?? emptyStatus)) ? [] : events;
}

/** What events are about: failed metrics, and targets that cannot be scaled. */
function messagesIn({ conditions, currentMetrics }: HpaStatus): readonly string[] {
  const failures = conditions.flatMap(({ status, type, message }) =>
    status === 'False' ? [`${type} ${message}`] : [],
  );
  return [...failures, ...currentMetrics.flatMap(({ name, error }) => (error === undefined ? [] : `${name} ${error}`))];
}

/** Usage changes with every read: values are written only from time to time, unless something else is to be written. */
function isSameDecision(one: HpaStatus, other: HpaStatus): boolean {
  const withoutValues = (status: HpaStatus): HpaStatus => ({
    ...status,
    currentMetrics: status.currentMetrics.map(({ type, name, active, error }): HpaCurrentMetric => {
      return { type, name, ...(active !== undefined && { active }), ...(error !== undefined && { error }) };
    }),
  });
  return deepEqual(withoutValues(one), withoutValues(other));
}

function recommendationsIn({ status }: ECSMHpa, nowMs: number): readonly Recommendation[] | undefined {
  return status?.recommendations?.map(({ replicas, untilTime }) => {
    const untilMs = untilTime === undefined ? undefined : pastMsOf(untilTime, nowMs);
    return { replicas, ...(untilMs !== undefined && { untilMs }) };
  });
}

function scaleEventsIn({ status }: ECSMHpa, nowMs: number): readonly ScaleEvent[] {
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

function scaleEventsField(events: readonly ScaleEvent[]): Pick<HpaStatus, 'scaleEvents'> {
  if (events.length === 0) return {};
  return { scaleEvents: events.map(({ timeMs, change }) => ({ time: timestampAt(timeMs), change })) };
}
