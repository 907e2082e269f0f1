/** The number of instances for the result of a query, as Kubernetes computes it for external metrics. */
import type { Tolerance } from './model.ts';
import { roundUp } from './rounding.ts';
import { isWithin } from './tolerance.ts';

export interface ValueQuestion {
  readonly value: number;
  readonly target:
    | { readonly type: 'Value'; readonly amount: number }
    | { readonly type: 'AverageValue'; readonly amount: number };
  readonly current: number;
  readonly ready: number;
  readonly tolerance: Tolerance;
}

/** Returns undefined if it is not known: the value is compared with ready instances, and there are none. */
export function valueReplicas({ value, target, current, ready, tolerance }: ValueQuestion): number | undefined {
  const { type, amount } = target;
  if (type === 'AverageValue') {
    return current > 0 && isWithin(value / (amount * current), tolerance) ? current : roundUp(value / amount);
  }
  const ratio = value / amount;
  if (current === 0) return roundUp(ratio);
  if (isWithin(ratio, tolerance)) return current;
  return ready === 0 ? undefined : roundUp(ratio * ready);
}
