import { expect, it } from 'vitest';
import { jitter } from './election-times.ts';

it('the delay between two attempts is jittered from its length up to 1.2 times that', () => {
  const drawn = (value: number) => jitter(2_000, { next: () => value, uuid: () => '' });
  expect([drawn(0), drawn(0.5), drawn(1)]).toEqual([2_000, 2_200, 2_400]);
});
