/** The pages of a bbolt file: fixed structures in little endian. Everything is checked, nothing is trusted. */
import { SnapshotError } from '../error.ts';

export const headerBytes = 16;
const elementBytes = 16;
const metaBytes = 64;
const magic = 0xed0cdaed;
const version = 2;
/** Of pages. */
const flags = { branch: 0x01, leaf: 0x02, meta: 0x04 } as const;
/** Of an element of a leaf: its value is a bucket. */
const bucketFlag = 0x01;
const bucketBytes = 16;
export const pageBytesMin = 512;
const pageBytesMax = 64 * 1024;

export interface Meta {
  readonly pageBytes: number;
  readonly rootPage: number;
  /** The number of pages that are in use or free. */
  readonly pages: number;
  readonly transaction: number;
}

/** Undefined if there is no valid one at the start of the page. */
export function readMeta(page: Buffer): Meta | undefined {
  if (page.byteLength < headerBytes + metaBytes) return undefined;
  const meta = page.subarray(headerBytes, headerBytes + metaBytes);
  const pageBytes = meta.readUInt32LE(8);
  const isValid =
    (page.readUInt16LE(8) & flags.meta) !== 0 &&
    meta.readUInt32LE(0) === magic &&
    meta.readUInt32LE(4) === version &&
    pageBytes >= pageBytesMin &&
    pageBytes <= pageBytesMax &&
    (pageBytes & (pageBytes - 1)) === 0 &&
    meta.readBigUInt64LE(56) === fnv1a(meta.subarray(0, 56));
  if (!isValid) return undefined;
  return { pageBytes, rootPage: longAt(meta, 16), pages: longAt(meta, 40), transaction: longAt(meta, 48) };
}

/** One page with what follows it, as the walk of a tree reads it. */
export class Page {
  readonly #bytes: Buffer;
  readonly #id: number;
  readonly isLeaf: boolean;
  readonly count: number;

  /** `bytes` is the page with its overflow; `id` is for messages. */
  constructor(bytes: Buffer, id: number) {
    this.#bytes = bytes;
    this.#id = id;
    const type = bytes.readUInt16LE(8);
    if (type !== flags.leaf && type !== flags.branch) throw damaged(`page ${id} has the type ${type}`);
    this.isLeaf = type === flags.leaf;
    this.count = bytes.readUInt16LE(10);
    if (headerBytes + this.count * elementBytes > bytes.byteLength) throw damaged(`page ${id} has too many elements`);
    if (!this.isLeaf && this.count === 0) throw damaged(`page ${id} has no elements`);
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  get id(): number {
    return this.#id;
  }

  /** From the first key to the last value of a leaf; undefined if it has none. */
  get region(): { readonly start: number; readonly end: number } | undefined {
    const last = this.count - 1;
    if (last < 0) return undefined;
    const [start, end] = [this.keyAt(0), this.valueEnd(last, this.keyEnd(last))];
    return start <= end ? { start, end } : undefined;
  }

  keyAt(index: number): number {
    const element = this.#element(index);
    return element + this.#bytes.readUInt32LE(element + (this.isLeaf ? 4 : 0));
  }

  keyEnd(index: number): number {
    const element = this.#element(index);
    const at = this.keyAt(index);
    const end = at + this.#bytes.readUInt32LE(element + (this.isLeaf ? 8 : 4));
    if (at < headerBytes || end > this.#bytes.byteLength) throw this.#outside(index);
    return end;
  }

  /** The value follows the key. */
  valueEnd(index: number, keyEnd: number): number {
    const end = keyEnd + this.#bytes.readUInt32LE(this.#element(index) + 12);
    if (end > this.#bytes.byteLength) throw this.#outside(index);
    return end;
  }

  isBucket(index: number): boolean {
    return (this.#bytes.readUInt32LE(this.#element(index)) & bucketFlag) !== 0;
  }

  childOf(index: number): number {
    return longAt(this.#bytes, this.#element(index) + 8);
  }

  #element(index: number): number {
    return headerBytes + index * elementBytes;
  }

  #outside(index: number): SnapshotError {
    return damaged(`element ${index} of page ${this.#id} is outside of the page`);
  }
}

/** A bucket is a tree of its own; a small one is a page within the value. */
export type Bucket =
  | { readonly name: string; readonly rootPage: number }
  | { readonly name: string; readonly page: Buffer };

/** `value` is copied if it contains the bucket. */
export function readBucket(name: string, value: Buffer): Bucket {
  if (value.byteLength < bucketBytes) throw damaged(`the bucket ${JSON.stringify(name)} is too short`);
  const rootPage = longAt(value, 0);
  if (rootPage !== 0) return { name, rootPage };
  const page = Buffer.from(value.subarray(bucketBytes));
  if (page.byteLength < headerBytes) throw damaged(`the bucket ${JSON.stringify(name)} is too short`);
  return { name, page };
}

/** As a number: what is not a safe integer is larger than every file. */
export function longAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at);
}

export function damaged(problem: string): SnapshotError {
  return new SnapshotError('Corrupt', `the database in the snapshot is damaged: ${problem}; use another backup`);
}

function fnv1a(bytes: Buffer): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash;
}
