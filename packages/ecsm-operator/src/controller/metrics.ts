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
    help: 'Attempts to call the platform, by endpoint and by how they ended.',
    labels: ['endpoint', 'outcome'],
  });
  const bytes = metrics.counter({
    name: 'ecsm_platform_bytes_total',
    help: 'Bytes that went over the link to the platform.',
    labels: ['direction'],
  });
  const up = bytes.with({ direction: 'up' });
  const down = bytes.with({ direction: 'down' });
  const reachable = { name: 'ecsm_platform_reachable', help: 'Whether the platform answers: 1 if it does, else 0.' };
  metrics
    .gauge(reachable)
    .with({})
    .read(() => Number(breaker.state !== 'unreachable'));
  metrics
    .gauge({ name: 'ecsm_platform_calls_in_flight', help: 'Calls to the platform that are under way.' })
    .with({})
    .read(() => breaker.inFlight);
  return ({ endpoint, outcome, bytesUp, bytesDown }) => {
    calls.with({ endpoint, outcome }).increment();
    up.increment(bytesUp);
    down.increment(bytesDown);
  };
}
