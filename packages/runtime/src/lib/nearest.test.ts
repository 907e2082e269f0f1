import { describe, expect, it } from 'vitest';
import { didYouMean, editDistance, nearest } from './nearest.ts';

describe('editDistance', () => {
  it.each<[string, string, number]>([
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['kitten', 'sitting', 3],
    ['repilcas', 'replicas', 1],
    ['ca', 'abc', 3],
    ['abcd', 'bacde', 2],
    ['same', 'same', 0],
  ])('between %j and %j is %i', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
    expect(editDistance(to, from)).toBe(distance);
  });
});

describe('nearest', () => {
  const fields = ['replicas', 'nodePool', 'type', 'nodes'];

  it.each<[string, string | undefined]>([
    ['replica', 'replicas'],
    ['repilcas', 'replicas'],
    ['NODEPOOL', 'nodePool'],
    ['node', 'nodes'],
    ['tpye', 'type'],
    ['completelyDifferent', undefined],
    ['x', undefined],
    ['replicas'.repeat(20), undefined],
  ])('for %j is %j', (word, expected) => {
    expect(nearest(word, fields)).toBe(expected);
  });

  it('takes the first of two that are equally near, and ignores candidates that are too long', () => {
    expect(nearest('nodex', ['nodea', 'nodeb'])).toBe('nodea');
    expect(nearest('x'.repeat(64), ['x'.repeat(65)])).toBeUndefined();
  });
});

describe('didYouMean', () => {
  it('suggests the nearest, or else lists all candidates', () => {
    expect(didYouMean('replica', ['replicas'], 'known fields')).toBe('did you mean "replicas"?');
    expect(didYouMean('zzzzzz', ['a', 'b'], 'known fields')).toBe('known fields are "a", "b"');
    expect(didYouMean('zzzzzz', [], 'known fields')).toBe('there are no known fields');
  });
});
