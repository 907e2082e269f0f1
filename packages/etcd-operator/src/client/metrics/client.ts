/** The metrics of clusters, for Prometheus. It knows nothing of how they are found out. */
import type { MetricRegistry } from '@ecsm/runtime';
import { Measured } from './measured.ts';

export interface ClusterLabels {
  readonly namespace: string;
  readonly cluster: string;
}

/** Everything that is exposed about one cluster. Undefined values are not known now and keep their last value. */
interface ClusterMetrics {
  readonly hasLeader: boolean;
  readonly members: number;
  readonly membersHealthy: number;
  readonly dbSizeBytes?: number;
  readonly quotaUsedRatio?: number;
  readonly certificateExpiryMs?: number;
}

const labels = ['namespace', 'cluster'] as const;

export class MetricsClient {
  readonly #gauges;
  readonly #lastAction;
  readonly #actions;
  readonly #measured;

  constructor(metrics: MetricRegistry) {
    const gauge = (name: string, help: string) => metrics.gauge({ name: `etcd_cluster_${name}`, help, labels });
    this.#gauges = {
      hasLeader: gauge('has_leader', '1 if the cluster has a leader and serves, else 0.'),
      members: gauge('members', 'Number of members.'),
      membersHealthy: gauge('members_healthy', 'Number of members that serve linearizable reads.'),
      dbSizeBytes: gauge('db_size_bytes', 'Size of the largest database of a member.'),
      quotaUsedRatio: gauge('quota_used_ratio', 'Part of the quota that the largest database uses.'),
      certificateExpiry: gauge('certificate_expiry_timestamp_seconds', 'When the first certificate expires.'),
    };
    this.#lastAction = gauge('last_successful_action_timestamp_seconds', 'When the operator last changed something.');
    this.#actions = metrics.counter({
      name: 'etcd_operator_actions_total',
      help: 'Actions of the operator, by outcome.',
      labels: ['action', 'outcome'],
    });
    this.#measured = new Measured([...Object.values(this.#gauges), this.#lastAction]);
  }

  set(of: ClusterLabels, values: ClusterMetrics): void {
    if (!this.#measured.admits(of)) return;
    const gauges = this.#gauges;
    gauges.hasLeader.with(of).set(Number(values.hasLeader));
    gauges.members.with(of).set(values.members);
    gauges.membersHealthy.with(of).set(values.membersHealthy);
    if (values.dbSizeBytes !== undefined) gauges.dbSizeBytes.with(of).set(values.dbSizeBytes);
    if (values.quotaUsedRatio !== undefined) gauges.quotaUsedRatio.with(of).set(values.quotaUsedRatio);
    if (values.certificateExpiryMs !== undefined)
      gauges.certificateExpiry.with(of).set(values.certificateExpiryMs / 1000);
  }

  acted(of: ClusterLabels, action: string, isDone: boolean, nowMs: number): void {
    this.#actions.with({ action, outcome: isDone ? 'done' : 'refused' }).increment();
    if (isDone && this.#measured.admits(of)) this.#lastAction.with(of).set(nowMs / 1000);
  }

  remove(of: ClusterLabels): void {
    this.#measured.remove(of);
  }

  /** This process leads no more. */
  pause(): void {
    this.#measured.pause();
  }

  resume(): void {
    this.#measured.resume();
  }
}
