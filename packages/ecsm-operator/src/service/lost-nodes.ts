/**
 * Offline nodes with instances of the service. The platform moves instances of a dynamic service; if it has not done so
 * after a grace period, the node is excluded from the pool until it is online. A static service has to wait.
 */
import type { PlatformService } from '../resource/model.ts';
import type { PlanInput } from './model.ts';
import { remainingMs, statusTime } from './times.ts';

export interface LostNodes {
  /** For the status. */
  readonly nodes: readonly { readonly name: string; readonly sinceTime: string }[];
  /** Nodes to exclude from the pool. */
  readonly excluded: ReadonlySet<string>;
  /** When the next node is due to be excluded. */
  readonly dueMs?: number;
}

export function lostNodesOf(
  { service, offlineNodes, nowMs, settings }: PlanInput,
  owned: readonly PlatformService[],
): LostNodes {
  const { type, nodePool = [] } = service.spec.deploymentStrategy;
  const pool = new Set(type === 'Dynamic' ? nodePool : []);
  const before = new Map(service.status?.lostNodes?.map(({ name, sinceTime }) => [name, sinceTime]));
  const hosting = new Set(owned.flatMap(({ instances }) => instances.map(({ nodeName }) => nodeName)));
  const isOut = (name: string) => before.has(name) && pool.has(name) && owned.some((one) => isExcluded(one, name));

  const nodes = [...offlineNodes]
    .filter((name) => hosting.has(name) || isOut(name))
    .sort()
    .map((name) => ({ name, sinceTime: before.get(name) ?? statusTime(nowMs) }));
  const excluded = new Set(nodes.map(({ name }) => name).filter(isOut));
  // If no node of the pool is online, there is no node to move to.
  if (![...pool].some((name) => !offlineNodes.has(name))) {
    // Nor may the pool become empty, as after a change to nodes that were excluded before.
    return { nodes, excluded: [...pool].every((name) => excluded.has(name)) ? new Set() : excluded };
  }
  let dueMs: number | undefined;
  for (const { name, sinceTime } of nodes) {
    if (!pool.has(name) || excluded.has(name)) continue;
    const waitMs = remainingMs(sinceTime, settings.lostNodeGraceMs, nowMs);
    if (waitMs === 0) excluded.add(name);
    else dueMs = Math.min(waitMs, dueMs ?? waitMs);
  }
  return { nodes, excluded, ...(dueMs === undefined ? {} : { dueMs }) };
}

/** A node that was excluded stays so while it is offline: the platform's list of nodes no longer contains it. */
function isExcluded({ policy, nodeNames }: PlatformService, name: string): boolean {
  return policy === 'dynamic' && !nodeNames.includes(name);
}
