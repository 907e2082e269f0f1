import { expect, it } from 'vitest';
import { didYouMean, nearest, oneOf } from './nearest.ts';

it('finds candidates with a typing mistake or by their prefix, and no distant ones', () => {
  const words = ['apply', 'annotate', 'api-resources'];
  expect(['aplpy', 'APPLY', 'annot', 'api', 'ap', 'zebra', 'a'.repeat(65)].map((word) => nearest(word, words))).toEqual(
    ['apply', 'apply', 'annotate', 'api-resources', undefined, undefined, undefined],
  );
});

it('lists the candidates if none is near, up to a limit', () => {
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
