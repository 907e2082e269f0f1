/** Metrics of the link to the platform. */
import type { AttemptRecord, CircuitBreaker } from '@ecsm/client';
import type { MetricRegistry } from '@ecsm/runtime';

/** A listener for the client's recorder. */
export function measureLink(
  metrics: MetricRegistry,
  breaker: Pick<CircuitBreaker, 'state' | 'inFlight'>,
): (attempt: AttemptRecord) => void {
  const calls = metrics.counter({
    name: 'ecsm_platform_calls_total',
    help: 'Attempts of platform calls, by endpoint and outcome.',
    labels: ['endpoint', 'outcome'],
  });
  const bytes = metrics.counter({
    name: 'ecsm_platform_bytes_total',
    help: 'Bytes sent to and received from the platform.',
    labels: ['direction'],
  });
  const up = bytes.with({ direction: 'up' });
  const down = bytes.with({ direction: 'down' });
  const reachable = { name: 'ecsm_platform_reachable', help: '1 if the platform responds, else 0.' };
  metrics
    .gauge(reachable)
    .with({})
    .read(() => Number(breaker.state !== 'unreachable'));
  metrics
    .gauge({ name: 'ecsm_platform_calls_in_flight', help: 'Platform calls in flight.' })
    .with({})
    .read(() => breaker.inFlight);
  return ({ endpoint, outcome, bytesUp, bytesDown }) => {
    calls.with({ endpoint, outcome }).increment();
    up.increment(bytesUp);
    down.increment(bytesDown);
  };
}
