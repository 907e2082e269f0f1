import { Cron } from 'croner';
import { describe, expect, it } from 'vitest';
import { cronFormat, timeZoneFormat } from '../api/cron-format.ts';

const valid = [
  '* * * * *',
  '0 6 * * *',
  '30 6 * * MON-FRI',
  '*/15 0-23/2 1,15 JAN,jul 0',
  '59 23 31 12 7',
  '5,10-20,30-50/5 * * * sun',
];

describe('a cron expression', () => {
  it.each(valid)('"%s" is valid, also for the library', (text) => {
    expect(cronFormat.check(text)).toBeUndefined();
    expect(() => new Cron(text, { mode: '5-part', paused: true })).not.toThrow();
  });

  it.each([
    ['0 6 * *', 'five fields'],
    ['0 0 6 * * *', 'five fields'],
    ['@daily', 'five fields'],
    ['60 6 * * *', 'its minute'],
    ['0 24 * * *', 'its hour'],
    ['0 6 0 * *', 'its day of the month'],
    ['0 6 * 13 *', 'its month'],
    ['0 6 * * FUN', 'its day of the week'],
    ['0 6 * * \u017fun', 'its day of the week'],
    ['0 6 * * 5-1', 'its day of the week'],
    ['*/0 6 * * *', 'its minute'],
    ['5/10 6 * * *', 'its minute'],
    ['1,,2 6 * * *', 'its minute'],
    ['0 6 L * *', 'its day of the month'],
  ])('"%s" is rejected, and the field is named', (text, named) => {
    expect(cronFormat.check(text)).toContain(named);
  });
});

describe('a time zone', () => {
  it('is a name of the IANA database', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'Asia/Shanghai']) expect(timeZoneFormat.check(name)).toBeUndefined();
    for (const name of ['Mars/Base', '', 'Berlin time']) expect(timeZoneFormat.check(name)).toContain('time zone');
  });
});
