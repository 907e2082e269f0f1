/** The number that one metric of the spec asks for. */
import { nextTimeMs } from '@ecsm/runtime/cron';
import type { HpaCurrentMetric, HpaMetric } from '../../apis/hpa.ts';
import { metricName } from '../../apis/hpa-columns.ts';
import { formatBytes, formatMetricQuantity, parseMetricQuantity } from '../../apis/metric-quantity.ts';
import { type UsageTarget, usageReplicas, valueReplicas } from './metric-replicas.ts';
import type { InstanceSample, MetricReading, Proposal, TargetState, Tolerance } from './model.ts';

interface ProposalInput {
  readonly target: TargetState;
  readonly minReplicas: number;
  readonly tolerance: Tolerance;
  readonly nowMs: number;
}

export function proposalOf(metric: HpaMetric, reading: MetricReading, input: ProposalInput): Proposal {
  const name = metricName(metric);
  const current: HpaCurrentMetric = { type: metric.type, name };
  if (reading.is === 'failed') return failed(current, reading.message);
  if (metric.schedule) return scheduleProposal(metric.schedule, current, input);
  if (metric.resource && reading.is === 'usage') {
    return usageProposal(metric.resource, reading.instances, current, input);
  }
  if (metric.prometheus && reading.is === 'value') {
    return valueProposal(metric.prometheus, reading.value, current, input);
  }
  return failed(current, `${name} was not read`);
}

function failed(current: HpaCurrentMetric, message: string): Proposal {
  return { is: 'failed', message, current: { ...current, error: message } };
}

function known(current: HpaCurrentMetric, metric: string, replicas: number, seen: Partial<HpaCurrentMetric>): Proposal {
  return { is: 'known', replicas, metric, current: { ...current, ...seen, desiredReplicas: replicas } };
}

/** A minimum while it is active; otherwise it asks for no more than the minimum of the spec. */
function scheduleProposal(
  schedule: NonNullable<HpaMetric['schedule']>,
  current: HpaCurrentMetric,
  { minReplicas, nowMs }: ProposalInput,
): Proposal {
  const active = isActive(schedule, nowMs);
  return known(current, 'schedule', active ? schedule.replicas : minReplicas, { active });
}

interface Schedule {
  readonly timezone: string;
  readonly start: string;
  readonly end: string;
}

/** Active from its start up to, and not at, its end. A schedule that never starts or never ends is not active. */
export function isActive({ timezone, start, end }: Schedule, nowMs: number): boolean {
  const startMs = nextTimeMs(start, timezone, nowMs);
  const endMs = nextTimeMs(end, timezone, nowMs);
  return startMs !== undefined && endMs !== undefined && endMs < startMs;
}

type ResourceMetric = NonNullable<HpaMetric['resource']>;
type ResourceName = ResourceMetric['name'];
type UsageOf = (instance: InstanceSample) => number | undefined;

const percentOf: Readonly<Record<ResourceName, UsageOf>> = {
  cpu: ({ usage }) => usage.cpuPercent,
  memory: ({ usage }) => usage.memoryBytes,
  disk: ({ usage }) => usage.diskBytes,
};
const amountOf: Readonly<Record<ResourceName, UsageOf>> = { ...percentOf, cpu: ({ usage }) => usage.cpuCores };
const limitOf: Readonly<Record<ResourceName, UsageOf>> = {
  cpu: () => 100,
  memory: ({ usage }) => usage.memoryLimitBytes,
  disk: ({ usage }) => usage.diskLimitBytes,
};

function usageProposal(
  { name, target }: ResourceMetric,
  instances: readonly InstanceSample[],
  current: HpaCurrentMetric,
  { target: { replicas }, tolerance }: ProposalInput,
): Proposal {
  // Without instances there is nothing to measure, and usage cannot ask for any.
  if (replicas === 0) return known(current, name, 0, {});
  const wanted = usageTargetOf(target);
  const answer = usageReplicas({
    instances,
    usageOf: wanted.type === 'Utilization' ? percentOf[name] : amountOf[name],
    limitOf: limitOf[name],
    needsReady: name === 'cpu',
    target: wanted,
    current: replicas,
    tolerance,
  });
  if (answer.is === 'unknown') return failed(current, unknownText(name, answer.why));
  const { usage, counted, missing, unready } = answer;
  const amountText = name === 'cpu' ? formatMetricQuantity : formatBytes;
  return known(current, usageText(name, wanted.type), answer.replicas, {
    ...(wanted.type === 'Utilization' ? { averageUtilization: usage } : { averageValue: amountText(usage) }),
    counted,
    missing,
    unready,
  });
}

function usageTargetOf(target: ResourceMetric['target']): UsageTarget {
  return target.type === 'Utilization'
    ? { type: 'Utilization', percent: target.averageUtilization ?? 0 }
    : { type: 'AverageValue', amount: parseMetricQuantity(target.averageValue ?? '') ?? 0 };
}

function usageText(name: string, type: UsageTarget['type']): string {
  return type === 'Utilization' ? `${name} resource utilization` : `${name} resource`;
}

function unknownText(name: string, why: 'no instances' | 'no usage' | 'no limit'): string {
  if (why === 'no limit') return `an instance has no ${name} limit: set resources.limits, or use an AverageValue`;
  return why === 'no instances' ? 'the target has no instances' : `no instance has a known ${name} usage`;
}

function valueProposal(
  { target }: NonNullable<HpaMetric['prometheus']>,
  value: number,
  current: HpaCurrentMetric,
  { target: { replicas, readyReplicas }, tolerance }: ProposalInput,
): Proposal {
  const { type } = target;
  const amount = parseMetricQuantity((type === 'Value' ? target.value : target.averageValue) ?? '') ?? 0;
  const wanted = valueReplicas({ value, target: { type, amount }, current: replicas, ready: readyReplicas, tolerance });
  if (wanted === undefined) return failed(current, 'no instance of the target is ready');
  const shown = type === 'Value' ? { value } : { averageValue: value / Math.max(1, replicas) };
  const texts = Object.fromEntries(Object.entries(shown).map(([name, one]) => [name, formatMetricQuantity(one)]));
  return known(current, 'prometheus metric', wanted, texts);
}
