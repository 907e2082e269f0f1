import { MetricRegistry } from '@ecsm/runtime';
import { expect, it } from 'vitest';
import { type FleetServiceChanges, fleetService } from '../fleet/fleet.kit.ts';
import type { FleetListener } from '../fleet/fleet.ts';
import type { FleetService } from '../fleet/fleet-service.ts';
import { measuredServicesMax, measureServices } from './service-metrics.ts';

/** A fleet without a registry. */
function measured(isLeading = () => true) {
  const services = new Map<string, FleetService>();
  let tell: FleetListener = () => {};
  const metrics = new MetricRegistry();
  const fleet = {
    get: (key: string) => services.get(key),
    onChange: (listener: FleetListener) => {
      tell = listener;
    },
  };
  measureServices(metrics, fleet, isLeading);
  return {
    lines: (part: string) =>
      metrics
        .render()
        .split('\n')
        .filter((line) => line.startsWith(part)),
    set(name: string, changes: FleetServiceChanges = {}) {
      const after = fleetService(name, changes);
      const before = services.get(after.key);
      services.set(after.key, after);
      tell(before, after);
    },
    remove(name: string) {
      const { key } = fleetService(name);
      const before = services.get(key);
      services.delete(key);
      tell(before, undefined);
    },
  };
}

it('shows the state of a service until it is deleted', () => {
  const { set, remove, lines } = measured();
  set('web', { replicas: 3, readyCount: 2, restartCount: 5, isRolledOut: false, isDegraded: true });
  expect(lines('ecsm_service_')).toEqual([
    'ecsm_service_replicas_desired{namespace="default",name="web"} 3',
    'ecsm_service_replicas_ready{namespace="default",name="web"} 2',
    'ecsm_service_restarts{namespace="default",name="web"} 5',
    'ecsm_service_available{namespace="default",name="web"} 1',
    'ecsm_service_degraded{namespace="default",name="web"} 1',
    'ecsm_service_rollout_complete{namespace="default",name="web"} 0',
    'ecsm_service_last_transition_timestamp_seconds{namespace="default",name="web"} 1767225600',
  ]);
  set('web', { readyCount: 3 });
  expect(lines('ecsm_service_replicas_ready')).toEqual([
    'ecsm_service_replicas_ready{namespace="default",name="web"} 3',
  ]);
  remove('web');
  expect(lines('ecsm_service_')).toEqual([]);
  expect(lines('ecsm_services ')).toEqual(['ecsm_services 0']);
});

it('has series for a bounded number of services, and counts the others', () => {
  const { set, remove, lines } = measured();
  for (let index = 0; index < measuredServicesMax + 2; index++) set(`web-${index}`);
  expect(lines('ecsm_service_replicas_ready')).toHaveLength(measuredServicesMax);
  expect(lines('ecsm_services')).toEqual([`ecsm_services ${measuredServicesMax + 2}`, 'ecsm_services_unmeasured 2']);
  remove('web-0');
  remove(`web-${measuredServicesMax + 1}`);
  expect(lines(`ecsm_service_replicas_ready{namespace="default",name="web-${measuredServicesMax}"}`)).toHaveLength(1);
  expect(lines('ecsm_services')).toEqual([`ecsm_services ${measuredServicesMax}`, 'ecsm_services_unmeasured 0']);
});

it('shows nothing while another process leads: what is known here is not updated', () => {
  let isLeading = true;
  const { set, lines } = measured(() => isLeading);
  for (let index = 0; index < measuredServicesMax + 2; index++) set(`web-${index}`);
  isLeading = false;
  expect(lines('ecsm_service_')).toEqual([]);
  expect(lines('ecsm_services')).toEqual(['ecsm_services 0', 'ecsm_services_unmeasured 0']);
  isLeading = true;
  expect(lines('ecsm_service_available')).toHaveLength(measuredServicesMax);
});
