/**
 * A rolling update: the service of the newest revision is scaled up while the older ones are scaled down, until one is
 * left. Each plan has at most one step for each platform service, and each step is safe on its own in the worst case, so an
 * operator may stop after any step.
 */
import type { Decision } from './lifecycle.ts';
import type { PlanContext } from './plan-context.ts';
import { rollDynamic } from './rollout-dynamic.ts';
import { holdRollout } from './rollout-paused.ts';
import { rollStatic } from './rollout-static.ts';

/** Whether more than one update of one service is needed. */
export function needsRollout({ input, owned, newest }: PlanContext): boolean {
  const [first, second] = owned;
  // With any strategy: an update that has started with two services ends with one.
  if (second !== undefined) return true;
  const { paused, updateStrategy } = input.service.spec;
  if (first === undefined || newest !== undefined || paused || updateStrategy.type !== 'RollingUpdate') return false;
  // Without instances an update in place has the same effect.
  return first.countMax > 0;
}

export function rollOut(context: PlanContext): Decision {
  const { input, owned, wanted } = context;
  if (input.service.spec.paused) return holdRollout(context);
  const isStatic = wanted.policy === 'static' && owned.every(({ service }) => service.policy === 'static');
  return isStatic ? rollStatic(context) : rollDynamic(context);
}
