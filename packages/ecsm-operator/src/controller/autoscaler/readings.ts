/** Reads the metrics of an autoscaler. A metric that cannot be read is a reading too. */
import { isApiError } from '@ecsm/runtime';
import type { ECSMService } from '../../apis/ecsm-service.ts';
import type { ECSMHpa, HpaMetric } from '../../apis/hpa.ts';
import { isOfPlatform } from '../../observe/platform-error.ts';
import type { Prometheus } from '../../observe/prometheus.ts';
import type { UsageReader } from '../../observe/usage-reader.ts';
import { sampleOf } from '../../service/autoscaling/instance-sample.ts';
import type { MetricReading } from '../../service/autoscaling/model.ts';
import { baseOf, type HpaSnapshot, needsUsage } from './hpa-index.ts';

export interface ReadingsOptions {
  readonly usage: Pick<UsageReader, 'read' | 'clear'>;
  readonly prometheus: Pick<Prometheus, 'query'>;
  readonly offlineNodes: () => ReadonlySet<string>;
  /** Why the platform cannot be reached; undefined if it can. */
  readonly linkFailure: () => string | undefined;
}

export async function readMetrics(
  hpa: ECSMHpa,
  service: ECSMService,
  { usageBases }: HpaSnapshot,
  options: ReadingsOptions,
  signal: AbortSignal,
): Promise<readonly MetricReading[]> {
  const usage = needsUsage(hpa) ? readUsage(hpa, service, usageBases, options, signal) : undefined;
  return Promise.all(
    hpa.spec.metrics.map((metric) => {
      if (metric.type === 'Resource' && usage !== undefined) return usage;
      return metric.prometheus === undefined
        ? Promise.resolve<MetricReading>({ is: 'time' })
        : readQuery(metric.prometheus, options, signal);
    }),
  );
}

/** One read for all metrics of the autoscaler. */
async function readUsage(
  hpa: ECSMHpa,
  { status }: ECSMService,
  others: readonly string[],
  { usage, offlineNodes, linkFailure }: ReadingsOptions,
  signal: AbortSignal,
): Promise<MetricReading> {
  const failure = linkFailure();
  // A short text: the reason of the link changes with every attempt, and each text would be written.
  if (failure !== undefined) return { is: 'failed', message: 'the platform does not respond' };
  const removedIds = new Set((status?.removals ?? []).map(({ id }) => id));
  try {
    const rows = await usage.read({ base: baseOf(hpa), others, signal });
    const context = { offlineNodes: offlineNodes(), removedIds };
    return { is: 'usage', instances: rows.map((row) => sampleOf(row, context)) };
  } catch (error) {
    if (signal.aborted || !isOfPlatform(error)) throw error;
    return { is: 'failed', message: error.message };
  }
}

async function readQuery(
  { server, query }: NonNullable<HpaMetric['prometheus']>,
  { prometheus }: ReadingsOptions,
  signal: AbortSignal,
): Promise<MetricReading> {
  try {
    return { is: 'value', value: await prometheus.query(server, query, signal) };
  } catch (error) {
    if (signal.aborted || !isApiError(error)) throw error;
    return { is: 'failed', message: error.message };
  }
}
