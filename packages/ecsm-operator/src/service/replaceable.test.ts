import { expect, it } from 'vitest';
import { planContextOf } from './plan-context.ts';
import { PlanHarness } from './plan-harness.kit.ts';
import { isReplaceable } from './replaceable.ts';

it('an instance on a lost node is replaceable only after the grace period', () => {
  const harness = new PlanHarness();
  harness.settle();
  const [container] = harness.platform.containers;
  if (container === undefined) throw new Error('there is no instance');
  harness.platform.offline.add(container.node);
  harness.reconcile();
  const verdicts = () => {
    const context = planContextOf(harness.input());
    const instances = context.owned.flatMap((one) => one.instances);
    return instances.filter(({ state }) => state === 'unknown').map((one) => isReplaceable(context, one));
  };
  expect(verdicts()).toEqual([false]);
  harness.platform.advance(harness.settings.lostNodeGraceMs - 1);
  expect(verdicts()).toEqual([false]);
  harness.platform.advance(1_000);
  expect(verdicts()).toEqual([true]);
});

it('an instance that is ready, or stopped without a repair attempt, is not replaceable', () => {
  const harness = new PlanHarness();
  harness.settle();
  const [first] = harness.platform.containers;
  if (first === undefined) throw new Error('there is no instance');
  harness.platform.crash(first, undefined);
  harness.reconcile();
  const context = planContextOf(harness.input());
  const instances = context.owned.flatMap((one) => one.instances);
  expect(instances.map(({ state }) => state).sort()).toEqual(['ready', 'stopped']);
  expect(instances.map((one) => isReplaceable(context, one))).toEqual([false, false]);
});
