/** How much a service may grow now: what was told to go may still be there, and counts until it is gone. */
import type { Size } from './bodies.ts';
import type { Owned, Situation } from './situation.ts';

/** Below 0 if there are too many already. */
export function roomIn({ wanted, owned }: Situation): number {
  return wanted.totalMax - owned.reduce((sum, { extent }) => sum + extent, 0);
}

/** As large as wanted, or as there is room for. */
export function nextCount(situation: Situation, size: number): number {
  return Math.min(situation.wanted.replicas, size + Math.max(roomIn(situation), 0));
}

/** Nodes that are wanted: those that it has, and as many more as there is room for, in order of `rank`. */
export function nextNodes(
  situation: Situation,
  has: readonly string[],
  rank: (nodeName: string) => number = () => 0,
): readonly string[] {
  const { nodeNames } = situation.wanted;
  const stays = has.filter((name) => nodeNames.includes(name));
  const others = nodeNames.filter((name) => !has.includes(name)).sort((left, right) => rank(left) - rank(right));
  // What it leaves makes room for what it gets.
  const room = roomIn(situation) + (has.length - stays.length);
  return [...stays, ...others.slice(0, Math.max(room, 0))];
}

/** The size that the only service there is may have now. Without a rolling update, its bounds mean nothing. */
export function nextSize(situation: Situation, { service, size }: Owned): Size {
  const { input, wanted } = situation;
  if (input.service.spec.updateStrategy.type !== 'RollingUpdate' || service.policy !== wanted.policy) return {};
  if (wanted.policy === 'dynamic') return { replicas: nextCount(situation, size) };
  const nodeNames = nextNodes(situation, service.nodeNames);
  return { nodeNames: nodeNames.length === 0 ? service.nodeNames : nodeNames };
}
