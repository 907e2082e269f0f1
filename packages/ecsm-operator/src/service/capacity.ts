/** How much a service may grow now. Instances that are being removed count until they are deleted. */
import type { Size } from './payloads.ts';
import type { Owned, PlanContext } from './plan-context.ts';

/** Number of instances that may be added. Below 0 if there are too many. */
export function capacityOf({ wanted, owned }: PlanContext): number {
  return wanted.totalMax - owned.reduce((sum, { countMax }) => sum + countMax, 0);
}

/** The desired number of instances, limited by the capacity. */
export function nextCount(context: PlanContext, size: number): number {
  return Math.min(context.wanted.replicas, size + Math.max(capacityOf(context), 0));
}

/** Desired nodes: those that it has, and as many more as the capacity allows, in order of `rank`. */
export function nextNodes(
  context: PlanContext,
  has: readonly string[],
  rank: (nodeName: string) => number = () => 0,
): readonly string[] {
  const { nodeNames } = context.wanted;
  const kept = has.filter((name) => nodeNames.includes(name));
  const others = nodeNames.filter((name) => !has.includes(name)).sort((left, right) => rank(left) - rank(right));
  // Each node that is removed adds to the capacity.
  const capacity = capacityOf(context) + (has.length - kept.length);
  return [...kept, ...others.slice(0, Math.max(capacity, 0))];
}

/** The size that the only service may have now. Only a rolling update limits it. */
export function nextSize(context: PlanContext, { service, size }: Owned): Size {
  const { input, wanted } = context;
  if (input.service.spec.updateStrategy.type !== 'RollingUpdate' || service.policy !== wanted.policy) return {};
  if (wanted.policy === 'dynamic') return { replicas: nextCount(context, size) };
  const nodeNames = nextNodes(context, service.nodeNames);
  return { nodeNames: nodeNames.length === 0 ? service.nodeNames : nodeNames };
}
