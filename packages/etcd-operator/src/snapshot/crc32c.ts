/**
 * CRC-32 with Castagnoli's polynomial, which etcd uses for its hashes and Node.js does not have. Sixteen bytes per step, each
 * with a table of its own: about 1 GB/s.
 */
const polynomial = 0x82f63b78;
const lanes = 16;
const entries = 256;
/** For counts of up to 2^53 bytes. */
const powersMax = 56;

/** One table after the other: table `n` is what a byte contributes when `n` more bytes follow. */
const tables = makeTables();
/** x^(2^n) modulo the polynomial, in the reflected order of bits. */
const powers = makePowers();

/** The register before the first byte. */
export const crcStart = -1;

/** The register after the bytes from `start` to `end`, which have to be within `bytes`. */
export function crcUpdate(register: number, bytes: Uint8Array, start: number, end: number): number {
  const t = tables;
  let crc = register;
  let i = start;
  for (const last = end - lanes; i <= last; i += lanes) {
    // Within the bounds, as the caller guarantees: no element is undefined.
    crc ^= byteAt(bytes, i) | (byteAt(bytes, i + 1) << 8) | (byteAt(bytes, i + 2) << 16) | (byteAt(bytes, i + 3) << 24);
    crc =
      entry(t, 3840 + (crc & 255)) ^
      entry(t, 3584 + ((crc >>> 8) & 255)) ^
      entry(t, 3328 + ((crc >>> 16) & 255)) ^
      entry(t, 3072 + (crc >>> 24)) ^
      entry(t, 2816 + byteAt(bytes, i + 4)) ^
      entry(t, 2560 + byteAt(bytes, i + 5)) ^
      entry(t, 2304 + byteAt(bytes, i + 6)) ^
      entry(t, 2048 + byteAt(bytes, i + 7)) ^
      entry(t, 1792 + byteAt(bytes, i + 8)) ^
      entry(t, 1536 + byteAt(bytes, i + 9)) ^
      entry(t, 1280 + byteAt(bytes, i + 10)) ^
      entry(t, 1024 + byteAt(bytes, i + 11)) ^
      entry(t, 768 + byteAt(bytes, i + 12)) ^
      entry(t, 512 + byteAt(bytes, i + 13)) ^
      entry(t, 256 + byteAt(bytes, i + 14)) ^
      entry(t, byteAt(bytes, i + 15));
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ entry(t, (crc ^ byteAt(bytes, i)) & 255);
  return crc;
}

/** The CRC of everything before, as an unsigned number. */
export function crcOf(register: number): number {
  return ~register >>> 0;
}

/**
 * What a difference of two registers is after both have taken the same `count` bytes. The CRC is linear, so the bytes
 * themselves do not matter.
 */
export function crcShift(difference: number, count: number): number {
  if (difference === 0) return 0;
  let result = difference;
  // Each byte is a multiplication by x^8; bits of the count select the squares.
  for (let rest = count, n = 3; rest > 0; rest = Math.floor(rest / 2), n++) {
    if (rest % 2 === 1) result = multiply(powers[n] ?? 0, result);
  }
  return result;
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}

function entry(table: Int32Array, index: number): number {
  return table[index] as number;
}

/** Modulo the polynomial. */
function multiply(left: number, right: number): number {
  let product = 0;
  let shifted = right;
  for (let mask = 0x80000000; mask !== 0; mask >>>= 1) {
    if ((left & mask) !== 0) product ^= shifted;
    shifted = (shifted & 1) !== 0 ? (shifted >>> 1) ^ polynomial : shifted >>> 1;
  }
  return product;
}

function makeTables(): Int32Array {
  const all = new Int32Array(lanes * entries);
  for (let byte = 0; byte < entries; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) !== 0 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    all[byte] = crc;
  }
  for (let index = entries; index < lanes * entries; index++) {
    const before = entry(all, index - entries);
    all[index] = (before >>> 8) ^ entry(all, before & 255);
  }
  return all;
}

function makePowers(): readonly number[] {
  const all = [0x40000000];
  while (all.length < powersMax) all.push(multiply(all.at(-1) ?? 0, all.at(-1) ?? 0));
  return all;
}
