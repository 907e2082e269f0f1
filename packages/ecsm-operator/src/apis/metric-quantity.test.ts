import { describe, expect, it } from 'vitest';
import { formatBytes, formatMetricQuantity, parseMetricQuantity, toleranceFormat } from './metric-quantity.ts';

describe('a quantity of a metric', () => {
  it.each([
    ['100', 100],
    ['0.5', 0.5],
    ['250m', 0.25],
    ['2k', 2_000],
    ['512Mi', 512 * 1_048_576],
  ])('"%s" is %d', (text, value) => {
    expect(parseMetricQuantity(text)).toBe(value);
  });

  it('is not a negative number, nor another text', () => {
    for (const text of ['', '-1', '1e3', 'x', '5X', '1 Mi']) expect(parseMetricQuantity(text)).toBeUndefined();
  });

  it('is written without a fraction', () => {
    expect([120, 1.5, 0.0004, 33.333].map(formatMetricQuantity)).toEqual(['120', '1500m', '0', '33333m']);
    expect([900, 10_239, 10_240, 52_428_800].map(formatBytes)).toEqual(['900', '10239', '10Ki', '50Mi']);
  });

  it('as a tolerance is less than 1', () => {
    expect(toleranceFormat.check('0')).toBeUndefined();
    expect(toleranceFormat.check('0.05')).toBeUndefined();
    expect(toleranceFormat.check('1')).toBe('must be less than 1');
  });
});
