import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeMessage, type Message } from './protobuf.ts';

const inner: Message = { id: [1, 'uint64'], names: [2, 'string', 'repeated'] };
const message: Message = {
  large: [1, 'uint64'],
  negative: [2, 'int64'],
  flag: [3, 'bool'],
  text: [4, 'string'],
  bytes: [5, 'bytes'],
  kind: [16, ['NONE', 'SOME']],
  one: [17, inner],
  many: [18, inner, 'repeated'],
};
const value = {
  large: '18446744073709551615',
  negative: '-1',
  flag: true,
  text: 'grün',
  bytes: 'AP8=',
  kind: 'SOME',
  one: { id: '7', names: ['a', 'b'] },
  many: [{ id: '1' }, { id: '300' }],
};

describe('a message in protobuf', () => {
  it('returns as it was', () => {
    expect(decodeMessage(encodeMessage(value, message), message)).toEqual(value);
    expect(decodeMessage(encodeMessage({}, message), message)).toEqual({});
  });

  it('has the bytes of the specification', () => {
    expect(encodeMessage({ id: '150', names: ['testing'] }, inner).toString('hex')).toBe(
      `0896011207${Buffer.from('testing').toString('hex')}`,
    );
  });

  it('may have fields that are not known', () => {
    const other: Message = { ...inner, more: [9, 'string'], further: [10, 'uint64'], deep: [11, inner] };
    const bytes = encodeMessage({ id: '1', more: 'x', further: '2', deep: { id: '3' } }, other);
    const fixed = Buffer.from([(12 << 3) | 1, 1, 2, 3, 4, 5, 6, 7, 8, (13 << 3) | 5, 1, 2, 3, 4]);
    expect(decodeMessage(Buffer.concat([bytes, fixed]), inner)).toEqual({ id: '1' });
  });

  it.each([
    ['it is cut', [0x08]],
    ['it is cut', [0x12, 5, 1]],
    ['a number is too long', Array.from({ length: 12 }, () => 0x80)],
    ['a field has the type 3', [(2 << 3) | 3]],
    ['id has another type', [(1 << 3) | 2, 0]],
    ['names has another type', [2 << 3, 1]],
  ])('is refused if %s', (problem, bytes) => {
    expect(() => decodeMessage(Buffer.from(bytes), inner)).toThrow(problem);
  });
});
