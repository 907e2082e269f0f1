/**
 * Metrics of each service, from the status that the operator writes: at no cost on the link. Their number is bounded: of
 * more services the oldest keep their series, and the number of the others is a metric.
 */
import { type MetricRegistry, timeMsOf } from '@ecsm/runtime';
import type { Fleet } from '../fleet/fleet.ts';
import type { FleetService } from '../fleet/fleet-service.ts';

/** Maximum number of services with series of their own. */
export const measuredServicesMax = 500;

const labels = ['namespace', 'name'] as const;

const families = [
  {
    name: 'ecsm_service_replicas_desired',
    help: 'Desired instances of the service.',
    measure: ({ replicas }: FleetService) => replicas,
  },
  {
    name: 'ecsm_service_replicas_ready',
    help: 'Instances of the service that run.',
    measure: ({ readyCount }: FleetService) => readyCount,
  },
  {
    name: 'ecsm_service_restarts',
    help: 'Restarts of the present instances by the platform, at the last status.',
    measure: ({ restartCount }: FleetService) => restartCount,
  },
  {
    name: 'ecsm_service_available',
    help: '1 if enough instances are ready, else 0.',
    measure: ({ isReportedAvailable }: FleetService) => Number(isReportedAvailable),
  },
  {
    name: 'ecsm_service_degraded',
    help: '1 if the service has a problem, else 0.',
    measure: ({ isDegraded }: FleetService) => Number(isDegraded),
  },
  {
    name: 'ecsm_service_rollout_complete',
    help: '1 if the newest revision is rolled out, else 0.',
    measure: ({ isRolledOut }: FleetService) => Number(isRolledOut),
  },
  {
    name: 'ecsm_service_last_transition_timestamp_seconds',
    help: 'When a condition of the service last changed.',
    measure: ({ lastTransitionTime }: FleetService) => (timeMsOf(lastTransitionTime) ?? 0) / 1000,
  },
] as const;

/** While this process does not lead, there are no series: the leader has them, and what this one knows is not updated. */
export function measureServices(
  metrics: MetricRegistry,
  fleet: Pick<Fleet, 'onChange' | 'get'>,
  isLeading: () => boolean,
): void {
  const measured = new Set<string>();
  const waiting = new Set<string>();
  const services = () => (isLeading() ? [...measured].flatMap((key) => fleet.get(key) ?? []) : []);
  for (const { name, help, measure } of families) {
    metrics.computedGauge({ name, help, labels }, () =>
      services().map((service) => ({ labels: service, value: measure(service) })),
    );
  }
  metrics
    .gauge({ name: 'ecsm_services', help: 'Number of services.' })
    .with({})
    .read(() => (isLeading() ? measured.size + waiting.size : 0));
  metrics
    .gauge({ name: 'ecsm_services_unmeasured', help: `Services beyond ${measuredServicesMax}, without metrics.` })
    .with({})
    .read(() => (isLeading() ? waiting.size : 0));
  fleet.onChange((before, after) => {
    const key = (after ?? before)?.key;
    if (key === undefined) return;
    if (after !== undefined) {
      if (!measured.has(key)) (measured.size < measuredServicesMax ? measured : waiting).add(key);
      return;
    }
    waiting.delete(key);
    measured.delete(key);
    const [next] = waiting;
    if (next === undefined || measured.size >= measuredServicesMax) return;
    waiting.delete(next);
    measured.add(next);
  });
}
