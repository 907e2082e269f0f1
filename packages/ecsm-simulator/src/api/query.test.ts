import { expect, test } from 'vitest';
import { Refusal } from '../platform/refusal.ts';
import { Query } from './query.ts';

const refusalOf = (run: () => unknown): Refusal => {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

test('lists are repeated in bracket form, plain or encoded, each value once', () => {
  expect(new Query('ids[]=a&ids%5B%5D=b&ids=c&ids[]=a').all('ids')).toEqual(['a', 'b', 'c']);
  expect(new Query('').all('ids')).toEqual([]);
});

test('values are decoded: percent, plus, hash', () => {
  const query = new Query('ref=worker%40latest%23sylixos&name=a+b%2Bc');
  expect(query.text('ref')).toBe('worker@latest#sylixos');
  expect(query.text('name')).toBe('a b+c');
});

test('an empty value is absent, and the first of several counts', () => {
  const query = new Query('name=&name=first&name=second&alone');
  expect(query.text('name')).toBe('first');
  expect(query.text('alone')).toBeUndefined();
  expect(refusalOf(() => query.required('alone')).fields).toEqual({ alone: 'is missing' });
});

test('malformed percent-encoding is a bad request', () => {
  expect(refusalOf(() => new Query('name=%zz')).fields).toEqual({ query: 'is not properly percent-encoded' });
  expect(refusalOf(() => new Query('%=1')).why).toBe('badRequest');
});

test('numbers are safe integers', () => {
  expect(new Query('a=-12').integer('a')).toBe(-12);
  expect(new Query('').integer('a')).toBeUndefined();
  for (const text of ['1.5', '1e3', '0x10', 'NaN', 'Infinity', '9'.repeat(16), '+5', ' 5', '--5']) {
    expect(refusalOf(() => new Query(`a=${encodeURIComponent(text)}`).integer('a')).fields, text).toEqual({
      a: 'should be a whole number',
    });
  }
});

test('flags are true or false, also as digits', () => {
  const query = new Query('a=true&b=0&c=yes');
  expect([query.flag('a'), query.flag('b'), query.flag('d')]).toEqual([true, false, undefined]);
  expect(refusalOf(() => query.flag('c')).fields).toEqual({ c: 'should be true or false' });
});

test('words are among the known ones', () => {
  const query = new Query('kind=folder&other=x');
  expect(query.word('kind', ['folder', 'service'])).toBe('folder');
  expect(query.word('absent', ['folder'])).toBeUndefined();
  expect(refusalOf(() => query.word('other', ['folder', 'service'])).fields).toEqual({
    other: 'should be one of folder, service',
  });
});

test('names of inherited properties are ordinary names', () => {
  const query = new Query('constructor=a&__proto__=b');
  expect([query.text('constructor'), query.text('__proto__'), query.text('toString')]).toEqual(['a', 'b', undefined]);
});
