import { describe, expect, it } from 'vitest';
import { isActive } from './proposal.ts';

const daily = { timezone: 'UTC', start: '0 6 * * *', end: '30 6 * * *' };
const active = (schedule: typeof daily, time: string) => isActive(schedule, Date.parse(time));

describe('a schedule', () => {
  it.each([
    ['2026-11-17T05:59:59.999Z', false],
    ['2026-11-17T06:00:00Z', true],
    ['2026-11-17T06:29:59.999Z', true],
    ['2026-11-17T06:30:00Z', false],
    ['2026-11-17T23:00:00Z', false],
  ])('is active from its start up to its end: %s', (time, expected) => {
    expect(active(daily, time)).toBe(expected);
  });

  it('may last over midnight', () => {
    const night = { ...daily, start: '0 22 * * *', end: '0 4 * * *' };
    expect(active(night, '2026-11-17T23:00:00Z')).toBe(true);
    expect(active(night, '2026-11-18T03:59:00Z')).toBe(true);
    expect(active(night, '2026-11-18T04:00:00Z')).toBe(false);
  });

  it('follows its time zone, also when the clock is changed', () => {
    const berlin = { ...daily, timezone: 'Europe/Berlin' };
    expect(active(berlin, '2026-07-01T04:10:00Z')).toBe(true);
    expect(active(berlin, '2026-12-01T04:10:00Z')).toBe(false);
    expect(active(berlin, '2026-12-01T05:10:00Z')).toBe(true);
    const skipped = { timezone: 'Europe/Berlin', start: '30 2 * * *', end: '0 4 * * *' };
    expect(active(skipped, '2026-03-29T01:30:00Z')).toBe(true);
  });

  it('may be weekly', () => {
    const week = { ...daily, start: '0 8 * * MON', end: '0 18 * * FRI' };
    expect(active(week, '2026-11-18T12:00:00Z')).toBe(true);
    expect(active(week, '2026-11-21T12:00:00Z')).toBe(false);
  });

  it('that never starts is not active', () => {
    expect(active({ ...daily, start: '0 0 30 2 *' }, '2026-11-17T06:10:00Z')).toBe(false);
  });
});
