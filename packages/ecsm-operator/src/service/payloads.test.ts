import { expect, it } from 'vitest';
import { Desk, spec } from './desk.kit.ts';
import { resized } from './payloads.ts';

it('a resized service differs in its size only: one that is only loaded stays so', () => {
  const desk = new Desk(spec({ template: { image: 'worker@1.0.0', platformSpecific: { action: 'Load' } } }));
  desk.settle();
  const [service] = desk.world.observe();
  if (service === undefined) throw new Error('there is no service');
  const { body } = desk.world.named('worker');
  expect(body.image.action).toBe('load');
  expect(resized(service, { replicas: 5 })).toEqual({ ...body, factor: 5 });
});
