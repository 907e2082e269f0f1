/**
 * Rolling update by node. The operator chooses the instances here: an old one is removed from a node where the new one is
 * ready, and from other nodes only as far as `maxUnavailable` allows.
 */

import { nextNodes } from './capacity.ts';
import type { Decision } from './lifecycle.ts';
import { rendered, resized } from './payloads.ts';
import type { Owned, PlanContext } from './plan-context.ts';
import { isReplaceable } from './replaceable.ts';
import { freeName } from './rollout-name.ts';
import { change, creation, removal, type StepWithEvent } from './step-with-event.ts';

export function rollStatic(context: PlanContext): Decision {
  const { wanted, owned, newest, olds } = context;
  const readyOn = new Map(owned.map((one) => [one, readyNodes(one, one === newest || one === olds[0])]));
  const coverage = new Map(
    wanted.nodeNames.map((name) => [name, owned.filter((one) => readyOn.get(one)?.has(name)).length]),
  );
  // Nodes without a ready instance come first.
  const isCovered = (name: string) => Number((coverage.get(name) ?? 0) > 0);
  const nodes = new Set(nextNodes(context, newest?.service.nodeNames ?? [], isCovered));
  let pending = wanted.nodeNames.length - nodes.size;
  let spare = [...coverage.values()].filter((count) => count > 0).length - wanted.readyMin;

  const mayRemove = (old: Owned, name: string): boolean => {
    const count = coverage.get(name);
    if (count === undefined) return true;
    if (!readyOn.get(old)?.has(name)) return isReplaceableOn(context, old, name);
    if (count === 1) {
      // Removing the old instance first only helps if the new one was not requested yet. Only the oldest service may do
      // so: while its instance is being removed it is still listed, and the node must not be counted twice.
      if (old !== olds[0] || spare <= 0 || pending <= 0 || nodes.has(name)) return false;
      spare--;
      pending--;
    }
    coverage.set(name, count - 1);
    return true;
  };
  const removals = olds.flatMap((old) => shrink(old, (name) => mayRemove(old, name)));
  return { actions: [...grow(context, newest, nodes), ...removals] };
}

/**
 * Nodes on which an instance is ready and stays. A service that never ran is deleted first; its instances may become ready
 * during the deletion, and do not count.
 */
function readyNodes({ service, instances, justReady }: Owned, mayBeNew: boolean): ReadonlySet<string> {
  const ready = instances.filter(
    ({ state, instance }) => state === 'ready' && (mayBeNew || !justReady.has(instance.name)),
  );
  const names = ready.map(({ instance }) => instance.nodeName);
  return new Set(names.filter((name) => service.nodeNames.includes(name)));
}

function grow(context: PlanContext, newest: Owned | undefined, nodes: ReadonlySet<string>): readonly StepWithEvent[] {
  const { input, wanted } = context;
  if (nodes.size === 0) return [];
  const nodeNames = [...nodes];
  const name = newest?.service.name ?? freeName(context);
  const body = rendered(context, name, input.revision, { nodeNames });
  const why = `revision ${input.revision.hash} on ${nodes.size} of ${wanted.nodeNames.length} nodes`;
  if (newest === undefined) return [creation(body, why)];
  const has = newest.service.nodeNames;
  const isComplete = has.length === nodes.size && has.every((one) => nodes.has(one));
  return isComplete ? [] : [change(newest.service, body, 'RolloutStep', why)];
}

function isReplaceableOn(context: PlanContext, { instances }: Owned, name: string): boolean {
  return instances.every((seen) => seen.instance.nodeName !== name || isReplaceable(context, seen));
}

function shrink({ service }: Owned, mayRemove: (name: string) => boolean): readonly StepWithEvent[] {
  const nodeNames = service.nodeNames.filter((name) => !mayRemove(name));
  if (nodeNames.length === 0) return [removal(service, 'replaced by the newer revision on every node')];
  const body = resized(service, { nodeNames });
  if (body === undefined || nodeNames.length === service.nodeNames.length) return [];
  const left = service.nodeNames.filter((name) => !nodeNames.includes(name));
  return [change(service, body, 'RolloutStep', `replaced by the newer revision on ${left.join(', ')}`)];
}
