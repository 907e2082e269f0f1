import { describe, expect, it } from 'vitest';
import { lastTimeMs, nextTimeMs } from './public.ts';

const next = (expression: string, after: string, zone = 'UTC') => {
  const ms = nextTimeMs(expression, zone, Date.parse(after));
  return ms === undefined ? undefined : new Date(ms).toISOString();
};
const last = (expression: string, after: string, now: string, zone = 'UTC') => {
  const ms = lastTimeMs(expression, zone, Date.parse(after), Date.parse(now));
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

describe('the next time', () => {
  it('is after the given one', () => {
    expect(next('0 6 * * *', '2026-11-17T06:00:00Z')).toBe('2026-11-18T06:00:00.000Z');
    expect(next('0 6 30 2 *', '2026-11-17T06:00:00Z')).toBeUndefined();
  });

  it('is at the same local time after a change to and from daylight saving time', () => {
    expect(next('30 6 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T04:30:00.000Z');
    expect(next('30 6 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin')).toBe('2026-10-25T05:30:00.000Z');
  });

  it('is once a day where the local time is skipped or repeated', () => {
    // 02:30 does not exist on March 29, and exists twice on October 25.
    const spring = next('30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin');
    expect(spring).toBe('2026-03-29T01:00:00.000Z');
    expect(next('30 2 * * *', spring ?? '', 'Europe/Berlin')).toBe('2026-03-30T00:30:00.000Z');
    const autumn = next('30 2 * * *', '2026-10-24T12:00:00Z', 'Europe/Berlin');
    expect(next('30 2 * * *', autumn ?? '', 'Europe/Berlin')).toBe('2026-10-26T01:30:00.000Z');
  });
});

describe('the last time', () => {
  it('is that of the newest of all that were missed', () => {
    expect(last('0 * * * *', '2026-11-01T00:30:00Z', '2026-11-17T06:10:00Z')).toBe('2026-11-17T06:00:00.000Z');
    expect(last('0 0 1 1 *', '2020-06-01T00:00:00Z', '2026-11-17T06:10:00Z')).toBe('2026-01-01T00:00:00.000Z');
  });

  it('may be now, and is not the one that it has to be after', () => {
    expect(last('0 6 * * *', '2026-11-16T06:00:00Z', '2026-11-17T06:00:00Z')).toBe('2026-11-17T06:00:00.000Z');
    expect(last('0 6 * * *', '2026-11-17T06:00:00Z', '2026-11-17T06:10:00Z')).toBeUndefined();
    expect(last('0 6 30 2 *', '2026-01-01T00:00:00Z', '2026-11-17T06:10:00Z')).toBeUndefined();
  });
});
