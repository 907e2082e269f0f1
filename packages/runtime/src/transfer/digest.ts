/**
 * Checksums of a transfer. The store's SHA-256 function takes complete values, so it is used in a chain: each sum covers
 * the previous one. That needs no memory, and the first wrong sum shows the first difference. SHA-256 rather than the
 * CRC-32 of a row, because a backup is kept for years and may be gigabytes.
 */
import { hashOf } from '../store/file/format.ts';

/** Records are hashed together up to this size: for small ones, the call costs more than the hashing. */
const blockBytesMax = 64 * 1024;

/** The next sum of a chain, in base64. */
export function nextSum(before: string, bytes: Uint8Array): string {
  return hashOf(Buffer.concat([Buffer.from(before), bytes]));
}

/** One sum for any number of records in order, independent of paging. */
export class Digest {
  #sum = '';
  #block: Uint8Array[] = [];
  #blockBytes = 0;

  /** The length is included, so that different pairs of records cannot have the same input. */
  add(key: string, content: Uint8Array): void {
    const head = Buffer.from(`${key} ${content.byteLength} `);
    this.#block.push(head, content);
    this.#blockBytes += head.byteLength + content.byteLength;
    if (this.#blockBytes >= blockBytesMax) this.#hash();
  }

  finish(): string {
    this.#hash();
    return this.#sum;
  }

  #hash(): void {
    this.#sum = nextSum(this.#sum, Buffer.concat(this.#block));
    this.#block = [];
    this.#blockBytes = 0;
  }
}
