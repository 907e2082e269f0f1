/**
 * Checksums of a transfer. The store's own SHA-256 takes whole values only, so it is used in a chain: each sum covers
 * the one before. That needs no memory, and where the first sum is wrong is where the first difference is. SHA-256
 * rather than the CRC-32 of a row, because a backup lies around for years and may be gigabytes.
 */
import { hashOf } from '../store/file/format.ts';

/** Records are hashed together up to this size: for small ones, calling the hash costs more than hashing. */
const blockBytesMax = 64 * 1024;

/** The next sum of a chain, in base64. */
export function nextSum(before: string, bytes: Uint8Array): string {
  return hashOf(Buffer.concat([Buffer.from(before), bytes]));
}

/** One sum for any number of records in order; how they were paged makes no difference. */
export class Digest {
  #sum = '';
  #block: Uint8Array[] = [];
  #blockBytes = 0;

  /** The length stands in between, so that no two records can be mistaken for two others. */
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
