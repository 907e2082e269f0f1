import { expect, it } from 'vitest';
import { observedInstances } from './instances.ts';
import { PlanHarness } from './plan-harness.kit.ts';

/** The states of the instances of a settled service, with changes to all of them. */
function states(change: object, offlineNodes: readonly string[] = []): readonly string[] {
  const harness = new PlanHarness();
  harness.settle();
  const [service] = harness.platform.observe();
  if (service === undefined) throw new Error('there is no service');
  const instances = service.instances.map((one) => ({ ...one, nodeName: 'n1', ...change }));
  return [...new Set(observedInstances({ ...service, instances }, new Set(offlineNodes)).map(({ state }) => state))];
}

it.each([
  [{}, ['ready']],
  [{ status: 'exited' }, ['stopped']],
  [{ status: 'created' }, ['stopped']],
  [{ status: 'paused' }, ['paused']],
  [{ status: 'something new' }, ['unknown']],
  [{ status: null }, ['unknown']],
  [{ deployment: 'deploying' }, ['starting']],
  [{ deployment: 'failure' }, ['failed']],
])('an instance with %o is %o', (change, expected) => {
  expect(states(change)).toEqual(expected);
});

it('an instance on an offline node is unknown, also if the platform still reports its last state', () => {
  expect(states({ status: 'running' }, ['n1'])).toEqual(['unknown']);
  expect(states({ status: 'running' }, ['n2'])).toEqual(['ready']);
});
