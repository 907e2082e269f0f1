import { MetricRegistry } from '@ecsm/runtime';
import { expect, it } from 'vitest';
import { MetricsClient } from '../../client/metrics/client.ts';
import { steadyCertificates } from '../pass-settings.kit.ts';
import { ToyCluster } from '../toy-cluster.kit.ts';
import { MonitoringService } from './monitoring.ts';

const of = { namespace: 'default', cluster: 'main' };

function start() {
  const registry = new MetricRegistry();
  const monitoring = new MonitoringService(new MetricsClient(registry));
  const toy = new ToyCluster();
  toy.run();
  const value = (name: string) => new RegExp(`^etcd_${name}\\{.*\\} (.*)$`, 'mu').exec(registry.render())?.[1];
  return { monitoring, toy, value };
}

it('exposes the largest database, and its part of the quota', () => {
  const { monitoring, toy, value } = start();
  monitoring.observed(of, toy.input());
  expect(
    ['has_leader', 'members', 'members_healthy', 'db_size_bytes', 'quota_used_ratio'].map((name) =>
      value(`cluster_${name}`),
    ),
  ).toEqual(['1', '3', '3', '100', '0.1']);
});

it('exposes that there is no leader when the members are not known', () => {
  const { monitoring, toy, value } = start();
  toy.unreachable.add(0).add(1).add(2);
  monitoring.observed(of, toy.input());
  expect([value('cluster_has_leader'), value('cluster_db_size_bytes')]).toEqual(['0', undefined]);
});

it('exposes when certificates expire, and what was done', () => {
  const { monitoring, toy, value } = start();
  const certificates = { ...steadyCertificates, notAfterMs: 2_000 };
  monitoring.observed(of, { ...toy.input(), certificates });
  monitoring.acted(of, 'promote', true, 1_000);
  expect(value('cluster_certificate_expiry_timestamp_seconds')).toBe('2');
  expect(value('operator_actions_total')).toBe('1');
  monitoring.forget(of);
  expect(value('cluster_members')).toBeUndefined();
});

it('does nothing without metrics', () => {
  const monitoring = new MonitoringService(undefined);
  const { toy } = start();
  expect(() => {
    monitoring.observed(of, toy.input());
    monitoring.acted(of, 'promote', true, 0);
    monitoring.forget(of);
  }).not.toThrow();
});
