/** The SHA-256 of a snapshot on its way, and of what is before the SHA-256 at its end. */
import { createHash } from 'node:crypto';
import { SnapshotError } from './error.ts';
import { checkSize, trailerBytes } from './facts.ts';

export interface SnapshotChecksum {
  readonly sizeBytes: number;
  /** Of all bytes, in hexadecimal. */
  readonly sha256: string;
  /** Of the bytes before the last ones, which are this checksum. */
  readonly databaseSha256: string;
}

export class ChecksumReader {
  readonly #hash = createHash('sha256');
  /** The last bytes, which may be the trailer. */
  #tail: Buffer = Buffer.alloc(0);
  #sizeBytes = 0;

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  update(chunk: Uint8Array): void {
    this.#sizeBytes += chunk.byteLength;
    if (chunk.byteLength >= trailerBytes) {
      this.#hash.update(this.#tail);
      this.#hash.update(chunk.subarray(0, -trailerBytes));
      this.#tail = Buffer.from(chunk.subarray(-trailerBytes));
      return;
    }
    const tail = Buffer.concat([this.#tail, chunk]);
    this.#hash.update(tail.subarray(0, -trailerBytes));
    this.#tail = tail.subarray(-trailerBytes);
  }

  /** Throws `SnapshotError` if the size or the trailer is wrong. */
  finish(): SnapshotChecksum {
    const checksum = this.finishUnchecked();
    checkSize(this.#sizeBytes);
    if (checksum.isWhole) return checksum;
    const problem = 'its bytes do not have the checksum at its end';
    throw new SnapshotError('Corrupt', `the snapshot is damaged: ${problem}; fetch it again, or use another backup`);
  }

  finishUnchecked(): SnapshotChecksum & { readonly isWhole: boolean } {
    const database = this.#hash.copy().digest();
    return {
      sizeBytes: this.#sizeBytes,
      sha256: this.#hash.update(this.#tail).digest('hex'),
      databaseSha256: database.toString('hex'),
      isWhole: database.equals(this.#tail),
    };
  }
}
