/**
 * The number of instances of a target, from its metrics: one pure function with the rules of Kubernetes' controller for
 * autoscaling/v2.
 */
import type { HpaSpec } from '../../apis/hpa.ts';
import {
  type Behavior,
  behaviorOf,
  downLimit,
  initialRecommendations,
  recorded,
  stabilized,
  upLimit,
} from './behavior.ts';
import type { Decision, DecisionInput, Proposal } from './model.ts';
import { proposalOf } from './proposal.ts';
import { type HpaCondition, type HpaEvent, hpaCondition, hpaEvent } from './reasons.ts';

const succeededGetScale = hpaCondition(
  'AbleToScale',
  true,
  'SucceededGetScale',
  'the number of instances of the target was read',
);

/** Whether the metrics have to be read: not for a target outside of the range, or with autoscaling disabled. */
export function needsMetrics({ minReplicas, maxReplicas }: HpaSpec, replicas: number): boolean {
  return replicas >= minReplicas && replicas <= maxReplicas;
}

export function decide(input: DecisionInput): Decision {
  const { spec, target } = input;
  const { replicas } = target;
  const recommendations = initialRecommendations(input.recommendations, replicas);
  const base = { replicas, recommendations, conditions: [succeededGetScale], events: [] };
  if (replicas === 0 && spec.minReplicas > 0) {
    const message = 'autoscaling is disabled because the target was set to 0 instances';
    return {
      ...base,
      conditions: [succeededGetScale, hpaCondition('ScalingActive', false, 'ScalingDisabled', message)],
    };
  }
  // As in Kubernetes, the range is enforced at once, without metrics, windows or policies.
  if (replicas > spec.maxReplicas) {
    return { ...base, replicas: spec.maxReplicas, reason: 'Current number of replicas above Spec.MaxReplicas' };
  }
  if (replicas < spec.minReplicas) {
    const below = { ...base, replicas: spec.minReplicas, reason: 'Current number of replicas below Spec.MinReplicas' };
    return heldBack(below, input);
  }
  return heldBack(byMetrics(input, recommendations), input);
}

/** While a service of higher priority has its room, more instances of the target could not run. */
function heldBack(decision: Decision, { target: { replicas, preemptedBy } }: DecisionInput): Decision {
  if (preemptedBy === undefined || decision.replicas <= replicas) return decision;
  const { reason: _, conditions, ...rest } = decision;
  const message = `not scaled up to ${decision.replicas}: the target gave up instances for ${preemptedBy}`;
  const others = conditions.filter(({ type }) => type !== 'ScalingLimited');
  const limited = hpaCondition('ScalingLimited', true, 'TargetPreempted', message);
  return { ...rest, replicas, conditions: [...others, limited] };
}

function byMetrics(input: DecisionInput, recommendations: Decision['recommendations']): Decision {
  const { spec, target, readings, nowMs } = input;
  const behavior = behaviorOf(spec);
  const { minReplicas } = spec;
  const proposals = spec.metrics.map((metric, index) =>
    proposalOf(metric, readings[index] ?? { is: 'failed', message: 'not read' }, {
      target,
      minReplicas,
      tolerance: behavior.tolerance,
      nowMs,
    }),
  );
  const currentMetrics = proposals.map(({ current }) => current);
  const events = proposals.flatMap(failureEvents);
  const largest = largestOf(proposals);
  const failure = proposals.find((one) => one.is === 'failed');
  const keep = { replicas: target.replicas, recommendations, currentMetrics, events };
  // A metric that is not known might ask for the current number or more, so it prevents a smaller one.
  if (largest === undefined || (failure !== undefined && largest.replicas < target.replicas)) {
    const conditions = [succeededGetScale, ...(failure === undefined ? [] : [inactive(failure)])];
    return { ...keep, conditions };
  }
  const desired = largest.replicas;
  const { replicas, conditions } = normalized(desired, recommendations, behavior, input);
  const active = `a number was computed from ${largest.metric}`;
  return {
    ...keep,
    replicas,
    ...(replicas === target.replicas ? {} : { reason: reasonOf(largest, target.replicas) }),
    recommendations: recorded(recommendations, desired, behavior, nowMs),
    conditions: [...conditions, hpaCondition('ScalingActive', true, 'ValidMetricFound', active)],
  };
}

