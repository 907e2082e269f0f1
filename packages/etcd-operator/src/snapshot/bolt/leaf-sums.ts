/**
 * The CRCs of the leaf pages of a database, computed while its bytes arrive: they need not be read for it again. A page is what
 * its own header says. Of what is something else there, or very large, nothing is known, and it is read later.
 */
import { crcUpdate } from '../crc32c.ts';
import { headerBytes, longAt, Page, pageBytesMin, readMeta } from './page.ts';

/** The first page has what is needed to read others. */
const metaBytes = headerBytes + 64;
/** A larger page, of some large values, is not kept in memory. */
const spanBytesMax = 512 * 1024;
/** Where the fields of a header are. */
const [typeAt, overflowAt] = [8, 12];
const leafType = 2;

export class LeafSums {
  readonly #sizeBytes: number;
  #pageBytes = 0;
  #page = 0;
  /** By page: whether it is known, and its CRC. */
  #known = new Uint8Array();
  #sums = new Int32Array();
  /** The start of a page whose rest has not arrived yet. */
  #pending = Buffer.alloc(0);
  #pendingBytes = 0;
  #neededBytes = 0;
  #skipBytes = 0;

  /** Of the snapshot. */
  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes;
  }

  /** Of all keys and values of the page in the order in which they are stored, from 0. Undefined if it is not known. */
  of(page: number): number | undefined {
    return this.#known[page] === 1 ? this.#sums[page] : undefined;
  }

  /** The next bytes. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at < bytes.byteLength; ) {
      if (this.#skipBytes > 0) {
        const skipped = Math.min(this.#skipBytes, bytes.byteLength - at);
        this.#skipBytes -= skipped;
        at += skipped;
      } else if (this.#pendingBytes > 0) {
        const end = Math.min(bytes.byteLength, at + this.#neededBytes - this.#pendingBytes);
        this.#keep(bytes.subarray(at, end));
        at = end;
        if (this.#pendingBytes === this.#neededBytes) this.#takePending();
      } else {
        const taken = this.#take(bytes.subarray(at));
        if (taken === 0) this.#keep(bytes.subarray(at));
        this.#skipBytes = Math.max(0, at + taken - bytes.byteLength);
        at = taken === 0 ? bytes.byteLength : Math.min(bytes.byteLength, at + taken);
      }
    }
  }

  #takePending(): void {
    const taken = this.#take(this.#pending.subarray(0, this.#pendingBytes));
    if (taken === 0) return;
    this.#skipBytes = taken - this.#pendingBytes;
    this.#pendingBytes = 0;
  }

  #keep(bytes: Buffer): void {
    if (this.#pending.byteLength < this.#neededBytes) {
      this.#pending = Buffer.concat([this.#pending.subarray(0, this.#pendingBytes)], this.#neededBytes);
    }
    bytes.copy(this.#pending, this.#pendingBytes);
    this.#pendingBytes += bytes.byteLength;
  }

  /** How many bytes belong to what starts here; 0 if `#neededBytes` are needed to tell. */
  #take(bytes: Buffer): number {
    if (this.#page === 0 && this.#pageBytes === 0) {
      if (bytes.byteLength < metaBytes) return this.#need(metaBytes);
      this.#pageBytes = readMeta(bytes)?.pageBytes ?? 0;
      if (this.#pageBytes < pageBytesMin) return this.#sizeBytes;
      const pages = Math.ceil(this.#sizeBytes / this.#pageBytes);
      [this.#known, this.#sums] = [new Uint8Array(pages), new Int32Array(pages)];
    }
    if (bytes.byteLength < headerBytes) return this.#need(headerBytes);
    const spanBytes = (bytes.readUInt32LE(overflowAt) + 1) * this.#pageBytes;
    const isLeaf = longAt(bytes, 0) === this.#page && bytes.readUInt16LE(typeAt) === leafType;
    if (!isLeaf || spanBytes > spanBytesMax) return this.#passed(this.#pageBytes);
    if (bytes.byteLength < spanBytes) return this.#need(spanBytes);
    this.#sum(bytes.subarray(0, spanBytes));
    return this.#passed(spanBytes);
  }

  #sum(bytes: Buffer): void {
    try {
      const region = new Page(bytes, this.#page).region;
      if (region === undefined) return;
      this.#sums[this.#page] = crcUpdate(0, bytes, region.start, region.end);
      this.#known[this.#page] = 1;
    } catch {
      // A page that is not in use may have any content. One that is in use and damaged is found when it is read.
    }
  }

  #need(sizeBytes: number): 0 {
    this.#neededBytes = sizeBytes;
    return 0;
  }

  #passed(sizeBytes: number): number {
    this.#page += sizeBytes / this.#pageBytes;
    return sizeBytes;
  }
}
