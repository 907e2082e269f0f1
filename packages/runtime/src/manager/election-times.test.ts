import { expect, it } from 'vitest';
import { checkGrace, checkTimes, jitter } from './election-times.ts';

it('the delay between two attempts is jittered from its length up to 1.2 times that', () => {
  const drawn = (value: number) => jitter(2_000, { next: () => value, uuid: () => '' });
  expect([drawn(0), drawn(0.5), drawn(1)]).toEqual([2_000, 2_200, 2_400]);
});

it('the times of an election are accepted up to their limits', () => {
  const longest = { identity: 'a', leaseMs: 3_600_000, renewDeadlineMs: 3_599_999, retryMs: 2_000 };
  expect(() => checkTimes(longest)).not.toThrow();
  expect(() => checkTimes({ ...longest, retryMs: 1, renewDeadlineMs: 2, leaseMs: 3 })).not.toThrow();
});

it('work that lasts longer than the term of its leader has to end before the lease does', () => {
  const times = { leaseMs: 15_000, renewDeadlineMs: 10_000 };
  expect(() => checkGrace('a', 4_999, times)).not.toThrow();
  expect(() => checkGrace('a', 5_000, times)).toThrow('must be less than leaseMs (15000)');
});
