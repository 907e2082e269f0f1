/** Intervals and shares of the budget, by what a poll costs. */
import { describe, expect, it } from 'vitest';
import { Pace } from './pace.ts';

const pace = (pollBytes: number, isChanged = false) => {
  const one = new Pace({ observeMs: 60_000, budgetBytesPerSecond: 8_000 });
  one.polled(pollBytes, isChanged);
  return one;
};

describe('the interval between polls', () => {
  it('doubles up to the limit while nothing changes, and starts again after a change', () => {
    const one = pace(1_000, true);
    const intervals = [false, false, false, false, true, false].map((isChanged) => {
      const { intervalMs } = one;
      one.polled(1_000, isChanged);
      return intervalMs;
    });
    expect(intervals).toEqual([15_000, 30_000, 60_000, 60_000, 60_000, 15_000]);
    one.changed();
    expect(one.intervalMs).toBe(15_000);
  });

  it('is as long as the budget needs, up to the limit', () => {
    expect(pace(240_000, true).intervalMs).toBe(30_000);
    expect(pace(5_000_000, true).intervalMs).toBe(60_000);
  });
});

describe('what can wait', () => {
  it('gets a sixteenth of the budget, half of it for audits', () => {
    expect(pace(1_000).auditMs).toBe(3_000 / 0.25);
    expect(pace(1_000).sweepMs(1_000, false)).toBe(1_000 / 0.25);
  });

  it('gets a sixty-fourth if the polls alone need the budget', () => {
    expect(pace(5_000_000).auditMs).toBe(3_000 / 0.0625);
  });

  it('gets what is left in between', () => {
    // 7,800 of 8,000 bytes per second are needed for polls.
    expect(pace(468_000).sweepMs(100, false)).toBe(1_000);
  });

  it('gets for the instances of a small fleet half of what the polls leave', () => {
    expect(pace(60_000).sweepMs(7_000, true)).toBe(2_000);
    // As of any fleet, if the polls leave nothing.
    expect(pace(5_000_000).sweepMs(1_000, true)).toBe(1_000 / 0.0625);
  });
});
