import { describe, expect, expectTypeOf, it } from 'vitest';
import * as shape from './shape.ts';
import { complaint, type Shaped } from './shape.ts';

const container = shape.object({
  name: shape.string(),
  status: shape.nullable(shape.word('running', 'exited')),
  restartCnt: shape.integer(),
  cpu: shape.either(shape.number(), shape.object({ total: shape.number(), cores: shape.list(shape.number()) })),
  healthy: shape.optional(shape.boolean()),
  labels: shape.optional(shape.record(shape.string())),
  policy: shape.optional(shape.exactly('static', 'dynamic')),
  rest: shape.optional(shape.anything()),
});
const good = { name: 'a', status: 'running', restartCnt: 0, cpu: 3 };

it('infers the type that it checks', () => {
  expectTypeOf<Shaped<typeof container>>().toEqualTypeOf<{
    readonly name: string;
    readonly status: 'running' | 'exited' | (string & {}) | null;
    readonly restartCnt: number;
    readonly cpu: number | { readonly total: number; readonly cores: readonly number[] };
    readonly healthy?: boolean;
    readonly labels?: Readonly<Record<string, string>>;
    readonly policy?: 'static' | 'dynamic';
    readonly rest?: unknown;
  }>();
});

describe('a value matches', () => {
  it.each([
    good,
    { ...good, more: { unknown: [1] } },
    { ...good, status: null },
    { ...good, status: 'an unknown status' },
    { ...good, cpu: { total: 1, cores: [] } },
    { ...good, healthy: true, labels: { a: 'b' }, policy: 'static', rest: null },
  ])('%j', (value) => {
    expect(complaint(container, value, 'data')).toBeUndefined();
  });
});

describe('a mismatch is described', () => {
  it.each<[unknown, string]>([
    [null, 'data should be an object, but is null'],
    [[], 'data should be an object, but is a list'],
    ['secret', 'data should be an object, but is a string of 6 characters'],
    [{}, 'data.name is missing'],
    [{ ...good, name: undefined }, 'data.name is missing'],
    [{ ...good, name: 5 }, 'data.name should be a string, but is 5'],
    [{ ...good, status: {} }, 'data.status should be a string, but is an object'],
    [{ ...good, restartCnt: 1.5 }, 'data.restartCnt should be a whole number, but is 1.5'],
    [{ ...good, restartCnt: '' }, 'data.restartCnt should be a whole number, but is an empty string'],
    [
      { ...good, cpu: { total: 1, cores: [1, 'x'] } },
      'data.cpu.cores[1] should be a number, but is a string of 1 characters',
    ],
    [{ ...good, healthy: null }, 'data.healthy should be true or false, but is null'],
    [{ ...good, labels: [] }, 'data.labels should be an object, but is a list'],
    [{ ...good, labels: { a: 1 } }, 'data.labels.a should be a string, but is 1'],
    [{ ...good, policy: 'other' }, 'data.policy should be "static" or "dynamic", but is a string of 5 characters'],
  ])('%j: %s', (value, expected) => {
    expect(complaint(container, value, 'data')).toBe(expected);
  });

  it('also for fields with names of inherited properties', () => {
    expect(complaint(shape.object({ constructor: shape.anything() }), {}, 'data')).toBe('data.constructor is missing');
  });
});
