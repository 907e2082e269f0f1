import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { crcOf, crcShift, crcStart, crcUpdate } from './crc32c.ts';

const crc = (bytes: Uint8Array) => crcOf(crcUpdate(crcStart, bytes, 0, bytes.byteLength));

/** The definition: one bit after the other. */
function bitwise(bytes: Uint8Array): number {
  let register = crcStart;
  for (const byte of bytes) {
    register ^= byte;
    for (let bit = 0; bit < 8; bit++) register = (register & 1) !== 0 ? (register >>> 1) ^ 0x82f63b78 : register >>> 1;
  }
  return register | 0;
}

describe('the CRC of Castagnoli', () => {
  it('has the values of its specification', () => {
    expect(crc(Buffer.from('123456789')).toString(16)).toBe('e3069283');
    expect(crc(Buffer.alloc(32)).toString(16)).toBe('8a9136aa');
    expect(crc(Buffer.alloc(32, 255)).toString(16)).toBe('62a8ab43');
    expect(crc(Buffer.alloc(0))).toBe(0);
  });

  it('is the same in pieces of any size', () => {
    const bytes = randomBytes(1_000);
    for (const size of [1, 3, 15, 16, 17, 100]) {
      let register = crcStart;
      for (let at = 0; at < 1_000; at += size) register = crcUpdate(register, bytes, at, Math.min(1_000, at + size));
      expect(crcOf(register)).toBe(crc(bytes));
    }
  });

  it('is that of the bits one by one, for sizes around those that are taken at once', () => {
    const bytes = randomBytes(100_000);
    for (const size of [63, 64, 65, 2_047, 2_048, 2_049, 4_096, 6_160, 45_055, 45_056, 45_057, 45_120, 99_999]) {
      for (const start of [0, 1]) {
        const part = bytes.subarray(start, start + size);
        expect(crcUpdate(crcStart, bytes, start, start + size), `${size} bytes`).toBe(bitwise(part));
      }
    }
  });

  it('is the same wherever the bytes are in memory', () => {
    const bytes = randomBytes(100);
    for (let offset = 0; offset < 20; offset++) {
      const memory = Buffer.alloc(offset + 100, 1);
      bytes.copy(memory, offset);
      const view = new Uint8Array(memory.buffer, memory.byteOffset + offset, 100);
      expect(crcOf(crcUpdate(crcStart, memory, offset, offset + 100))).toBe(crc(bytes));
      expect(crc(view)).toBe(crc(bytes));
      for (const end of [0, 1, 15, 16, 19, 33]) expect(crc(view.subarray(0, end))).toBe(crc(bytes.subarray(0, end)));
    }
  });

  it('keeps the difference of two registers that take the same bytes', () => {
    for (const count of [0, 1, 7, 255, 4_097, 3_000_001]) {
      const bytes = randomBytes(count);
      const [left, right] = [0x12345678, -77];
      const after = crcUpdate(left, bytes, 0, count) ^ crcUpdate(right, bytes, 0, count);
      expect(crcShift(left ^ right, count)).toBe(after);
    }
  });

  it('shifts by more bytes than fit into 32 bits as by parts of them', () => {
    let expected = 99;
    for (let part = 0; part < 5; part++) expected = crcShift(expected, 2 ** 30 + 1);
    expect(crcShift(99, 5 * (2 ** 30 + 1))).toBe(expected);
  });
});
