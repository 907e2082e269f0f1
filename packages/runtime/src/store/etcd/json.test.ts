import { describe, expect, it } from 'vitest';
import { bytesAt, flagAt, integerAt, objectAt, objectsAt, parseObject, requiredObjectAt, stringAt } from './json.ts';

describe('an answer of etcd', () => {
  it('is a JSON object', () => {
    expect(parseObject('{"a":1}')).toEqual({ a: 1 });
    for (const text of ['', '{', '7', '"text"', 'null', '[]', 'true']) {
      expect(() => parseObject(text), text).toThrow('malformed response');
    }
  });

  it('has fields of the expected type, or none', () => {
    const answer = { object: {}, list: [{}], text: 'eA==', flag: true, number: '7', small: 7, nothing: null };
    expect([objectAt(answer, 'object'), objectAt(answer, 'nothing'), objectAt(answer, 'missing')]).toEqual([
      {},
      undefined,
      undefined,
    ]);
    expect([objectsAt(answer, 'list'), objectsAt(answer, 'nothing'), objectsAt(answer, 'missing')]).toEqual([
      [{}],
      [],
      [],
    ]);
    expect([stringAt(answer, 'text'), stringAt(answer, 'nothing'), stringAt(answer, 'missing')]).toEqual([
      'eA==',
      '',
      '',
    ]);
    expect([flagAt(answer, 'flag'), flagAt(answer, 'nothing'), flagAt(answer, 'missing')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(['number', 'small', 'nothing', 'missing'].map((field) => integerAt(answer, field))).toEqual([7, 7, 0, 0]);
    expect([bytesAt(answer, 'text'), bytesAt(answer, 'missing')]).toEqual([new Uint8Array([120]), new Uint8Array(0)]);
    expect(requiredObjectAt(answer, 'object')).toEqual({});
  });

  it.each([[7], ['text'], [[]], [true]])('has no object in the place of %j', (value) => {
    expect(() => objectAt({ value }, 'value')).toThrow('malformed response');
    expect(() => requiredObjectAt({ value }, 'value')).toThrow('malformed response');
    expect(() => objectsAt({ value: [value] }, 'value')).toThrow('malformed response');
    if (!Array.isArray(value)) expect(() => objectsAt({ value }, 'value')).toThrow('malformed response');
  });

  it('has to have an object that is required', () => {
    expect(() => requiredObjectAt({}, 'missing')).toThrow('malformed response');
    expect(() => requiredObjectAt({ value: null }, 'value')).toThrow('malformed response');
  });

  it('has no other types', () => {
    expect(() => stringAt({ value: 7 }, 'value')).toThrow('malformed response');
    expect(() => flagAt({ value: 'true' }, 'value')).toThrow('malformed response');
    for (const value of ['x', '', '1.5', 1.5, '9007199254740992', 2 ** 53, true]) {
      expect(() => integerAt({ value }, 'value'), String(value)).toThrow('malformed response');
    }
    expect(integerAt({ value: '9007199254740991' }, 'value')).toBe(Number.MAX_SAFE_INTEGER);
    expect(integerAt({ value: '-1' }, 'value')).toBe(-1);
  });
});
