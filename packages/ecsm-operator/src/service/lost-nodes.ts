/**
 * Nodes that went offline with instances of ours on them. The platform moves a dynamic service by itself; if it has not
 * done so after a grace period, the node is taken out of the pool until it is back. A static service has to wait.
 */
import type { PlatformService } from '../resource/model.ts';
import type { PlanInput } from './model.ts';
import { leftMs, momentText } from './times.ts';

export interface LostNodes {
  /** For the status. */
  readonly nodes: readonly { readonly name: string; readonly sinceTime: string }[];
  /** To be left out of the pool. */
  readonly excluded: ReadonlySet<string>;
  /** When the next one may have to be left out. */
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
  const isOut = (name: string) => before.has(name) && pool.has(name) && owned.some((one) => isLeftOut(one, name));

  const nodes = [...offlineNodes]
    .filter((name) => hosting.has(name) || isOut(name))
    .sort()
    .map((name) => ({ name, sinceTime: before.get(name) ?? momentText(nowMs) }));
  const excluded = new Set(nodes.map(({ name }) => name).filter(isOut));
  // Without a node that can be reached, moving would only lose the place.
  if (![...pool].some((name) => !offlineNodes.has(name))) return { nodes, excluded };
  let dueMs: number | undefined;
  for (const { name, sinceTime } of nodes) {
    if (!pool.has(name) || excluded.has(name)) continue;
    const waitMs = leftMs(sinceTime, settings.lostNodeGraceMs, nowMs);
    if (waitMs === 0) excluded.add(name);
    else dueMs = Math.min(waitMs, dueMs ?? waitMs);
  }
  return { nodes, excluded, ...(dueMs === undefined ? {} : { dueMs }) };
}

/** A node that was left out once stays so while it is offline: the platform's own list remembers it. */
function isLeftOut({ policy, nodeNames }: PlatformService, name: string): boolean {
  return policy === 'dynamic' && !nodeNames.includes(name);
}
