/** Instances and questions in short form, for tables of cases. */
import type { HpaSpec } from '../../apis/hpa.ts';
import { decide } from './decide.ts';
import type { Decision, DecisionInput, InstanceSample, InstanceUsage, MetricReading } from './model.ts';

const base = { phase: 'running', isReady: true, wasReady: true } as const;

/**
 * A number is the cpu usage of a ready instance in percent. `new`: not ready so far; `again`: ready before, and not now.
 */
export type Short =
  | number
  | 'missing'
  | 'pending'
  | 'gone'
  | 'not ready, missing'
  | `new ${number}`
  | `again ${number}`;

export function instance(short: Short): InstanceSample {
  if (typeof short === 'number') return { ...base, usage: { cpuPercent: short, cpuCores: short / 100 } };
  if (short === 'missing') return { ...base, usage: {} };
  if (short === 'not ready, missing') return { ...base, isReady: false, wasReady: false, usage: {} };
  if (short === 'pending') return { phase: 'pending', isReady: false, wasReady: false, usage: {} };
  if (short === 'gone') return { ...base, phase: 'gone', usage: { cpuPercent: 1_000 } };
  const [word, percent] = short.split(' ');
  return { ...base, isReady: false, wasReady: word === 'again', usage: { cpuPercent: Number(percent) } };
}

export const using = (usage: InstanceUsage, change: Partial<InstanceSample> = {}): InstanceSample => ({
  ...base,
  usage,
  ...change,
});

export const cpuReading = (...shorts: readonly Short[]): MetricReading => ({
  is: 'usage',
  instances: shorts.map(instance),
});

export const cpuMetric = (averageUtilization: number): HpaSpec['metrics'][number] => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

export const scheduleMetric = (replicas: number): HpaSpec['metrics'][number] => ({
  type: 'Schedule',
  schedule: { timezone: 'UTC', start: '0 6 * * *', end: '30 6 * * *', replicas },
});

export const queueMetric = (type: 'Value' | 'AverageValue', amount: string): HpaSpec['metrics'][number] => ({
  type: 'Prometheus',
  prometheus: {
    server: 'http://prometheus:9090',
    query: 'sum(queue)',
    target: type === 'Value' ? { type, value: amount } : { type, averageValue: amount },
  },
});

/** Before the schedule starts; `minutes` later it may be active. */
export const startMs = Date.parse('2026-11-17T05:50:00Z');

export interface Case {
  readonly current: number;
  readonly min?: number;
  readonly max?: number;
  readonly metrics?: HpaSpec['metrics'];
  readonly readings?: readonly MetricReading[];
  readonly behavior?: HpaSpec['behavior'];
  readonly recommendations?: DecisionInput['recommendations'];
  readonly events?: DecisionInput['events'];
  readonly preemptedBy?: string;
  readonly ready?: number;
  readonly nowMs?: number;
}

/** A decision with one cpu metric of 50 percent, unless the case has others. */
export function decided(given: Case): Decision {
  const { current, min = 1, max = 20, metrics = [cpuMetric(50)], behavior, preemptedBy, ready = current } = given;
  return decide({
    spec: {
      scaleTargetRef: { kind: 'ECSMService', name: 'telemetry' },
      minReplicas: min,
      maxReplicas: max,
      metrics,
      ...(behavior && { behavior }),
    },
    target: { replicas: current, readyReplicas: ready, ...(preemptedBy !== undefined && { preemptedBy }) },
    readings: given.readings ?? [],
    recommendations: given.recommendations,
    events: given.events ?? [],
    nowMs: given.nowMs ?? startMs,
  });
}

export function conditionIn({ conditions }: Decision, type: string): string | undefined {
  const found = conditions.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
}

/** A cpu reading that asks for this number with a target of 50 percent, whatever the current number is. */
export function asking(replicas: number): readonly MetricReading[] {
  // A ratio of 1 would ask for the current number.
  return [replicas === 1 ? cpuReading(25, 25) : cpuReading(50 * replicas)];
}

export const ago = (count: number) => startMs - count * 1_000;
export const at = (time: string) => Date.parse(`2026-11-17T${time}Z`);
export const failed = { is: 'failed', message: 'no answer' } as const;
export const time = { is: 'time' } as const;
export const value = (number: number) => ({ is: 'value', value: number }) as const;
export const policy = (type: 'Pods' | 'Percent', amount: number, periodSeconds = 60) => ({
  type,
  value: amount,
  periodSeconds,
});
export const rules = (change: object = {}) => ({ selectPolicy: 'Max' as const, ...change });
export const up = (change: object) => ({ scaleUp: rules(change) });
export const down = (change: object) => ({ scaleDown: rules({ stabilizationWindowSeconds: 0, ...change }) });
const noWindow = down({});
/** A window that a case does not test is over. */
export const free = { behavior: noWindow };