type Known = Extract<Proposal, { readonly is: 'known' }>;
type Failed = Extract<Proposal, { readonly is: 'failed' }>;

/** Of equal ones, the first. */
function largestOf(proposals: readonly Proposal[]): Known | undefined {
  return proposals.reduce<Known | undefined>(
    (best, one) => (one.is === 'known' && (best === undefined || one.replicas > best.replicas) ? one : best),
    undefined,
  );
}

function failureReason({ current }: Failed) {
  return current.type === 'Prometheus' ? 'FailedGetPrometheusMetric' : 'FailedGetResourceMetric';
}

function failureEvents(proposal: Proposal): readonly HpaEvent[] {
  if (proposal.is !== 'failed') return [];
  return [hpaEvent('Warning', failureReason(proposal), `${proposal.current.name}: ${proposal.message}`)];
}

function inactive(failure: Failed): HpaCondition {
  const message = `no number could be computed: ${failure.current.name}: ${failure.message}`;
  return hpaCondition('ScalingActive', false, failureReason(failure), message);
}

function reasonOf({ metric, replicas }: Known, current: number): string {
  if (replicas < current) return 'All metrics below target';
  return metric === 'schedule' ? `schedule asks for ${replicas}` : `${metric} above target`;
}

interface Normalized {
  readonly replicas: number;
  readonly conditions: readonly HpaCondition[];
}

/** First the windows, then the policies and the range. */
function normalized(
  desired: number,
  recommendations: Decision['recommendations'],
  behavior: Behavior,
  { spec, target: { replicas: current }, events, nowMs }: DecisionInput,
): Normalized {
  const stable = stabilized(recommendations, behavior, { current, desired, nowMs });
  const able = ableCondition(stable, desired, current);
  const limited = (replicas: number, reason: Parameters<typeof limitedCondition>[0]): Normalized => ({
    replicas,
    conditions: [able, limitedCondition(reason)],
  });
  if (stable > current) {
    const rateMax = upLimit(current, events, behavior.up, nowMs);
    if (stable > Math.min(rateMax, spec.maxReplicas)) {
      return rateMax < spec.maxReplicas
        ? limited(rateMax, 'ScaleUpLimit')
        : limited(spec.maxReplicas, 'TooManyReplicas');
    }
  }
  if (stable < current) {
    const rateMin = downLimit(current, events, behavior.down, nowMs);
    if (stable < Math.max(rateMin, spec.minReplicas)) {
      return rateMin > spec.minReplicas
        ? limited(rateMin, 'ScaleDownLimit')
        : limited(spec.minReplicas, 'TooFewReplicas');
    }
  }
  return limited(stable, 'DesiredWithinRange');
}

function ableCondition(stable: number, desired: number, current: number): HpaCondition {
  if (stable === desired) {
    return hpaCondition('AbleToScale', true, 'ReadyForNewScale', 'recommended size matches current size');
  }
  return desired >= current
    ? hpaCondition(
        'AbleToScale',
        true,
        'ScaleUpStabilized',
        'recent recommendations were lower than current one, applying the lowest recent recommendation',
      )
    : hpaCondition(
        'AbleToScale',
        true,
        'ScaleDownStabilized',
        'recent recommendations were higher than current one, applying the highest recent recommendation',
      );
}

const limitTexts = {
  DesiredWithinRange: 'the desired count is within the acceptable range',
  TooManyReplicas: 'the desired replica count is more than the maximum replica count',
  TooFewReplicas: 'the desired replica count is less than the minimum replica count',
  ScaleUpLimit: 'the desired replica count is increasing faster than the maximum scale rate',
  ScaleDownLimit: 'the desired replica count is decreasing faster than the maximum scale rate',
} as const;

function limitedCondition(reason: keyof typeof limitTexts): HpaCondition {
  return hpaCondition('ScalingLimited', reason !== 'DesiredWithinRange', reason, limitTexts[reason]);
}
