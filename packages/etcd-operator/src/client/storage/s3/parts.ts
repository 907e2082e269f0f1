/** Cuts a stream into parts, in buffers that are used again: so memory does not depend on the length of the stream. */
import { createHash, type Hash } from 'node:crypto';
import type { PutOptions } from '../contract.ts';
import { abortedCall } from '../error.ts';

export interface Part {
  readonly bytes: Uint8Array;
  readonly sha256: Buffer;
  readonly md5: Buffer;
  readonly isLast: boolean;
}

export class PartReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #label: string;
  readonly #signal: AbortSignal | undefined;
  readonly #known: (() => string) | undefined;
  /** Undefined if the caller knows the checksum. */
  readonly #whole: Hash | undefined;
  #rest: Uint8Array = new Uint8Array();
  #sizeBytes = 0;

  constructor(body: AsyncIterable<Uint8Array>, label: string, { signal, sha256 }: PutOptions) {
    this.#chunks = body[Symbol.asyncIterator]();
    this.#label = label;
    this.#signal = signal;
    this.#known = sha256;
    this.#whole = sha256 ? undefined : createHash('sha256');
  }

  /** Of what was read so far. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Fills the buffer, unless the stream ends before. */
  async read(buffer: Buffer): Promise<Part> {
    let filledBytes = 0;
    let isLast = false;
    for (;;) {
      // A full buffer is the last part only if nothing follows.
      if (this.#rest.byteLength === 0 && !(await this.#hasMore())) {
        isLast = true;
        break;
      }
      if (filledBytes === buffer.byteLength) break;
      const taken = this.#rest.subarray(0, buffer.byteLength - filledBytes);
      buffer.set(taken, filledBytes);
      filledBytes += taken.byteLength;
      this.#rest = this.#rest.subarray(taken.byteLength);
    }
    const bytes = buffer.subarray(0, filledBytes);
    this.#sizeBytes += filledBytes;
    this.#whole?.update(bytes);
    return {
      bytes,
      sha256: createHash('sha256').update(bytes).digest(),
      md5: createHash('md5').update(bytes).digest(),
      isLast,
    };
  }

  /** The checksum of everything, in hexadecimal. Only once, at the end. */
  sha256(): string {
    return this.#known?.() ?? this.#whole?.digest('hex') ?? '';
  }

  /** Ends the stream, which may not be at its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #hasMore(): Promise<boolean> {
    while (this.#rest.byteLength === 0) {
      const { done, value } = await this.#chunks.next();
      if (this.#signal?.aborted) throw abortedCall(this.#label);
      if (done) return false;
      this.#rest = value;
    }
    return true;
  }
}
