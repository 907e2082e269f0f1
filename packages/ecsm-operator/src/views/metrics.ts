/** Converts usage that the platform reports to NodeMetrics and PodMetrics. What is not measured has no metrics. */
import { type CpuUsage, cpuPercentOf, numberOf } from '@ecsm/client';
import { timestampAt } from '@ecsm/runtime';
import { type InstanceFacts, metadataOf, type NodeFacts, type Observation } from './facts.ts';
import { NodeMetrics, PodMetrics } from './metrics-kinds.ts';
import { nodeNameOf } from './names.ts';
import { stateOf } from './node.ts';
import { isReady, podContainerName } from './pod.ts';
import { kibibytesQuantity, nanocoresQuantity } from './quantity.ts';

/** The platform reports momentary values. Clients reject a window of zero. */
const window = '1s';

/** Returns undefined for a node whose usage is not known. */
export function nodeMetricsOf(facts: NodeFacts, observation: Observation): NodeMetrics | undefined {
  const { row, live, capacity } = facts;
  if (live === undefined || stateOf(facts) !== 'online') return undefined;
  const total = numberOf(live.memoryTotal);
  const free = numberOf(live.memoryFree);
  const memoryBytes = total === undefined || free === undefined ? undefined : Math.max(0, total - free);
  const usage = usageOf(live.cpuUsage, capacity.cores, memoryBytes);
  if (usage === undefined) return undefined;
  return {
    apiVersion: NodeMetrics.apiVersion,
    kind: NodeMetrics.kind,
    metadata: metadataOf({ name: nodeNameOf(row.name), uid: row.id, createdMs: observation.observedMs }, observation),
    spec: undefined,
    timestamp: timestampAt(observation.observedMs),
    window,
    usage,
  };
}

/** Returns undefined for a container that does not run. */
export function podMetricsOf(facts: InstanceFacts, observation: Observation): PodMetrics | undefined {
  const { row, namespace, name } = facts;
  if (!isReady(row)) return undefined;
  const usage = usageOf(row.cpuUsage, undefined, numberOf(row.memoryUsage));
  if (usage === undefined) return undefined;
  return {
    apiVersion: PodMetrics.apiVersion,
    kind: PodMetrics.kind,
    metadata: metadataOf({ name, namespace, uid: row.taskId, createdMs: observation.observedMs }, observation),
    spec: undefined,
    timestamp: timestampAt(observation.observedMs),
    window,
    containers: [{ name: podContainerName(facts), usage }],
  };
}

/** The number of cores of a measurement; undefined if it lists none. */
export function coresOf(usage: CpuUsage | null | undefined): number | undefined {
  const count = typeof usage === 'object' ? (usage?.cores?.length ?? 0) : 0;
  return count === 0 ? undefined : count;
}

/** Percentages are of all cores together. Without a number of cores, one is assumed. */
function usageOf(
  cpu: CpuUsage | null | undefined,
  coresDefault: number | undefined,
  memoryBytes: number | undefined,
): Readonly<Record<string, string>> | undefined {
  const percent = cpuPercentOf(cpu);
  // kubectl top needs both.
  if (percent === undefined || memoryBytes === undefined) return undefined;
  const cores = coresOf(cpu) ?? coresDefault ?? 1;
  return { cpu: nanocoresQuantity((Math.max(0, percent) / 100) * cores), memory: kibibytesQuantity(memoryBytes) };
}
