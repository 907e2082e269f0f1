import { describe, expect, it } from 'vitest';
import { decodeFile, parseValue } from './format.ts';

const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));

describe('a value of a file store', () => {
  it('is JSON', () => {
    expect(parseValue(bytes('{"a":[1,"ü"]}'))).toEqual({ a: [1, 'ü'] });
  });

  it.each([
    ['text', bytes('text')],
    ['nothing', bytes('')],
    ['bytes that are no characters, which would be replaced by others', bytes('{"a":"', 0xff, '"}')],
    ['a character that is cut', bytes('{"a":"', 0xc3, '"}')],
    ['a byte order mark before it', bytes(0xef, 0xbb, 0xbf, '{}')],
  ])('is not %s', (_what, value) => {
    expect(() => parseValue(value)).toThrow('the value is not JSON');
  });
});

describe('a file', () => {
  const decode = (text: string, extension: 'json' | 'yaml' = 'yaml') =>
    decodeFile('a', Buffer.from(text), extension).catch((error: Error) => error.message);

  it('contains one object, of its format', async () => {
    expect(await decode('a: 1\n')).toEqual({ a: 1 });
    expect(await decode('{"a": 1}\n', 'json')).toEqual({ a: 1 });
    expect(await decode('\uFEFF{"a": 1}\n', 'json')).toEqual({ a: 1 });
    expect(await decode('a: 1\n---\nb: 2\n')).toContain('a file may contain only one object');
    expect(await decode('')).toContain('the file is empty');
    expect(await decode('a: 1\n', 'json')).toEqual(expect.any(String));
  });
});
