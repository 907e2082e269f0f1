import { expect, it } from 'vitest';
import { resized } from './payloads.ts';
import { PlanHarness, spec } from './plan-harness.kit.ts';

it('a resized service differs in its size only: one that is only loaded stays so', () => {
  const harness = new PlanHarness(spec({ template: { image: 'worker@1.0.0', platformSpecific: { action: 'Load' } } }));
  harness.settle();
  const [service] = harness.platform.observe();
  if (service === undefined) throw new Error('there is no service');
  const { body } = harness.platform.named('worker');
  expect(body.image.action).toBe('load');
  expect(resized(service, { replicas: 5 })).toEqual({ ...body, factor: 5 });
});
