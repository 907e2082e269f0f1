/** Metrics of the link to the platform, of its observation, and of the registry. */
import type { AttemptRecord, CircuitBreaker } from '@ecsm/client';
import type { MetricRegistry, Store } from '@ecsm/runtime';
import type { Observer } from '../observe/observer.ts';

/** A listener for the client's recorder. */
export function measureLink(
  metrics: MetricRegistry,
  breaker: Pick<CircuitBreaker, 'state' | 'inFlight' | 'window'>,
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
  metrics
    .gauge({ name: 'ecsm_platform_calls_limit', help: 'Current maximum number of platform calls in flight.' })
    .with({})
    .read(() => breaker.window);
  return ({ endpoint, outcome, bytesUp, bytesDown }) => {
    calls.with({ endpoint, outcome }).increment();
    up.increment(bytesUp);
    down.increment(bytesDown);
  };
}

interface ObservationFacts {
  readonly poller: Pick<Observer['poller'], 'pace'>;
  readonly owners: Pick<Observer['owners'], 'unverifiedCount'>;
}

export function measureObservation(
  metrics: MetricRegistry,
  { poller, owners }: ObservationFacts,
  budgetBytesPerSecond: number,
): void {
  const gauge = (name: string, help: string, read: () => number) => metrics.gauge({ name, help }).with({}).read(read);
  gauge(
    'ecsm_observation_interval_seconds',
    'Maximum time until a change on the platform is noticed.',
    () => poller.pace.intervalMs / 1000,
  );
  gauge('ecsm_observation_bytes', 'Bytes of the last observation of the platform.', () => poller.pace.pollBytes);
  gauge(
    'ecsm_link_budget_bytes_per_second',
    'Bandwidth for observing the platform at rest.',
    () => budgetBytesPerSecond,
  );
  gauge(
    'ecsm_services_unverified',
    'Services that were created, and are not read back yet.',
    () => owners.unverifiedCount,
  );
}

/** A registry on another machine, such as etcd, has no files here: the metric stays at 0. */
export function measureRegistry(metrics: MetricRegistry, store: Pick<Store, 'writtenBytes'> | undefined): void {
  metrics
    .counter({
      name: 'ecsm_registry_written_bytes_total',
      help: 'Bytes that this process has written to the files of the registry.',
    })
    .with({})
    .read(() => store?.writtenBytes?.() ?? 0);
}
