/** How much a service may grow now. Instances that are being removed may still exist, and count until they are gone. */
import type { Size } from './payloads.ts';
import type { Owned, Situation } from './situation.ts';

/** Number of instances that may be added. Below 0 if there are too many. */
export function capacityOf({ wanted, owned }: Situation): number {
  return wanted.totalMax - owned.reduce((sum, { extent }) => sum + extent, 0);
}

/** As large as wanted, or as the capacity allows. */
export function nextCount(situation: Situation, size: number): number {
  return Math.min(situation.wanted.replicas, size + Math.max(capacityOf(situation), 0));
}

/** Nodes that are wanted: those that it has, and as many more as the capacity allows, in order of `rank`. */
export function nextNodes(
  situation: Situation,
  has: readonly string[],
  rank: (nodeName: string) => number = () => 0,
): readonly string[] {
  const { nodeNames } = situation.wanted;
  const stays = has.filter((name) => nodeNames.includes(name));
  const others = nodeNames.filter((name) => !has.includes(name)).sort((left, right) => rank(left) - rank(right));
  // Each node that it leaves adds to the capacity.
  const capacity = capacityOf(situation) + (has.length - stays.length);
  return [...stays, ...others.slice(0, Math.max(capacity, 0))];
}

/** The size that the only service may have now. Without a rolling update there are no bounds. */
export function nextSize(situation: Situation, { service, size }: Owned): Size {
  const { input, wanted } = situation;
  if (input.service.spec.updateStrategy.type !== 'RollingUpdate' || service.policy !== wanted.policy) return {};
  if (wanted.policy === 'dynamic') return { replicas: nextCount(situation, size) };
  const nodeNames = nextNodes(situation, service.nodeNames);
  return { nodeNames: nodeNames.length === 0 ? service.nodeNames : nodeNames };
}
