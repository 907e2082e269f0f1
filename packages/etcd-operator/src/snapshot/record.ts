/** Records of the bucket `key`: a revision as the key, and a `mvccpb.KeyValue` in protobuf as the value. */
import { damaged } from './bolt/page.ts';

/** Main and sub revision, 8 bytes each, with a `_` between. */
const revisionBytes = 17;
const markBytes = 1;
const tombstoneMark = 't'.charCodeAt(0);

/** Where the parts of a record are. */
interface KeyRecord {
  readonly userKeyAt: number;
  readonly userKeyEnd: number;
  /** 1: the key was created by this change. 0: it was deleted. */
  readonly version: number;
}

/** Of the key of a record. */
export function mainRevisionAt(bytes: Buffer, keyAt: number, keyEnd: number): number {
  const length = keyEnd - keyAt;
  if (length !== revisionBytes && length !== revisionBytes + markBytes)
    throw damaged('a revision has the wrong length');
  const main = bytes.readUInt32BE(keyAt) * 2 ** 32 + bytes.readUInt32BE(keyAt + 4);
  if (!Number.isSafeInteger(main)) throw damaged('a revision is too large');
  return main;
}

export function subRevisionAt(bytes: Buffer, keyAt: number): number {
  return bytes.readUInt32BE(keyAt + 9) * 2 ** 32 + bytes.readUInt32BE(keyAt + 13);
}

export function isTombstone(bytes: Buffer, keyAt: number, keyEnd: number): boolean {
  return keyEnd - keyAt > revisionBytes && bytes[keyEnd - 1] === tombstoneMark;
}

/** The key from which on the revisions are larger than `main`. */
export function keyAfter(main: number): Buffer {
  const key = Buffer.alloc(revisionBytes, 0);
  key.writeBigUInt64BE(BigInt(main + 1), 0);
  key[8] = '_'.charCodeAt(0);
  return key;
}

/** The revision in a value of the bucket `meta`; undefined if it has none. */
export function revisionIn(value: Buffer | undefined): number | undefined {
  return value && mainRevisionAt(value, 0, value.byteLength);
}

/** Reads the fields before the user's value: the key and the version. */
export function readRecord(bytes: Buffer, start: number, end: number): KeyRecord {
  let at = start;
  let [userKeyAt, userKeyEnd, version] = [start, start, 0];
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = at < end && scale < 2 ** 63 ? (bytes[at++] ?? 0) : undefined;
      if (byte === undefined) throw damaged('a record is not valid');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < end) {
    const tag = varint();
    const value = varint();
    if ((tag & 7) === 2) {
      if (value > end - at) throw damaged('a record is not valid');
      if (tag === (1 << 3) + 2) [userKeyAt, userKeyEnd] = [at, at + value];
      at += value;
    } else if (tag === 4 << 3) {
      version = value;
      break;
    } else if ((tag & 7) !== 0) {
      throw damaged('a record is not valid');
    }
  }
  return { userKeyAt, userKeyEnd, version };
}
