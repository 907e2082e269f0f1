import { isApiError, type JsonValue } from '@ecsm/runtime';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HttpError } from '../response/http-error.ts';
import { statusOf } from '../response/status.ts';
import { applyJsonPatch, COPIED_BYTES_MAX, OPERATIONS_MAX } from './json-patch.ts';

function failureOf(document: JsonValue, patch: unknown): { code: number; reason?: string; message?: string } {
  try {
    applyJsonPatch(document, patch);
  } catch (error) {
    const { reason = '', message = '' } = statusOf(error).body;
    return { code: statusOf(error).code, reason, message };
  }
  return { code: 200 };
}

describe('applyJsonPatch', () => {
  // Most rows are the examples of appendix A of RFC 6902.
  it.each([
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { foo: 'bar', baz: 'qux' }],
    [{ foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
    [{ foo: ['bar'] }, [{ op: 'add', path: '/foo/-', value: ['a'] }], { foo: ['bar', ['a']] }],
    [{ foo: ['bar'] }, [{ op: 'add', path: '/foo/1', value: 2 }], { foo: ['bar', 2] }],
    [{ foo: 1 }, [{ op: 'add', path: '/foo', value: null }], { foo: null }],
    [{ a: 1, b: 2 }, [{ op: 'remove', path: '/b' }], { a: 1 }],
    [{ a: [1, 2, 3] }, [{ op: 'remove', path: '/a/1' }], { a: [1, 3] }],
    [{ a: 1 }, [{ op: 'replace', path: '/a', value: { b: 1 } }], { a: { b: 1 } }],
    [{ a: [1, 2] }, [{ op: 'replace', path: '/a/0', value: 5 }], { a: [5, 2] }],
    [{ a: { x: 1 }, b: {} }, [{ op: 'move', from: '/a/x', path: '/b/y' }], { a: {}, b: { y: 1 } }],
    [{ a: [1, 2, 3] }, [{ op: 'move', from: '/a/0', path: '/a/2' }], { a: [2, 3, 1] }],
    [{ a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
    [{ a: { x: 1 } }, [{ op: 'copy', from: '/a', path: '/b' }], { a: { x: 1 }, b: { x: 1 } }],
    [
      { a: { y: 1, x: [1, null] } },
      [{ op: 'test', path: '/a', value: { x: [1, null], y: 1 } }],
      { a: { y: 1, x: [1, null] } },
    ],
    [
      { '/': 9, '~1': 10 },
      [
        { op: 'test', path: '/~01', value: 10 },
        { op: 'remove', path: '/~1' },
      ],
      { '~1': 10 },
    ],
    [{ '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
    [{ a: 1 }, [{ op: 'test', path: '/b', value: null }], { a: 1 }],
    [{ a: 1 }, [{ op: 'add', path: '/b', value: 1, extra: true }], { a: 1, b: 1 }],
    [{ a: 1 }, [], { a: 1 }],
  ])('of %j with %j is %j', (document, patch, result) => {
    expect(applyJsonPatch(document, patch)).toEqual(result);
  });

  it.each([
    [{ a: 1 }, { op: 'test', path: '/a', value: 2 }, 'the value differs'],
    [{ a: 1 }, { op: 'test', path: '/a', value: '1' }, 'the value differs'],
    [{ a: 1 }, { op: 'remove', path: '/b' }, 'there is no such value'],
    [{ a: 1 }, { op: 'replace', path: '/b', value: 1 }, 'there is no such value'],
    [{ a: 1 }, { op: 'add', path: '/b/c', value: 1 }, 'the parent is not an object or a list'],
    [{ a: 'x' }, { op: 'add', path: '/a/c', value: 1 }, 'the parent is not an object or a list'],
    [{ a: [1] }, { op: 'add', path: '/a/2', value: 1 }, 'the index is out of range'],
    [{ a: [1] }, { op: 'add', path: '/a/01', value: 1 }, 'the index is out of range'],
    [{ a: [1] }, { op: 'add', path: '/a/-1', value: 1 }, 'the index is out of range'],
    [{ a: [1] }, { op: 'add', path: '/a/length', value: 9 }, 'the index is out of range'],
    [{ a: [1] }, { op: 'remove', path: '/a/-' }, 'there is no such value'],
    [{ a: 1 }, { op: 'copy', from: '/b', path: '/c' }, 'there is no such value'],
    [{ a: { b: 1 } }, { op: 'move', from: '/a', path: '/a/c' }, 'a value cannot be moved into itself'],
    [{ a: 1 }, { op: 'remove', path: '' }, 'the whole document cannot be removed'],
    [{ a: 1 }, { op: 'remove', path: '/toString' }, 'there is no such value'],
    [{ a: 1 }, { op: 'remove', path: '/__proto__' }, 'there is no such value'],
  ])('of %j answers 422 to %j', (document, operation, reason) => {
    const failure = failureOf(document, [operation]);
    expect(failure.code).toBe(422);
    expect(failure.reason).toBe('Invalid');
    expect(failure.message).toMatch(/^the server rejected our request due to an error in our request: .*operation 1/);
    expect(failure.message).toContain(reason);
  });

  it.each([
    ['no list', { op: 'add', path: '/a', value: 1 }],
    ['text', 'x'],
    ['an item that is not an object', [1]],
    ['an unknown operation', [{ op: 'merge', path: '/a', value: 1 }]],
    ['no operation', [{ path: '/a', value: 1 }]],
    ['no path', [{ op: 'add', value: 1 }]],
    ['a path that is not a pointer', [{ op: 'add', path: 'a', value: 1 }]],
    ['an invalid escape', [{ op: 'add', path: '/a~2', value: 1 }]],
    ['no value', [{ op: 'add', path: '/a' }]],
    ['no from', [{ op: 'move', path: '/a' }]],
  ])('answers 400 to %s', (_, patch) => {
    expect(failureOf({ a: 1 }, patch)).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  it('does not change the document, also if it fails half way', () => {
    const document = { a: { b: [1] } };
    applyJsonPatch(document, [{ op: 'add', path: '/a/b/-', value: 2 }]);
    failureOf(document, [
      { op: 'remove', path: '/a' },
      { op: 'remove', path: '/a' },
    ]);
    expect(document).toEqual({ a: { b: [1] } });
  });

  it('does not share parts between a copy and its source', () => {
    const patch = [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/x', value: 1 },
    ];
    expect(applyJsonPatch({ a: {} }, patch)).toEqual({ a: {}, b: { x: 1 } });
  });

  it('treats __proto__ as an ordinary key', () => {
    const patch: unknown = JSON.parse(
      '[{"op":"add","path":"/__proto__","value":{"polluted":1}},{"op":"add","path":"/__proto__/more","value":2},{"op":"add","path":"/constructor","value":3}]',
    );
    const result = applyJsonPatch({ a: 1 }, patch);
    expect(JSON.stringify(result)).toBe('{"a":1,"__proto__":{"polluted":1,"more":2},"constructor":3}');
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
  });

  it('accepts the maximum number of operations and no more', () => {
    const operation = { op: 'test', path: '/a', value: 1 };
    expect(failureOf({ a: 1 }, Array(OPERATIONS_MAX).fill(operation)).code).toBe(200);
    expect(failureOf({ a: 1 }, Array(OPERATIONS_MAX + 1).fill(operation))).toEqual({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: `Request entity too large: The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${OPERATIONS_MAX + 1}`,
    });
  });

  it('bounds what copies add: each of these would double the document', () => {
    const patch = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/a', path: `/a/${index}` }));
    const document = { a: { text: 'x'.repeat(1000) } };
    expect(
      failureOf(
        document,
        patch.map(({ op }, index) => ({ op, from: '/a', path: `/a/-${index}` })),
      ).code,
    ).toBe(413);
    const values = Array.from({ length: 4 }, () => ({ op: 'copy', from: '/a', path: '/b' }));
    expect(failureOf({ a: 'x'.repeat(COPIED_BYTES_MAX / 4) }, values).code).toBe(413);
    expect(failureOf({ a: 'x'.repeat(COPIED_BYTES_MAX / 4 - 2) }, values).code).toBe(200);
  });

  it('bounds what moves take: each of these takes as long as a copy', () => {
    const moves = Array.from({ length: 4 }, (_, index) => [
      { op: 'move', from: '/a', path: `/b${index}` },
      { op: 'move', from: `/b${index}`, path: '/a' },
    ]).flat();
    expect(failureOf({ a: 'x'.repeat(COPIED_BYTES_MAX / 8) }, moves).code).toBe(413);
    expect(failureOf({ a: 'x'.repeat(COPIED_BYTES_MAX / 8 - 2) }, moves).code).toBe(200);
  });

  it('bounds the depth of the result', () => {
    const patch = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/a/a' }));
    expect(failureOf({ a: { a: {} } }, patch)).toMatchObject({ code: 422 });
    const nested = (levels: number): JsonValue => (levels === 0 ? 1 : [nested(levels - 1)]);
    expect(failureOf({}, [{ op: 'add', path: '/a', value: nested(63) }]).code).toBe(200);
    expect(failureOf({}, [{ op: 'add', path: '/a', value: nested(64) }]).code).toBe(422);
  });

  it('adds and removes any value at any place', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (document, key, value) => {
        const pointer = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const plain: JsonValue = JSON.parse(JSON.stringify(document));
        const content: JsonValue = JSON.parse(JSON.stringify(value));
        const added = applyJsonPatch(plain, [
          { op: 'add', path: pointer, value: content },
          { op: 'test', path: pointer, value: content },
        ]);
        const removed = applyJsonPatch(added, [{ op: 'remove', path: pointer }]);
        const expected = Object.entries(Object(plain)).filter(([name]) => name !== key);
        expect(Object.entries(Object(removed))).toEqual(expected);
      }),
    );
  });

  it('returns a result or an error of a known class for any patch', () => {
    const pointer = fc.constantFrom('', '/a', '/a/0', '/a/-', '/b/c', '/a~', 'x');
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'x'),
        path: pointer,
        from: pointer,
        value: fc.jsonValue(),
      },
      { requiredKeys: ['op'] },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (patch) => {
        try {
          applyJsonPatch({ a: [1, { x: 1 }], b: { c: 'd' } }, JSON.parse(JSON.stringify(patch)));
        } catch (error) {
          expect(isApiError(error, 'BadRequest') || error instanceof HttpError).toBe(true);
        }
      }),
    );
  });
});
