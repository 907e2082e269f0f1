/**
 * Rolling by number of instances. The platform chooses which instance of a dynamic service goes, so it is taken to be a
 * ready one, every time.
 */
import { differences, isOfSize } from '../resource/differences.ts';
import { capacityOf, nextCount } from './capacity.ts';
import { isHopeless } from './hopeless.ts';
import type { Decision } from './lifecycle.ts';
import { rendered, resized } from './payloads.ts';
import { freeName } from './rollout-name.ts';
import type { Owned, Situation } from './situation.ts';
import { change, creation, joined, removal, type StepWithEvent } from './step-with-event.ts';

export function rollDynamic(situation: Situation): Decision {
  const { wanted, owned, newest } = situation;
  const spare = sum(owned, (one) => countable(situation, one)) - wanted.readyMin;
  const actions = [...grow(situation), ...shrink(situation, spare)];
  if (actions.length > 0) return { actions };
  const isNewestWell = newest === undefined || newest.readyCount === newest.extent;
  return { actions: isNewestWell && capacityOf(situation) <= 0 ? giveUp(situation) : [] };
}

/** Ready instances that one can rely on while others go. */
function countable({ wanted, newest, olds }: Situation, one: Owned): number {
  const { certainCount, size, readyCount, fresh } = one;
  // A newest one that is too large shrinks in the same plan as the old ones.
  if (one === newest) return Math.max(certainCount - Math.max(size - wanted.replicas, 0), 0);
  // A service that never ran is removed before its turn. If it comes up while it goes, it must not be relied on.
  return one === olds[0] ? certainCount : Math.min(certainCount, readyCount - fresh.size);
}

function grow(situation: Situation): readonly StepWithEvent[] {
  const { input, wanted, newest } = situation;
  const target = nextCount(situation, newest?.size ?? 0);
  if (target === 0) return [];
  const placement = wanted.policy === 'dynamic' ? { replicas: target } : { nodeNames: nodesFor(situation, target) };
  if (newest === undefined) {
    const body = rendered(situation, freeName(situation), input.revision, placement);
    return [creation(body, `revision ${input.revision.hash} starts with ${target} of ${wanted.replicas} instances`)];
  }
  const body = rendered(situation, newest.service.name, input.revision, placement);
  const found = differences(body, newest.service.detail);
  // Anything else that differs can wait for the end: an update of the template would replace what has just started.
  if (!found.some(isOfSize)) return [];
  return [change(newest.service, body, 'RolloutStep', joined(found))];
}

/** Those that it has, and as many more as there have to be. */
function nodesFor({ wanted, newest }: Situation, count: number): readonly string[] {
  const has = wanted.nodeNames.filter((name) => newest?.service.nodeNames.includes(name));
  return [...new Set([...has, ...wanted.nodeNames])].slice(0, count);
}

/**
 * `spare` ready instances may go, always from the oldest service first. A service that is being removed looks as before
 * for a while, and in this order it is the one that is chosen again. Only one without hope goes before its turn.
 */
function shrink(situation: Situation, spare: number): readonly StepWithEvent[] {
  const actions: StepWithEvent[] = [];
  let left = spare;
  for (const old of situation.olds) {
    const { service, instances, size } = old;
    const count = countable(situation, old);
    if (instances.every((seen) => isHopeless(situation, seen))) {
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
 * There is no room, and nothing to spare, because instances of an old service are broken. They can be aimed at: their
 * nodes are taken off its list, if none that works is there too.
 */
function giveUp(situation: Situation): readonly StepWithEvent[] {
  for (const { service, instances, size } of situation.olds) {
    const broken = instances.filter((seen) => isHopeless(situation, seen));
    const inUse = new Set(instances.flatMap((seen) => (broken.includes(seen) ? [] : [seen.instance.nodeName])));
    const aimedAt = broken.filter(({ instance }) => !inUse.has(instance.nodeName));
    if (aimedAt.length === 0 || instances.length !== size || aimedAt.length === size) continue;
    const given = new Set(aimedAt.map(({ instance }) => instance.nodeName));
    const nodeNames = service.nodeNames.filter((name) => !given.has(name));
    const body = resized(service, { replicas: size - aimedAt.length, nodeNames });
    if (body === undefined || nodeNames.length === 0) continue;
    const why = `from ${size} to ${size - aimedAt.length}: instances on ${[...given].join(', ')} are not running and block the rollout`;
    return [change(service, body, 'RolloutStep', why)];
  }
  return [];
}

function sum(owned: readonly Owned[], count: (one: Owned) => number): number {
  return owned.reduce((total, one) => total + count(one), 0);
}
