import { nearest as nearestOfRuntime } from '@ecsm/runtime';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { didYouMean, editDistance, nearest, oneOf } from './nearest.ts';

it('finds what the runtime finds', () => {
  const word = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', 'C') });
  fc.assert(
    fc.property(word, fc.array(word), (typed, words) => {
      const expected = nearestOfRuntime(typed, words);
      if (expected !== undefined) expect(nearest(typed, words)).toBe(expected);
    }),
  );
  expect(editDistance('abcd', 'bacde')).toBe(2);
});

it('finds what was meant, by a slip or by its beginning, and nothing that is far away', () => {
  const words = ['apply', 'annotate', 'api-resources'];
  expect(['aplpy', 'APPLY', 'annot', 'api', 'ap', 'zebra', 'a'.repeat(65)].map((word) => nearest(word, words))).toEqual(
    ['apply', 'apply', 'annotate', 'api-resources', undefined, undefined, undefined],
  );
});

it('lists what there is if nothing is near, but not endlessly', () => {
  expect(didYouMean('x', [])).toBe('');
  expect(didYouMean('zebra', ['apply', 'get'])).toBe(' There are apply, get.');
  const many = Array.from({ length: 20 }, (_, index) => `command${index}`);
  expect(didYouMean('zebra', many)).toMatch(/command11 and 8 more\.$/);
});

it('joins alternatives', () => {
  expect([oneOf([]), oneOf(['a']), oneOf(['a', 'b']), oneOf(['a', 'b', 'c'])]).toEqual([
    '',
    'a',
    'a or b',
    'a, b or c',
  ]);
});
