import { expect, it } from 'vitest';
import { parseTime } from './time-limits.ts';

it.each([
  ['0', 0],
  ['90s', 90_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['1m0.5s', 60_500],
])('%s is a time', (text, timeMs) => {
  expect(parseTime(text)).toBe(timeMs);
});

it.each(['', '5', '5 m', '-1s', 'm', '5min', '1d', '1m!', 'Infinity', '٣s'])('rejects "%s"', (text) => {
  expect(parseTime(text)).toBeUndefined();
});
