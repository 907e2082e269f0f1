/**
 * A rolling update: the service of the newest revision grows while the older ones shrink, and the last step leaves one.
 * Each plan makes at most one step for each platform service, every one of them safe by itself in the worst case, so it
 * does not matter where an operator stops in between.
 */
import type { Decision } from './lifecycle.ts';
import { rollDynamic } from './rollout-dynamic.ts';
import { standStill } from './rollout-paused.ts';
import { rollStatic } from './rollout-static.ts';
import type { Situation } from './situation.ts';

/** Whether it takes more than one update of one service. */
export function needsRollout({ input, owned, newest }: Situation): boolean {
  const [first, second] = owned;
  // Whatever the strategy says now: what was begun with two services ends with one.
  if (second !== undefined) return true;
  const { paused, updateStrategy } = input.service.spec;
  if (first === undefined || newest !== undefined || paused || updateStrategy.type !== 'RollingUpdate') return false;
  // Without instances there is nothing to keep running.
  return first.extent > 0;
}

export function rollOut(situation: Situation): Decision {
  const { input, owned, wanted } = situation;
  if (input.service.spec.paused) return standStill(situation);
  const isStatic = wanted.policy === 'static' && owned.every(({ service }) => service.policy === 'static');
  return isStatic ? rollStatic(situation) : rollDynamic(situation);
}
