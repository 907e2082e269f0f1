/**
 * Rolling by node. Which instance goes is ours to choose here, so an old one goes from a node where the new one is
 * ready, and from others only as far as nodes may be without.
 */

import { nextNodes } from './capacity.ts';
import { isHopeless } from './hopeless.ts';
import type { Decision } from './lifecycle.ts';
import { rendered, resized } from './payloads.ts';
import { freeName } from './rollout-name.ts';
import type { Owned, Situation } from './situation.ts';
import { change, creation, removal, type StepWithEvent } from './step-with-event.ts';

export function rollStatic(situation: Situation): Decision {
  const { wanted, owned, newest, olds } = situation;
  const readyOn = new Map(owned.map((one) => [one, readyNodes(one, one === newest || one === olds[0])]));
  const coverage = new Map(
    wanted.nodeNames.map((name) => [name, owned.filter((one) => readyOn.get(one)?.has(name)).length]),
  );
  // Nodes without a ready instance come first.
  const isCovered = (name: string) => Number((coverage.get(name) ?? 0) > 0);
  const nodes = new Set(nextNodes(situation, newest?.service.nodeNames ?? [], isCovered));
  let toFollow = wanted.nodeNames.length - nodes.size;
  let spare = [...coverage.values()].filter((count) => count > 0).length - wanted.readyMin;

  const mayLeave = (old: Owned, name: string): boolean => {
    const count = coverage.get(name);
    if (count === undefined) return true;
    if (!readyOn.get(old)?.has(name)) return isWithoutHope(situation, old, name);
    if (count === 1) {
      // To leave before the new one is there only helps if the new one has yet to come. Only the oldest may: while it is
      // being removed it looks as before, and nobody else must take what it has taken.
      if (old !== olds[0] || spare <= 0 || toFollow <= 0 || nodes.has(name)) return false;
      spare--;
      toFollow--;
    }
    coverage.set(name, count - 1);
    return true;
  };
  const leaving = olds.flatMap((old) => leave(old, (name) => mayLeave(old, name)));
  return { actions: [...grow(situation, newest, nodes), ...leaving] };
}

/**
 * Nodes on which an instance is ready and stays. A service that never ran is removed before its turn; if it comes up
 * while it goes, it must not be relied on.
 */
function readyNodes({ service, instances, fresh }: Owned, mayBeFresh: boolean): ReadonlySet<string> {
  const ready = instances.filter(
    ({ state, instance }) => state === 'ready' && (mayBeFresh || !fresh.has(instance.name)),
  );
  const names = ready.map(({ instance }) => instance.nodeName);
  return new Set(names.filter((name) => service.nodeNames.includes(name)));
}

function grow(situation: Situation, newest: Owned | undefined, nodes: ReadonlySet<string>): readonly StepWithEvent[] {
  const { input, wanted } = situation;
  if (nodes.size === 0) return [];
  const nodeNames = [...nodes];
  const name = newest?.service.name ?? freeName(situation);
  const body = rendered(situation, name, input.revision, { nodeNames });
  const why = `revision ${input.revision.hash} on ${nodes.size} of ${wanted.nodeNames.length} nodes`;
  if (newest === undefined) return [creation(body, why)];
  const has = newest.service.nodeNames;
  const isThere = has.length === nodes.size && has.every((one) => nodes.has(one));
  return isThere ? [] : [change(newest.service, body, 'RolloutStep', why)];
}

function isWithoutHope(situation: Situation, { instances }: Owned, name: string): boolean {
  return instances.every((seen) => seen.instance.nodeName !== name || isHopeless(situation, seen));
}

function leave({ service }: Owned, mayLeave: (name: string) => boolean): readonly StepWithEvent[] {
  const nodeNames = service.nodeNames.filter((name) => !mayLeave(name));
  if (nodeNames.length === 0) return [removal(service, 'replaced by the newer revision on every node')];
  const body = resized(service, { nodeNames });
  if (body === undefined || nodeNames.length === service.nodeNames.length) return [];
  const left = service.nodeNames.filter((name) => !nodeNames.includes(name));
  return [change(service, body, 'RolloutStep', `replaced by the newer revision on ${left.join(', ')}`)];
}
