import { describe, expect, it } from 'vitest';
import { parseQuantity } from './quantity.ts';

describe('parseQuantity', () => {
  it.each([
    ['10Gi', 10 * 2 ** 30],
    ['1.5Mi', 1.5 * 2 ** 20],
    ['500m', 0.5],
    ['2k', 2_000],
    ['1e3', 1_000],
    ['1E', 1e18],
    ['.5', 0.5],
    ['-1', -1],
    [3, 3],
  ])('reads %s', (quantity, amount) => {
    expect(parseQuantity(quantity)).toBe(amount);
  });

  it.each(['', 'x', '1 Gi', '1gi', 'Gi', '1e', Number.NaN])('refuses %s', (quantity) => {
    expect(parseQuantity(quantity)).toBeUndefined();
  });
});
