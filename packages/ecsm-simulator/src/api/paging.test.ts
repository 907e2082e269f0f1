import { expect, test } from 'vitest';
import { type Behaviour, profiles } from '../platform/behaviour.ts';
import { Refusal } from '../platform/refusal.ts';
import { readPage } from './paging.ts';
import { Query } from './query.ts';

const read = (query: string, change: Partial<Behaviour> = {}) => {
  try {
    return readPage(new Query(query), { ...profiles.likely, ...change });
  } catch (error) {
    if (error instanceof Refusal) return error.fields;
    throw error;
  }
};

test('pages count from 1', () => {
  expect(read('pageNum=1&pageSize=10')).toEqual({ pageNum: 1, pageSize: 10, from: 0, to: 10 });
  expect(read('pageNum=3&pageSize=7')).toEqual({ pageNum: 3, pageSize: 7, from: 14, to: 21 });
});

test('both numbers are required and positive', () => {
  expect(read('pageSize=10')).toEqual({ pageNum: 'is missing' });
  expect(read('pageNum=1')).toEqual({ pageSize: 'is missing' });
  expect(read('pageNum=0&pageSize=10')).toEqual({ pageNum: 'should be at least 1' });
  expect(read('pageNum=1&pageSize=0')).toEqual({ pageSize: 'should be at least 1' });
  expect(read('pageNum=-2&pageSize=10')).toEqual({ pageNum: 'should be at least 1' });
});

test('-1 is everything, or nothing, by the switch', () => {
  const everything = { from: 0, to: Number.POSITIVE_INFINITY };
  expect(read('pageNum=1&pageSize=-1')).toEqual({ pageNum: 1, pageSize: -1, ...everything });
  expect(read('pageNum=-1&pageSize=10')).toEqual({ pageNum: -1, pageSize: 10, ...everything });
  expect(read('pageNum=1&pageSize=-1', { pageAll: 'refuse' })).toEqual({ pageSize: 'should be at least 1' });
  expect(read('pageNum=-1&pageSize=10', { pageAll: 'refuse' })).toEqual({ pageNum: 'should be at least 1' });
});

test('a page size above the limit is cut, and pages follow one another at the cut size', () => {
  expect(read('pageNum=2&pageSize=1000', { pageSizeMax: 100 })).toEqual({
    pageNum: 2,
    pageSize: 100,
    from: 100,
    to: 200,
  });
  expect(read('pageNum=2&pageSize=1000')).toEqual({ pageNum: 2, pageSize: 1000, from: 1000, to: 2000 });
});
