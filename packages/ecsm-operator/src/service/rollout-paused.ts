/** A paused rolling update: the shares of the revisions stay, but the number of instances follows the spec. */

import { capacityOf } from './capacity.ts';
import type { Decision } from './lifecycle.ts';
import { resized, type Size } from './payloads.ts';
import type { Owned, PlanContext } from './plan-context.ts';
import { change, removal, type StepWithEvent } from './step-with-event.ts';

export function holdRollout(context: PlanContext): Decision {
  const { wanted, owned } = context;
  const waiting = 'spec.paused to be false';
  // While the policy changes there is no size that fits both services.
  if (owned.some(({ service }) => service.policy !== wanted.policy)) return { actions: [], waiting };
  return { actions: wanted.policy === 'static' ? keepNodes(context) : keepCount(context), waiting };
}

function keepCount(context: PlanContext): readonly StepWithEvent[] {
  const { wanted, owned } = context;
  const total = sum(owned);
  const [largest] = bySize(owned);
  if (largest === undefined) return [];
  if (total < wanted.replicas) {
    const by = Math.min(wanted.replicas - total, capacityOf(context));
    return by > 0 ? resize(largest, { replicas: largest.size + by }) : [];
  }
  // Every revision keeps an instance if possible. If not, whole services are deleted.
  const deleted = new Set(leastReadyFirst(context).slice(0, Math.max(owned.length - wanted.totalMax, 0)));
  let surplus = total - wanted.totalMax - sum([...deleted]);
  return bySize(owned).flatMap((one) => {
    if (deleted.has(one)) return [removal(one.service, `scaled to ${wanted.replicas} while paused`)];
    const by = Math.min(Math.max(surplus, 0), one.size - 1);
    surplus -= by;
    return by > 0 ? resize(one, { replicas: one.size - by }) : [];
  });
}

/** Among equals the newest revision first: the others have been running longer. */
function leastReadyFirst({ newest, olds }: PlanContext): readonly Owned[] {
  const all = newest === undefined ? [...olds] : [newest, ...olds];
  return all.sort((left, right) => left.readyCount - right.readyCount);
}

function keepNodes(context: PlanContext): readonly StepWithEvent[] {
  const { wanted, owned } = context;
  const listed = new Set(owned.flatMap(({ service }) => service.nodeNames));
  const missing = wanted.nodeNames.filter((name) => !listed.has(name)).slice(0, Math.max(capacityOf(context), 0));
  const [largest] = bySize(owned);
  return owned.flatMap((one) => {
    const stays = one.service.nodeNames.filter((name) => wanted.nodeNames.includes(name));
    const nodeNames = one === largest ? [...stays, ...missing] : stays;
    if (nodeNames.length === 0) return [removal(one.service, 'none of its nodes is in the spec')];
    const isSame = stays.length === one.service.nodeNames.length && nodeNames.length === stays.length;
    return isSame ? [] : resize(one, { nodeNames });
  });
}

function resize({ service, size }: Owned, to: Size): readonly StepWithEvent[] {
  const body = resized(service, to);
  const target = to.replicas ?? to.nodeNames?.length ?? size;
  return body === undefined ? [] : [change(service, body, 'Scaled', `from ${size} to ${target} while paused`)];
}

function bySize(owned: readonly Owned[]): readonly Owned[] {
  return [...owned].sort((left, right) => right.size - left.size);
}

function sum(owned: readonly Owned[]): number {
  return owned.reduce((total, { size }) => total + size, 0);
}
