import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainObject, type JsonValue } from './json.ts';
import { createMergePatch, deepEqual, mergePatch } from './merge.ts';

/** Few keys, so that documents overlap; among them those that trip up careless code. */
const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString');
const json = (withNull: boolean): fc.Arbitrary<JsonValue> =>
  fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<JsonValue>(0, 1, 'x', true, ...(withNull ? [null] : [])),
      fc.array(tie('value'), { maxLength: 2 }),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(key, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries) as JsonValue),
  })).object;
const document = json(false);
const documentWithNull = json(true);

/** Written so that `__proto__` is an own property, as JSON.parse makes it. */
const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue;

function deepFreezeAll<Value extends JsonValue>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreezeAll(part);
    Object.freeze(value);
  }
  return value;
}

describe('deepEqual', () => {
  it('agrees with canonical JSON text', () => {
    const canonical = (value: unknown): string =>
      isPlainObject(value)
        ? `{${Object.keys(value)
            .sort()
            .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
            .join()}}`
        : Array.isArray(value)
          ? `[${value.map(canonical).join()}]`
          : JSON.stringify(value);
    fc.assert(
      fc.property(documentWithNull, documentWithNull, (left, right) => {
        expect(deepEqual(left, right)).toBe(canonical(left) === canonical(right));
      }),
    );
  });

  it('ignores the order of keys and treats undefined as absent', () => {
    expect(deepEqual({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
    expect(deepEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(deepEqual({ a: 1 }, { a: 1, b: undefined })).toBe(true);
  });

  it('distinguishes lists, objects, null and strings', () => {
    expect(deepEqual([], {})).toBe(false);
    expect(deepEqual({}, [])).toBe(false);
    expect(deepEqual(null, {})).toBe(false);
    expect(deepEqual(1, '1')).toBe(false);
    expect(deepEqual([1, 2], [1])).toBe(false);
    expect(deepEqual([1], [1, 2])).toBe(false);
    expect(deepEqual({}, { constructor: 1 })).toBe(false);
    expect(deepEqual(parse('{"__proto__":{}}'), {})).toBe(false);
  });
});

describe('mergePatch', () => {
  it.each<[string, string, string]>([
    // The test cases of RFC 7386, appendix A.
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('turns %s with %s into %s', (target, patch, result) => {
    expect(mergePatch(parse(target), parse(patch))).toEqual(parse(result));
  });

  it('returns the same object when the patch changes nothing, and shares unchanged parts', () => {
    const target = { a: { b: [1] }, c: { d: 1 } };
    expect(mergePatch(target, { a: { b: [1] }, x: null })).toBe(target);
    const changed = mergePatch(target, { c: { d: 2 } }) as typeof target;
    expect(changed).toEqual({ a: { b: [1] }, c: { d: 2 } });
    expect(changed.a).toBe(target.a);
  });

  it('keeps __proto__ as data and pollutes nothing', () => {
    const result = mergePatch({ a: 1 }, parse('{"__proto__":{"polluted":true}}'));
    expect(JSON.stringify(result)).toBe('{"a":1,"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((result as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(JSON.stringify(mergePatch(result, parse('{"__proto__":null}')))).toBe('{"a":1}');
  });

  it('never changes its arguments and is idempotent', () => {
    fc.assert(
      fc.property(documentWithNull, documentWithNull, (target, patch) => {
        const once = mergePatch(deepFreezeAll(target), deepFreezeAll(patch));
        expect(mergePatch(once, patch)).toBe(once);
      }),
    );
  });
});

describe('createMergePatch', () => {
  it('creates a patch that turns one document into the other', () => {
    fc.assert(
      fc.property(document, document, (from, to) => {
        expect(deepEqual(mergePatch(from, createMergePatch(from, to)), to)).toBe(true);
      }),
    );
  });

  it('omits what is equal', () => {
    fc.assert(
      fc.property(document, (value) => {
        expect(createMergePatch(value, parse(JSON.stringify(value)))).toEqual({});
      }),
    );
    expect(createMergePatch({ a: 1, b: { c: 1, d: [1] } }, { b: { c: 2, d: [1] } })).toEqual({ a: null, b: { c: 2 } });
  });
});
