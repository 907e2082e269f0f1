/** What the decision of an autoscaler takes and returns. Plain data. */
import type { HpaCurrentMetric, HpaSpec } from '../../apis/hpa.ts';
import type { HpaCondition, HpaEvent } from './reasons.ts';

/** The usage of one instance, as the platform reports it. A value that is not known is absent. */
export interface InstanceUsage {
  readonly cpuPercent?: number;
  readonly cpuCores?: number;
  readonly memoryBytes?: number;
  readonly memoryLimitBytes?: number;
  readonly diskBytes?: number;
  readonly diskLimitBytes?: number;
}

export interface InstanceSample {
  /**
   * - `running`: it exists, and counts with its usage.
   * - `pending`: being deployed. It has no usage yet, and that is expected.
   * - `gone`: its deployment failed, or it is being deleted. It is ignored.
   */
  readonly phase: 'running' | 'pending' | 'gone';
  /** Whether its cpu usage is that of normal operation, not that of its start. */
  readonly isReady: boolean;
  /** Whether it was ready at any time. */
  readonly wasReady: boolean;
  readonly usage: InstanceUsage;
}

/** What is known of a metric of the spec. A schedule needs only the time. */
export type MetricReading =
  | { readonly is: 'usage'; readonly instances: readonly InstanceSample[] }
  | { readonly is: 'value'; readonly value: number }
  | { readonly is: 'time' }
  | { readonly is: 'failed'; readonly message: string };

/** The number that one metric asks for, or why it is not known. */
export type Proposal =
  | { readonly is: 'known'; readonly replicas: number; readonly metric: string; readonly current: HpaCurrentMetric }
  | { readonly is: 'failed'; readonly message: string; readonly current: HpaCurrentMetric };

export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

/** A recommendation before limits. The newest one has no end. */
export interface Recommendation {
  readonly replicas: number;
  readonly untilMs?: number;
}

/** A change of the number by the autoscaler; negative if it became smaller. */
export interface ScaleEvent {
  readonly timeMs: number;
  readonly change: number;
}

export interface TargetState {
  /** The number that its spec asks for. */
  readonly replicas: number;
  readonly readyReplicas: number;
  /** The service that it gave up instances for, if any. */
  readonly preemptedBy?: string;
}

export interface DecisionInput {
  readonly spec: HpaSpec;
  readonly target: TargetState;
  /** In the order of the spec. Empty if `needsMetrics` is false. */
  readonly readings: readonly MetricReading[];
  /** Undefined at the first sync. */
  readonly recommendations: readonly Recommendation[] | undefined;
  readonly events: readonly ScaleEvent[];
  readonly nowMs: number;
}

export interface Decision {
  /** The number to set; that of the target if nothing is to be changed. */
  readonly replicas: number;
  /** Why it is changed; undefined if it is not. */
  readonly reason?: string;
  readonly recommendations: readonly Recommendation[];
  /** Absent: none were read. */
  readonly currentMetrics?: readonly HpaCurrentMetric[];
  readonly conditions: readonly HpaCondition[];
  readonly events: readonly HpaEvent[];
}
