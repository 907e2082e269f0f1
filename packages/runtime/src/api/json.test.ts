import { describe, expect, it } from 'vitest';
import { deepFreeze, isPlainObject, JSON_DEPTH_MAX, jsonProblem, ownValue, setOwn } from './json.ts';

describe('JSON data', () => {
  it('distinguishes plain objects from everything else', () => {
    expect([{}, Object.create(null), JSON.parse('{"__proto__":1}')].every(isPlainObject)).toBe(true);
    expect([null, [], new Map(), 'x', undefined, /x/u].some(isPlainObject)).toBe(false);
  });

  it('reads and writes __proto__ as an own property', () => {
    const object: Record<string, number> = {};
    setOwn(object, '__proto__', 1);
    setOwn(object, 'a', 2);
    expect(JSON.stringify(object)).toBe('{"__proto__":1,"a":2}');
    expect(ownValue(object, '__proto__')).toBe(1);
    expect(ownValue({}, '__proto__')).toBeUndefined();
  });

  it('freezes nested values', () => {
    const value = deepFreeze({ a: [{ b: 1 }] });
    expect(Object.isFrozen(value.a[0])).toBe(true);
  });

  it('returns why a value is not JSON', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(jsonProblem({ a: [1, 'x', null, true], b: undefined })).toBeUndefined();
    expect(jsonProblem(nested(JSON_DEPTH_MAX))).toBeUndefined();
    expect(jsonProblem(nested(JSON_DEPTH_MAX + 1))).toContain('nested deeper than 64');
    expect(jsonProblem(cycle)).toContain('nested deeper than 64');
    expect(jsonProblem([Number.NaN])).toBe('must be a finite number');
    expect(jsonProblem([undefined])).toContain('type undefined');
    expect(jsonProblem({ a: 1n })).toContain('type bigint');
    expect(jsonProblem({ a: new Map() })).toContain('instance of a class');
  });
});
