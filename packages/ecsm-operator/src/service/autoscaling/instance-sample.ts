/** Instances as the platform reports them, as decisions of an autoscaler use them. */
import { type ContainerRow, type CpuUsage, cpuPercentOf, numberOf } from '@ecsm/client';
import type { InstanceSample, InstanceUsage } from './model.ts';

/**
 * The platform has no readiness checks. An instance counts as ready for cpu when it has run for this time: that is the
 * initial readiness delay of Kubernetes.
 */
export const readySeconds = 30;

interface SampleContext {
  readonly offlineNodes: ReadonlySet<string>;
  /** Ids of services that are being deleted. */
  readonly removedIds: ReadonlySet<string>;
}

export function sampleOf(row: ContainerRow, { offlineNodes, removedIds }: SampleContext): InstanceSample {
  const phase = removedIds.has(row.serviceId) ? 'gone' : phaseOf(row);
  // The usage of a stopped container, or the last one of a node that is offline, is not that of an instance at work.
  const isRunning = phase === 'running' && row.status === 'running' && !offlineNodes.has(row.nodeName);
  const uptimeSeconds = numberOf(row.uptime);
  const isReady = isRunning && (uptimeSeconds === undefined || uptimeSeconds >= readySeconds);
  const wasReady = isReady || (numberOf(row.restartCnt) ?? 0) > 0;
  return { phase, isReady, wasReady, usage: isRunning ? usageOf(row) : {} };
}

function phaseOf({ deployStatus }: ContainerRow): InstanceSample['phase'] {
  if (deployStatus === 'failure') return 'gone';
  return deployStatus === 'success' ? 'running' : 'pending';
}

function usageOf(row: ContainerRow): InstanceUsage {
  const cpuPercent = cpuPercentOf(row.cpuUsage);
  return defined({
    cpuPercent,
    cpuCores: cpuPercent === undefined ? undefined : (cpuPercent / 100) * coresOf(row.cpuUsage),
    memoryBytes: numberOf(row.memoryUsage),
    memoryLimitBytes: numberOf(row.memoryLimit),
    diskBytes: numberOf(row.sizeUsage),
    diskLimitBytes: numberOf(row.sizeLimit),
  });
}

/** Percentages are of all cores together. Without a number of cores, one is assumed. */
function coresOf(usage: CpuUsage | null | undefined): number {
  return (typeof usage === 'object' ? usage?.cores?.length : undefined) || 1;
}

function defined(usage: { readonly [Name in keyof InstanceUsage]: InstanceUsage[Name] | undefined }): InstanceUsage {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== undefined && value >= 0));
}
