import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAge } from './age.ts';

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;
const y = 365 * d;

describe('formatAge', () => {
  it.each([
    [0, '0s'],
    [999, '0s'],
    [1 * s, '1s'],
    [90 * s, '90s'],
    [119_999, '119s'],
    [2 * m, '2m'],
    [3 * m + 5 * s, '3m5s'],
    [9 * m + 59 * s, '9m59s'],
    [10 * m, '10m'],
    [10 * m + 59 * s, '10m'],
    [179 * m + 59 * s, '179m'],
    [3 * h, '3h'],
    [3 * h + 5 * m, '3h5m'],
    [7 * h + 59 * m, '7h59m'],
    [8 * h, '8h'],
    [8 * h + 59 * m, '8h'],
    [47 * h + 59 * m, '47h'],
    [48 * h, '2d'],
    [2 * d + 3 * h, '2d3h'],
    [8 * d - 1, '7d23h'],
    [8 * d, '8d'],
    [10 * d + 5 * h, '10d'],
    [2 * y - 1, '729d'],
    [2 * y, '2y'],
    [2 * y + 100 * d, '2y100d'],
    [8 * y - 1, '7y364d'],
    [8 * y, '8y'],
    [10 * y + 300 * d, '10y'],
    [-1, '0s'],
    [-1999, '0s'],
    [-2000, '<invalid>'],
    [-5 * m, '<invalid>'],
    [Number.NaN, '<invalid>'],
    [Number.POSITIVE_INFINITY, '<invalid>'],
  ])('formats %i ms as %s', (ms, text) => {
    expect(formatAge(ms)).toBe(text);
  });

  it('has at most six characters', () => {
    fc.assert(fc.property(fc.double({ min: 0, max: 900 * y, noNaN: true }), (ms) => formatAge(ms).length <= 6));
  });
});
