import { describe, expect, it } from 'vitest';
import { Backoff, backoffMs } from './backoff.ts';

const constant = (value: number) => ({ next: () => value, uuid: () => '' });

describe('Backoff', () => {
  it('doubles with each failure up to its maximum, and starts over after a reset', () => {
    const backoff = new Backoff(constant(1), 100, 500);
    expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([100, 200, 400, 500, 500]);
    backoff.reset();
    expect(backoff.next()).toBe(100);
  });

  it('is jittered between half of the delay and all of it', () => {
    expect(new Backoff(constant(0), 100).next()).toBe(50);
    expect(new Backoff(constant(0.5), 100).next()).toBe(75);
  });

  it('is not jittered without a random source, and stays at its maximum after any number of failures', () => {
    const delays = [0, 1, 2, 3, 17, 18, 5_000].map((failures) => backoffMs(failures, 5, 1_000_000));
    expect(delays).toEqual([5, 10, 20, 40, 655_360, 1_000_000, 1_000_000]);
  });
});
