/** Metrics of the autoscalers. They have no label for the object: the number of series does not grow with the fleet. */
import type { MetricRegistry } from '@ecsm/runtime';
import type { HpaEvent } from '../../service/autoscaling/reasons.ts';

export interface HpaMetrics {
  /** The number of a target was changed. */
  rescaled(change: number): void;
  /** Metrics could not be read. */
  failed(events: readonly HpaEvent[]): void;
}

export function hpaMetrics(metrics: MetricRegistry): HpaMetrics {
  const rescales = metrics.counter({
    name: 'ecsm_hpa_rescales_total',
    help: 'Changes of the number of instances by autoscalers.',
    labels: ['direction'],
  });
  const failures = metrics.counter({
    name: 'ecsm_hpa_metric_failures_total',
    help: 'Metrics of autoscalers that could not be read, by reason of the event.',
    labels: ['reason'],
  });
  return {
    rescaled: (change) => rescales.with({ direction: change > 0 ? 'up' : 'down' }).increment(),
    failed: (events) => {
      for (const { reason } of events) failures.with({ reason }).increment();
    },
  };
}
