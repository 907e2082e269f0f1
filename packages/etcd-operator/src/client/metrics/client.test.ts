import { MetricRegistry } from '@ecsm/runtime';
import { describe, expect, it } from 'vitest';
import { BackupMetricsClient } from './backup-client.ts';
import { MetricsClient } from './client.ts';
import { measuredMax } from './measured.ts';

const of = { namespace: 'default', cluster: 'main' };
const other = { namespace: 'default', cluster: 'other' };
const known = { hasLeader: true, members: 3, membersHealthy: 2, dbSizeBytes: 500, quotaUsedRatio: 0.5 };

function start() {
  const registry = new MetricRegistry();
  const client = new MetricsClient(registry);
  /** Name without its prefix, cluster and value of each sample. */
  const samples = () =>
    registry
      .render()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.replace(/^etcd_(?:cluster_)?/u, '').replace('namespace="default",', ''));
  return { client, samples };
}

describe('MetricsClient', () => {
  it('exposes what is known about each cluster', () => {
    const { client, samples } = start();
    client.set(of, { ...known, certificateExpiryMs: 5_000 });
    client.set(other, { hasLeader: false, members: 1, membersHealthy: 0 });
    expect(samples()).toEqual([
      'has_leader{cluster="main"} 1',
      'has_leader{cluster="other"} 0',
      'members{cluster="main"} 3',
      'members{cluster="other"} 1',
      'members_healthy{cluster="main"} 2',
      'members_healthy{cluster="other"} 0',
      'db_size_bytes{cluster="main"} 500',
      'quota_used_ratio{cluster="main"} 0.5',
      'certificate_expiry_timestamp_seconds{cluster="main"} 5',
    ]);
  });

  it('keeps the last value of what is not known now', () => {
    const { client, samples } = start();
    client.set(of, known);
    client.set(of, { hasLeader: false, members: 3, membersHealthy: 0 });
    expect(samples()).toContain('db_size_bytes{cluster="main"} 500');
    expect(samples()).toContain('has_leader{cluster="main"} 0');
  });

  it('counts actions by outcome, and tells when the last one succeeded', () => {
    const { client, samples } = start();
    client.acted(of, 'promote', false, 1_000);
    client.acted(of, 'promote', true, 2_000);
    client.acted(of, 'promote', true, 3_000);
    expect(samples()).toEqual([
      'last_successful_action_timestamp_seconds{cluster="main"} 3',
      'operator_actions_total{action="promote",outcome="refused"} 1',
      'operator_actions_total{action="promote",outcome="done"} 2',
    ]);
  });

  it('exposes nothing about a cluster that was deleted', () => {
    const { client, samples } = start();
    client.set(of, known);
    client.acted(of, 'promote', true, 1_000);
    client.remove(of);
    expect(samples()).toEqual(['operator_actions_total{action="promote",outcome="done"} 1']);
  });

  it('has series for a bounded number of clusters, and takes the next one when one is deleted', () => {
    const { client, samples } = start();
    const clusters = Array.from({ length: measuredMax + 1 }, (_, index) => ({ ...of, cluster: `c-${index}` }));
    for (const cluster of clusters) client.set(cluster, known);
    const [first = of] = clusters;
    const last = clusters.at(-1) ?? of;
    client.acted(last, 'promote', true, 1_000);
    const members = () => samples().filter((line) => line.startsWith('members{'));
    expect(members()).toHaveLength(measuredMax);
    expect(members()).not.toContain(`members{cluster="${last.cluster}"} 3`);
    client.remove(first);
    client.set(last, known);
    expect(members()).toHaveLength(measuredMax);
    expect(members()).toContain(`members{cluster="${last.cluster}"} 3`);
  });

  it('exposes nothing about clusters while another process leads, not even what is still in flight', () => {
    const { client, samples } = start();
    client.set(of, known);
    client.pause();
    client.set(of, known);
    client.acted(of, 'promote', true, 1_000);
    expect(samples()).toEqual(['operator_actions_total{action="promote",outcome="done"} 1']);
    client.resume();
    client.set(of, known);
    expect(samples()).toContain('has_leader{cluster="main"} 1');
  });
});

describe('BackupMetricsClient', () => {
  it('exposes nothing about backups while another process leads', () => {
    const registry = new MetricRegistry();
    const client = new BackupMetricsClient(registry);
    const backup = { namespace: 'default', backup: 'nightly' };
    client.set(backup, { lastSuccessMs: 1_000, isRehearsalPassed: false });
    client.pause();
    client.set(backup, { lastSuccessMs: 1_000 });
    expect(registry.render()).not.toContain('nightly');
    client.resume();
    client.set(backup, { lastSuccessMs: 2_000 });
    expect(registry.render()).toContain('{namespace="default",backup="nightly"} 2\n');
  });
});
