/** Metrics of clusters: whether they serve, how large they are, and what was last done. */
import type { ClusterLabels, MetricsClient } from '../../client/metrics/client.ts';
import { countVoters } from '../health/quorum.ts';
import type { PassInput } from '../model.ts';

export class MonitoringService {
  readonly #metrics: MetricsClient | undefined;

  constructor(metrics: MetricsClient | undefined) {
    this.#metrics = metrics;
  }

  observed(of: ClusterLabels, { facts, wanted, certificates }: PassInput): void {
    const { voters, serving } = countVoters(facts);
    const sizes = facts.slots.flatMap(({ status }) => (status ? [status.dbSizeBytes] : []));
    const largest = sizes.length === 0 ? undefined : Math.max(...sizes);
    this.#metrics?.set(of, {
      hasLeader: facts.membership?.leaderId !== undefined,
      members: facts.membership?.members.length ?? voters,
      membersHealthy: serving,
      ...(largest === undefined ? {} : { dbSizeBytes: largest, quotaUsedRatio: largest / wanted.quotaBytes }),
      ...(certificates?.notAfterMs === undefined ? {} : { certificateExpiryMs: certificates.notAfterMs }),
    });
  }

  acted(of: ClusterLabels, action: string, isDone: boolean, nowMs: number): void {
    this.#metrics?.acted(of, action, isDone, nowMs);
  }

  forget(of: ClusterLabels): void {
    this.#metrics?.remove(of);
  }
}
