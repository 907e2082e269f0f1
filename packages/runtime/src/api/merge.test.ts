import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainObject, type JsonValue, ownValue } from './json.ts';
import { createMergePatch, deepEqual, mergePatch, threeWayMerge } from './merge.ts';

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

describe('threeWayMerge', () => {
  it('removes what was removed from the file, sets what is in it and keeps what other writers set', () => {
    const lastApplied = { spec: { replicas: 3, image: 'a', env: ['x'] } };
    const live = { spec: { replicas: 5, image: 'a', env: ['x', 'injected'], paused: true }, status: { ready: 1 } };
    const wanted = { spec: { image: 'b', env: ['y'] } };
    expect(threeWayMerge(lastApplied, live, wanted)).toEqual({
      spec: { image: 'b', env: ['y'], paused: true },
      status: { ready: 1 },
    });
  });

  it('removes a field that is null in the file', () => {
    expect(threeWayMerge(undefined, { a: { b: 1, c: 2 } }, { a: { b: null, n: { m: null } } })).toEqual({
      a: { c: 2, n: {} },
    });
  });

  it('returns the desired document when there are no other writers', () => {
    fc.assert(
      fc.property(document, document, (last, wanted) => {
        expect(deepEqual(threeWayMerge(last, last, wanted), wanted)).toBe(true);
        expect(deepEqual(threeWayMerge(undefined, undefined, wanted), wanted)).toBe(true);
      }),
    );
  });

  it('changes nothing, and returns the same object, when applied again', () => {
    fc.assert(
      fc.property(documentWithNull, documentWithNull, documentWithNull, (last, live, wanted) => {
        const once = threeWayMerge(deepFreezeAll(last), deepFreezeAll(live), deepFreezeAll(wanted));
        expect(threeWayMerge(wanted, once, wanted)).toBe(once);
      }),
    );
  });

  it('keeps every field of its owner', () => {
    const check = (last: unknown, live: unknown, wanted: unknown, result: unknown): void => {
      if (!isPlainObject(wanted)) {
        expect(deepEqual(result, wanted)).toBe(true);
        return;
      }
      if (!isPlainObject(result)) throw new Error('an object was wanted');
      const names = [last, live, wanted, result].flatMap((part) => (isPlainObject(part) ? Object.keys(part) : []));
      for (const name of new Set(names)) {
        const [inLast, inLive, inWanted, inResult] = [last, live, wanted, result].map((part) =>
          isPlainObject(part) ? ownValue(part, name) : undefined,
        );
        if (inWanted !== undefined) check(inLast, inLive, inWanted, inResult);
        else if (inLast !== undefined) expect(inResult).toBeUndefined();
        else expect(inResult).toBe(inLive);
      }
    };
    fc.assert(
      fc.property(document, document, document, (last, live, wanted) => {
        check(last, live, wanted, threeWayMerge(last, live, wanted));
      }),
    );
  });

  it('agrees with the two patches that kubectl combines', () => {
    /** Keeps of a patch only its removals, or only the rest. */
    const filter = (patch: JsonValue, removals: boolean): JsonValue =>
      isPlainObject(patch)
        ? Object.fromEntries(
            Object.entries(patch)
              .filter(([, value]) => isPlainObject(value) || (value === null) === removals)
              .map(([name, value]) => [name, filter(value, removals)]),
          )
        : patch;
    fc.assert(
      fc.property(document, document, document, (last, live, wanted) => {
        const withoutRemoved = mergePatch(live, filter(createMergePatch(last, wanted), true));
        const expected = mergePatch(withoutRemoved, filter(createMergePatch(live, wanted), false));
        expect(deepEqual(threeWayMerge(last, live, wanted), expected)).toBe(true);
      }),
    );
  });
});
