import { describe, expect, it } from 'vitest';
import { backoffDelayMs, IdleFailures, idleFailuresMax } from './backoff.ts';

describe('the backoff', () => {
  it('doubles from 5 ms to 1000 s and stays there', () => {
    const delays = [0, 1, 2, 3, 17, 18, 5_000].map((failures) => backoffDelayMs(failures, 5, 1_000_000));
    expect(delays).toEqual([5, 10, 20, 40, 655_360, 1_000_000, 1_000_000]);
  });
});

describe('failures of idle keys', () => {
  it('take no memory when there are none', () => {
    const failures = new IdleFailures();
    failures.keep('a', 0);
    expect(failures.size).toBe(0);
  });

  it('are kept up to the limit, and beyond it the oldest is forgotten', () => {
    const failures = new IdleFailures();
    for (let number = 0; number < idleFailuresMax; number++) failures.keep(`key-${number}`, 3);
    expect(failures.of('key-0')).toBe(3);
    failures.keep('one-more', 1);
    expect(failures.size).toBe(idleFailuresMax);
    expect([failures.of('key-0'), failures.of('key-1'), failures.of('one-more')]).toEqual([0, 3, 1]);
  });
});
