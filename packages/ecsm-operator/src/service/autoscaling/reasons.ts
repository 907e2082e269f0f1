/** Every reason that a condition or an event of an ECSMHpa may have, and its meaning: those of Kubernetes, and a few more. */
import type { PlannedCondition, PlannedEvent } from '../model.ts';

type Place = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited' | 'event';

interface ReasonText {
  /** The conditions that have it, or `event`. */
  readonly in: readonly Place[];
  readonly sentence: string;
}

export const hpaReasons = {
  SucceededGetScale: { in: ['AbleToScale'], sentence: 'The number of instances of the target was read.' },
  ReadyForNewScale: { in: ['AbleToScale'], sentence: 'No stabilization window holds the number back.' },
  ScaleUpStabilized: {
    in: ['AbleToScale'],
    sentence: 'A lower recommendation within the window of scaleUp holds the number back.',
  },
  ScaleDownStabilized: {
    in: ['AbleToScale'],
    sentence: 'A higher recommendation within the window of scaleDown holds the number up.',
  },
  SucceededRescale: { in: ['AbleToScale'], sentence: 'The number of instances of the target was changed.' },
  FailedUpdateScale: { in: ['AbleToScale'], sentence: 'The number of instances of the target could not be changed.' },
  FailedGetScale: { in: ['AbleToScale', 'ScalingActive', 'event'], sentence: 'The target does not exist.' },
  NotScalable: {
    in: ['AbleToScale', 'ScalingActive', 'event'],
    sentence: 'The target is Static: its number of instances is that of its nodes.',
  },
  TargetTerminating: { in: ['AbleToScale', 'ScalingActive'], sentence: 'The target is being deleted.' },
  AmbiguousTarget: {
    in: ['AbleToScale', 'ScalingActive', 'event'],
    sentence: 'An older ECSMHpa has the same target. Only the oldest one acts.',
  },

  ValidMetricFound: { in: ['ScalingActive'], sentence: 'A number was computed from the metrics.' },
  ScalingDisabled: {
    in: ['ScalingActive'],
    sentence: 'The target was set to 0 instances, and minReplicas is not 0. Set another number to go on.',
  },
  FailedGetResourceMetric: {
    in: ['ScalingActive', 'event'],
    sentence: 'The usage of the instances is not known. The number is not made smaller.',
  },
  FailedGetPrometheusMetric: {
    in: ['ScalingActive', 'event'],
    sentence: 'A query of Prometheus failed. The number is not made smaller.',
  },

  DesiredWithinRange: { in: ['ScalingLimited'], sentence: 'The number is what the metrics ask for.' },
  TooManyReplicas: { in: ['ScalingLimited'], sentence: 'The metrics ask for more than maxReplicas.' },
  TooFewReplicas: { in: ['ScalingLimited'], sentence: 'The metrics ask for fewer than minReplicas.' },
  ScaleUpLimit: { in: ['ScalingLimited'], sentence: 'The number grows as fast as the policies of scaleUp allow.' },
  ScaleDownLimit: {
    in: ['ScalingLimited'],
    sentence: 'The number shrinks as fast as the policies of scaleDown allow.',
  },
  TargetPreempted: {
    in: ['ScalingLimited'],
    sentence: 'The target gave up instances for a service of higher priority, so it is not scaled up.',
  },

  SuccessfulRescale: { in: ['event'], sentence: 'The number of instances was changed.' },
  FailedRescale: { in: ['event'], sentence: 'The number of instances could not be changed.' },
} as const satisfies Record<string, ReasonText>;

type Reason = keyof typeof hpaReasons;

type ReasonIn<P extends Place> = {
  [R in Reason]: P extends (typeof hpaReasons)[R]['in'][number] ? R : never;
}[Reason];

type HpaConditionType = Exclude<Place, 'event'>;
export type HpaCondition = PlannedCondition & { readonly type: HpaConditionType };
export type HpaEvent = PlannedEvent & { readonly reason: ReasonIn<'event'> };

export function hpaCondition<T extends HpaConditionType>(
  type: T,
  isTrue: boolean,
  reason: ReasonIn<T>,
  message: string,
): HpaCondition {
  return { type, status: isTrue ? 'True' : 'False', reason, message };
}

export function hpaEvent(type: PlannedEvent['type'], reason: ReasonIn<'event'>, message: string): HpaEvent {
  return { type, reason, message };
}
