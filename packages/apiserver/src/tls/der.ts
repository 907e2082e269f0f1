/** DER, the encoding of X.509: the writer for certificates, and the reader for the parts of them that Node.js hides. */
import { ApiError } from '@ecsm/runtime';

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One value: tag, length, contents. */
function encode(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), encodeLength(body.length), body]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = bytesOf(length);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** Big-endian, without leading zeros. */
function bytesOf(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => encode(tags.sequence, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => encode(tags.set, ...items);
export const octetString = (bytes: Uint8Array): Buffer => encode(tags.octetString, bytes);
export const utf8String = (text: string): Buffer => encode(tags.utf8String, Buffer.from(text, 'utf8'));
export const boolean = (value: boolean): Buffer => encode(tags.boolean, Buffer.from([value ? 0xff : 0]));
export const bitString = (bytes: Uint8Array, unusedBits = 0): Buffer =>
  encode(tags.bitString, Buffer.from([unusedBits]), bytes);
/** A constructed value with a context-specific tag. */
export const explicit = (number: number, ...items: readonly Uint8Array[]): Buffer => encode(0xa0 | number, ...items);
/** A primitive value with a context-specific tag. */
export const implicit = (number: number, bytes: Uint8Array): Buffer => encode(0x80 | number, bytes);

/** An integer that is not negative, big-endian. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  // The highest bit is the sign.
  return ((digits[0] ?? 0) & 0x80) === 0
    ? encode(tags.integer, digits)
    : encode(tags.integer, Buffer.from([0]), digits);
}

/** `2.5.29.17` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return encode(tags.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128));
  return bytes;
}

/** A timestamp (`2026-01-02T03:04:05Z`): UTCTime before the year 2050 and GeneralizedTime after it, as RFC 5280 requires. */
export function time(timestamp: string): Buffer {
  const digits = `${timestamp.replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return timestamp >= '1950' && timestamp < '2050'
    ? encode(tags.utcTime, Buffer.from(digits.slice(2), 'ascii'))
    : encode(tags.generalizedTime, Buffer.from(digits, 'ascii'));
}

export interface DerValue {
  readonly tag: number;
  readonly contents: Buffer;
  /** With tag and length. */
  readonly raw: Buffer;
}

/** The values in a buffer, one after the other. Throws `BadRequest` if it is not DER. */
export function decodeAll(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const value = decodeAt(bytes, offset);
    values.push(value);
    offset += value.raw.length;
  }
  return values;
}

function decodeAt(bytes: Buffer, start: number): DerValue {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined) throw malformed();
  let offset = start + 2;
  let length = first;
  if (first >= 0x80) {
    const size = first & 0x7f;
    // Four bytes are more than any certificate has; zero is an indefinite length, which DER does not allow.
    if (size === 0 || size > 4 || offset + size > bytes.length) throw malformed();
    length = bytes.readUIntBE(offset, size);
    offset += size;
  }
  if (offset + length > bytes.length) throw malformed();
  return { tag, contents: bytes.subarray(offset, offset + length), raw: bytes.subarray(start, offset + length) };
}

export function malformed(): ApiError<'BadRequest'> {
  return new ApiError('BadRequest', { reason: 'the certificate is not valid DER' });
}
