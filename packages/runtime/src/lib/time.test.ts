import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeMsOf } from './time.ts';

describe('timeMsOf', () => {
  it('parses times with and without fraction and zone', () => {
    const noon = Date.UTC(2026, 10, 16, 12, 0, 0);
    for (const text of [
      '2026-11-16T12:00:00Z',
      '2026-11-16 12:00:00',
      '2026-11-16T12:00',
      '2026-11-16T20:00:00+08:00',
    ]) {
      expect(timeMsOf(text), text).toBe(noon);
    }
    expect(timeMsOf('2026-11-16T12:00:00.25Z')).toBe(noon + 250);
  });

  it('agrees with Date for any time', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('2399-12-31'), noInvalidDate: true }), (date) => {
        expect(timeMsOf(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  it('returns undefined for other texts', () => {
    for (const text of ['', 'yesterday', '2026-11-16', '12:00:00']) expect(timeMsOf(text), text).toBeUndefined();
  });
});
