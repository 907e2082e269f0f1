import { expect, it } from 'vitest';
import { formatBytes, formatPercent } from './amount.ts';

it.each([
  [0, '0B'],
  [512, '512B'],
  [1023, '1023B'],
  [1024, '1Ki'],
  [1536, '1.5Ki'],
  [10_200, '10Ki'],
  [12_288, '12Ki'],
  [1_048_575, '1Mi'],
  [536_870_912, '512Mi'],
  [1.25 * 1024 ** 3, '1.3Gi'],
  [2 * 1024 ** 5, '2Pi'],
  [5000 * 1024 ** 6, '5000Ei'],
  [-1, '<invalid>'],
  [Number.NaN, '<invalid>'],
])('formats %d bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  [0, '0%'],
  [0.001, '<1%'],
  [0.005, '1%'],
  [0.42, '42%'],
  [0.995, '99%'],
  [0.9999, '99%'],
  [1, '100%'],
  [2.5, '250%'],
  [-0.1, '<invalid>'],
  [Number.NaN, '<invalid>'],
])('formats the fraction %d as %s', (fraction, text) => {
  expect(formatPercent(fraction)).toBe(text);
});
