/**
 * Goal: the arithmetic agrees with the Gregorian calendar. Method: random instants over four thousand years,
 * written in every form that the platform is known to use, and read back.
 */
import { SeededRandom } from '@ecsm/runtime/simulation';
import { describe, expect, it } from 'vitest';
import { parseTime } from './times.ts';

const random = new SeededRandom(20_240_603);
const whole = (from: number, to: number) => from + Math.floor(random.next() * (to - from + 1));
const first = Date.UTC(100, 0, 1);
const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

describe('agrees with Date', () => {
  it('about 20,000 instants, with zone and without', () => {
    for (let n = 0; n < 20_000; n++) {
      const time = whole(first, last);
      const iso = new Date(time).toISOString();
      if (parseTime(iso) !== time) throw new Error(`${iso} was read as ${parseTime(iso)}, not ${time}`);
      const second = Math.floor(time / 1000) * 1000;
      const plain = iso.slice(0, 19).replace('T', ' ');
      const zone = whole(-14 * 60, 14 * 60);
      if (parseTime(plain, zone) !== second - zone * 60_000) throw new Error(`${plain} in zone ${zone}`);
    }
  });

  it('about every day from 1600 to 2400, and about invalid days', () => {
    let days = 0;
    for (let year = 1600; year <= 2400; year++) {
      for (let month = 1; month <= 12; month++) {
        for (let day = 0; day <= 32; day++) {
          const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')} 00:00:00`;
          const time = Date.UTC(year, month - 1, day);
          const isReal = new Date(time).getUTCMonth() === month - 1 && day > 0;
          if (parseTime(text) !== (isReal ? time : undefined)) throw new Error(text);
          if (isReal) days++;
        }
      }
    }
    expect(days).toBe((Date.UTC(2401, 0, 1) - Date.UTC(1600, 0, 1)) / 86_400_000);
  });
});

describe('reads', () => {
  it.each<[string, number, number]>([
    ['2024-06-03 23:28:20', 0, Date.UTC(2024, 5, 3, 23, 28, 20)],
    ['2024-06-03 23:28:20', 8 * 60, Date.UTC(2024, 5, 3, 15, 28, 20)],
    ['2024-06-03T23:28:20.123456789Z', 8 * 60, Date.UTC(2024, 5, 3, 23, 28, 20, 123)],
    ['2024-06-03T23:28:20.5Z', 0, Date.UTC(2024, 5, 3, 23, 28, 20, 500)],
    ['2024-06-03T23:28:20+08:00', 0, Date.UTC(2024, 5, 3, 15, 28, 20)],
    ['2024-06-03T23:28:20.999999999-0330', 0, Date.UTC(2024, 5, 4, 2, 58, 20, 999)],
    [' 2024-02-29 00:00:00 ', 0, Date.UTC(2024, 1, 29)],
    ['2000-02-29T23:59:59z', 0, Date.UTC(2000, 1, 29, 23, 59, 59)],
  ])('%s in zone %d', (text, zone, time) => {
    expect(parseTime(text, zone)).toBe(time);
  });
});

describe('does not read', () => {
  it.each([
    '',
    'yesterday',
    '2023-02-29 00:00:00',
    '1900-02-29 00:00:00',
    '2024-00-10 00:00:00',
    '2024-13-10 00:00:00',
    '2024-04-31 00:00:00',
    '2024-06-03 24:00:00',
    '2024-06-03 23:60:00',
    '2024-06-03 23:28:60',
    '2024-06-03',
    '2024-06-03T23:28:20+24:00',
    '2024-06-03T23:28:20+08:60',
    '2024-06-03 23:28:20 and more',
    '0000-01-01 00:00:00',
    '20240603 232820',
  ])('%j', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});
