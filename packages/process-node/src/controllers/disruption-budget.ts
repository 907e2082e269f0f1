/** The status of PodDisruptionBudgets: how many of the selected pods are healthy, and how many may be evicted. */
import { Pod, PodDisruptionBudget } from '@ecsm/kubernetes';
import {
  type ApiObject,
  Controller,
  deepEqual,
  type LabelSelector,
  type Log,
  labelSelectorOf,
  matchesLabels,
  type ObjectName,
} from '@ecsm/runtime';
import { hasEnded, isReady, isTerminating } from './stateful-pods.ts';

interface KnownBudget extends ObjectName {
  readonly selector: LabelSelector;
}

export function disruptionBudgetController(log?: Log) {
  /** To find the budgets of a pod. A cache: a budget reads its pods itself. */
  const known = new Map<string, KnownBudget>();
  return new Controller({
    name: 'disruption-budget',
    kind: PodDisruptionBudget,
    watches: [{ kind: Pod, map: (pod) => budgetsOf(pod, known.values()) }],
    ...(log && { log }),
    reconcile: async ({ key, name, namespace }, { get, registry }) => {
      const budget = await get();
      if (budget === undefined) {
        known.delete(key);
        return;
      }
      const selector = labelSelectorOf(budget.spec.selector ?? {});
      known.set(key, { name, namespace, selector });
      const { items } = await registry.resource(Pod).list({ namespace, labelSelector: selector });
      const status = statusOf(budget, items);
      if (deepEqual(status, budget.status)) return;
      await registry.resource(PodDisruptionBudget).updateStatus({ metadata: budget.metadata, status });
    },
  });
}

function statusOf({ metadata, spec }: PodDisruptionBudget, pods: readonly Pod[]) {
  const expectedPods = pods.filter((pod) => !hasEnded(pod)).length;
  const currentHealthy = pods.filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  const { minAvailable, maxUnavailable } = spec;
  const desiredHealthy =
    maxUnavailable === undefined
      ? amountOf(minAvailable ?? 1, expectedPods)
      : Math.max(0, expectedPods - amountOf(maxUnavailable, expectedPods));
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return {
    observedGeneration: metadata.generation,
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
  };
}

/** A number, or a percentage of the pods, rounded up. */
function amountOf(value: string | number, pods: number): number {
  if (typeof value === 'number') return value;
  return value.endsWith('%') ? Math.ceil((Number(value.slice(0, -1)) * pods) / 100) : Number(value);
}

function budgetsOf({ metadata }: ApiObject<unknown, unknown>, known: Iterable<KnownBudget>): readonly ObjectName[] {
  return [...known].filter(
    ({ namespace, selector }) => namespace === metadata.namespace && matchesLabels(selector, metadata.labels),
  );
}
