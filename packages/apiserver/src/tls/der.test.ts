import { describe, expect, it } from 'vitest';
import * as der from './der.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('the DER writer', () => {
  it('writes integers without a sign and without leading zeros', () => {
    expect(hex(der.integer(Buffer.from([0])))).toBe('020100');
    expect(hex(der.integer(Buffer.from([0, 0, 0x7f])))).toBe('02017f');
    expect(hex(der.integer(Buffer.from([0x80])))).toBe('02020080');
  });

  it('writes long lengths', () => {
    expect(hex(der.octetString(Buffer.alloc(127))).slice(0, 4)).toBe('047f');
    expect(hex(der.octetString(Buffer.alloc(128))).slice(0, 6)).toBe('048180');
    expect(hex(der.octetString(Buffer.alloc(300))).slice(0, 8)).toBe('0482012c');
  });

  it('writes object identifiers', () => {
    expect(hex(der.objectIdentifier('1.2.840.10045.4.3.2'))).toBe('06082a8648ce3d040302');
    expect(hex(der.objectIdentifier('2.5.29.17'))).toBe('0603551d11');
  });

  it('writes UTCTime until 2049 and GeneralizedTime from 2050', () => {
    expect(der.time('2049-12-31T23:59:59Z').toString('latin1')).toBe('\x17\x0d491231235959Z');
    expect(der.time('2050-01-01T00:00:00Z').toString('latin1')).toBe('\x18\x0f20500101000000Z');
  });
});

describe('the DER reader', () => {
  it('reads what the writer wrote', () => {
    const [outer] = der.decodeAll(der.sequence(der.utf8String('a'), der.octetString(Buffer.alloc(300))));
    expect(
      der.decodeAll(outer?.contents ?? Buffer.alloc(0)).map(({ tag, contents }) => [tag, contents.length]),
    ).toEqual([
      [der.tags.utf8String, 1],
      [der.tags.octetString, 300],
    ]);
  });

  it.each([
    ['no length', '30'],
    ['contents that are cut off', '300401'],
    ['a length that is cut off', '3082'],
    ['a length of more than four bytes', '30850000000001'],
    ['an indefinite length', '30800000'],
  ])('rejects %s', (_name, text) => {
    expect(() => der.decodeAll(Buffer.from(text, 'hex'))).toThrow('not valid DER');
  });
});
