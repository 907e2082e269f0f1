import { SeededRandom } from '@ecsm/runtime/simulation';
import { expect, test } from 'vitest';
import { profiles } from '../platform/behaviour.ts';
import { parseMoment, timeText } from './times.ts';

const moment = Date.UTC(2024, 5, 3, 23, 28, 20, 7);

test.each([
  ['mixed', '2024-06-03 23:28:20', '2024-06-03T23:28:20.007Z', '2024-06-03T23:28:20.007000000Z'],
  ['plain', '2024-06-03 23:28:20', '2024-06-03 23:28:20', '2024-06-03 23:28:20'],
  ['iso', '2024-06-03T23:28:20.007Z', '2024-06-03T23:28:20.007Z', '2024-06-03T23:28:20.007Z'],
] as const)('times in the style %s', (times, service, container, image) => {
  const behaviour = { ...profiles.likely, times };
  expect(timeText(moment, 'service', behaviour)).toBe(service);
  expect(timeText(moment, 'container', behaviour)).toBe(container);
  expect(timeText(moment, 'image', behaviour)).toBe(image);
});

test('a moment may be given as text, in seconds and in milliseconds', () => {
  const second = Math.floor(moment / 1000) * 1000;
  expect(parseMoment('2024-06-03 23:28:20')).toBe(second);
  expect(parseMoment('2024-06-03T23:28:20.007Z')).toBe(second);
  expect(parseMoment(String(second / 1000))).toBe(second);
  expect(parseMoment(String(moment))).toBe(moment);
});

test('texts agree with the calendar for any day', () => {
  const random = new SeededRandom(1);
  for (let round = 0; round < 2_000; round++) {
    const second = random.integer(Date.UTC(1600, 0) / 1000, Date.UTC(9999, 11, 31) / 1000) * 1000;
    expect(parseMoment(new Date(second).toISOString())).toBe(second);
  }
});

test('an invalid time is undefined', () => {
  for (const text of [
    '',
    'now',
    '2024-02-30 00:00:00',
    '2024-13-01 00:00:00',
    '2024-01-01',
    '-5',
    '9'.repeat(16),
    '1e9',
  ]) {
    expect(parseMoment(text), text).toBeUndefined();
  }
});
