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

export function measureServices(metrics: MetricRegistry, fleet: Pick<Fleet, 'onChange' | 'get'>): void {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help, labels });
  const families = [
    {
      gauge: gauge('ecsm_service_replicas_desired', 'Desired instances of the service.'),
      value: ({ replicas }: FleetService) => replicas,
    },
    {
      gauge: gauge('ecsm_service_replicas_ready', 'Instances of the service that run.'),
      value: ({ readyCount }: FleetService) => readyCount,
    },
    {
      gauge: gauge('ecsm_service_restarts', 'Restarts of the present instances by the platform, at the last status.'),
      value: ({ restartCount }: FleetService) => restartCount,
    },
    {
      gauge: gauge('ecsm_service_available', '1 if enough instances are ready, else 0.'),
      value: ({ isReportedAvailable }: FleetService) => Number(isReportedAvailable),
    },
    {
      gauge: gauge('ecsm_service_degraded', '1 if the service has a problem, else 0.'),
      value: ({ isDegraded }: FleetService) => Number(isDegraded),
    },
    {
      gauge: gauge('ecsm_service_rollout_complete', '1 if the newest revision is rolled out, else 0.'),
      value: ({ isRolledOut }: FleetService) => Number(isRolledOut),
    },
    {
      gauge: gauge('ecsm_service_last_transition_timestamp_seconds', 'When a condition of the service last changed.'),
      value: ({ lastTransitionTime }: FleetService) => (timeMsOf(lastTransitionTime) ?? 0) / 1000,
    },
  ];
  const measured = new Set<string>();
  const waiting = new Set<string>();
  const count = metrics.gauge({ name: 'ecsm_services', help: 'Number of services.' }).with({});
  const unmeasured = metrics
    .gauge({ name: 'ecsm_services_unmeasured', help: `Services beyond ${measuredServicesMax}, without metrics.` })
    .with({});

  const show = (service: FleetService) => {
    if (!measured.has(service.key) && measured.size >= measuredServicesMax) {
      waiting.add(service.key);
      return;
    }
    measured.add(service.key);
    waiting.delete(service.key);
    const { namespace, name } = service;
    for (const { gauge, value } of families) gauge.with({ namespace, name }).set(value(service));
  };
  const remove = ({ key, namespace, name }: FleetService) => {
    waiting.delete(key);
    if (!measured.delete(key)) return;
    for (const { gauge } of families) gauge.remove({ namespace, name });
    const [next] = waiting;
    const service = next === undefined ? undefined : fleet.get(next);
    if (service) show(service);
  };
  fleet.onChange((before, after) => {
    if (after) show(after);
    else if (before) remove(before);
    count.set(measured.size + waiting.size);
    unmeasured.set(waiting.size);
  });
}
