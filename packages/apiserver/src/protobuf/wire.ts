/** The wire format of protobuf: a message is a sequence of numbered fields, each an integer or a number of bytes. */
import { ApiError } from '@ecsm/runtime';

export interface WireField {
  readonly number: number;
  /** Undefined for fixed-width numbers, which no known message has. */
  readonly value: bigint | Buffer | undefined;
}

/** A varint of 64 bits has ten bytes. */
const varintBytesMax = 10;
const fieldNumberMax = 2 ** 29 - 1;

/** Throws `BadRequest` if the bytes are damaged. The bytes of a field are a view, not a copy. */
export function* fieldsOf(bytes: Buffer): Generator<WireField> {
  const cursor = new Cursor(bytes);
  while (!cursor.isAtEnd) {
    const tag = Number(cursor.varint());
    const number = Math.floor(tag / 8);
    if (number === 0 || number > fieldNumberMax) throw malformed('a field has no valid number');
    yield { number, value: readValue(cursor, tag % 8) };
  }
}

function readValue(cursor: Cursor, wireType: number): WireField['value'] {
  switch (wireType) {
    case 0:
      return cursor.varint();
    case 1:
      cursor.take(8);
      return undefined;
    case 2:
      return cursor.take(Number(cursor.varint()));
    case 5:
      cursor.take(4);
      return undefined;
    default:
      throw malformed('a field has an unknown type');
  }
}

class Cursor {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let count = 0; count < varintBytesMax; count++) {
      const byte = this.#bytes[this.#offset++];
      if (byte === undefined) throw malformed('it is cut off');
      value |= BigInt(byte & 0x7f) << BigInt(7 * count);
      if (byte < 0x80) return value;
    }
    throw malformed('a number in it is too long');
  }

  take(length: number): Buffer {
    if (length > this.#bytes.length - this.#offset) throw malformed('it is cut off');
    this.#offset += length;
    return this.#bytes.subarray(this.#offset - length, this.#offset);
  }
}

export function malformed(reason: string): ApiError<'BadRequest'> {
  return new ApiError('BadRequest', { reason: `the protobuf body is invalid: ${reason}` });
}
