/**
 * Rolling update by number of instances. The platform chooses which instance of a dynamic service it removes, so the plan
 * assumes that it is a ready one.
 */
import { differences, isOfSize } from '../resource/differences.ts';
import { capacityOf, nextCount } from './capacity.ts';
import type { Decision } from './lifecycle.ts';
import { rendered, resized } from './payloads.ts';
import type { Owned, PlanContext } from './plan-context.ts';
import { isReplaceable } from './replaceable.ts';
import { freeName } from './rollout-name.ts';
import { change, creation, joined, removal, type StepWithEvent } from './step-with-event.ts';

export function rollDynamic(context: PlanContext): Decision {
  const { wanted, owned, newest } = context;
  const spare = sum(owned, (one) => reliableCount(context, one)) - wanted.readyMin;
  const actions = [...grow(context), ...shrink(context, spare)];
  if (actions.length > 0) return { actions };
  const isNewestReady = newest === undefined || newest.readyCount === newest.countMax;
  return { actions: isNewestReady && capacityOf(context) <= 0 ? removeBroken(context) : [] };
}

/** Ready instances that stay while others are removed. */
function reliableCount({ wanted, newest, olds }: PlanContext, one: Owned): number {
  const { certainCount, size, readyCount, justReady } = one;
  // A newest service that is too large shrinks in the same plan as the old ones.
  if (one === newest) return Math.max(certainCount - Math.max(size - wanted.replicas, 0), 0);
  // A service that never ran is deleted first. Its instances may become ready during the deletion, and do not count.
  return one === olds[0] ? certainCount : Math.min(certainCount, readyCount - justReady.size);
}

function grow(context: PlanContext): readonly StepWithEvent[] {
  const { input, wanted, newest } = context;
  const target = nextCount(context, newest?.size ?? 0);
  if (target === 0) return [];
  const placement = wanted.policy === 'dynamic' ? { replicas: target } : { nodeNames: nodesFor(context, target) };
  if (newest === undefined) {
    const body = rendered(context, freeName(context), input.revision, placement);
    return [creation(body, `revision ${input.revision.hash} starts with ${target} of ${wanted.replicas} instances`)];
  }
  const body = rendered(context, newest.service.name, input.revision, placement);
  const found = differences(body, newest.service.detail, input.showValues);
  // Other differences are corrected at the end: an update of the template would replace the new instances.
  if (!found.some(isOfSize)) return [];
  return [change(newest.service, body, 'RolloutStep', joined(found))];
}

/** The nodes that it has, and as many more as needed. */
function nodesFor({ wanted, newest }: PlanContext, count: number): readonly string[] {
  const has = wanted.nodeNames.filter((name) => newest?.service.nodeNames.includes(name));
  return [...new Set([...has, ...wanted.nodeNames])].slice(0, count);
}

/**
 * Removes `spare` ready instances, from the oldest service first. A service that is being deleted is still listed for a
 * while, and this order chooses it again. Only a service with replaceable instances alone is removed out of order.
 */
function shrink(context: PlanContext, spare: number): readonly StepWithEvent[] {
  const actions: StepWithEvent[] = [];
  let left = spare;
  for (const old of context.olds) {
    const { service, instances, size } = old;
    const count = reliableCount(context, old);
    if (instances.every((seen) => isReplaceable(context, seen))) {
      actions.push(removal(service, 'none of its instances is running, and a newer revision exists'));
    } else if (left >= count) {
      actions.push(removal(service, 'enough instances of other revisions are ready'));
      left -= count;
    } else {
      const body = left > 0 ? resized(service, smaller(old, left)) : undefined;
      const why = `from ${size} to ${size - left}: ${spare} more ready than required`;
      if (body !== undefined) actions.push(change(service, body, 'RolloutStep', why));
      left = -1;
    }
  }
  return actions;
}

function smaller({ service, size, instances }: Owned, by: number) {
  if (service.policy === 'dynamic') return { replicas: size - by };
  const ready = new Set(instances.flatMap(({ state, instance }) => (state === 'ready' ? [instance.nodeName] : [])));
  const bestFirst = [...service.nodeNames].sort((left, right) => Number(ready.has(right)) - Number(ready.has(left)));
  return { nodeNames: bestFirst.slice(0, size - by) };
}

/**
 * Neither growing nor shrinking is possible, because instances of an old service are broken. They are removed by removing
 * their nodes from its list, if no working instance is on the same nodes.
 */
function removeBroken(context: PlanContext): readonly StepWithEvent[] {
  for (const { service, instances, size } of context.olds) {
    const broken = instances.filter((seen) => isReplaceable(context, seen));
    const inUse = new Set(instances.flatMap((seen) => (broken.includes(seen) ? [] : [seen.instance.nodeName])));
    const removable = broken.filter(({ instance }) => !inUse.has(instance.nodeName));
    if (removable.length === 0 || instances.length !== size || removable.length === size) continue;
    const excluded = new Set(removable.map(({ instance }) => instance.nodeName));
    const nodeNames = service.nodeNames.filter((name) => !excluded.has(name));
    const body = resized(service, { replicas: size - removable.length, nodeNames });
    if (body === undefined || nodeNames.length === 0) continue;
    const why = `from ${size} to ${size - removable.length}: instances on ${[...excluded].join(', ')} are not running and block the rollout`;
    return [change(service, body, 'RolloutStep', why)];
  }
  return [];
}

function sum(owned: readonly Owned[], count: (one: Owned) => number): number {
  return owned.reduce((total, one) => total + count(one), 0);
}
