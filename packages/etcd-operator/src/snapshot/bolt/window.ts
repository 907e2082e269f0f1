/**
 * Reads ranges of a file that are mostly consecutive, as the pages of a tree that was written in the order of its keys: what
 * follows is then read along.
 */
import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';

const aheadBytes = 256 * 1024;
/** Ranges with smaller gaps count as consecutive. */
const gapBytesMax = 64 * 1024;
/** How much is read before other work of the process gets its turn. */
const bytesPerTurn = 2 * 1024 * 1024;

export class FileWindow {
  readonly #handle: FileHandle;
  readonly #sizeBytes: number;
  #buffer = Buffer.allocUnsafeSlow(aheadBytes);
  /** Where the buffer is in the file. */
  #start = 0;
  #filledBytes = 0;
  /** The last range. */
  #last = { start: 0, end: 0 };
  #turnBytes = 0;

  /** Nothing after `sizeBytes` is read. */
  constructor(handle: FileHandle, sizeBytes: number) {
    this.#handle = handle;
    this.#sizeBytes = sizeBytes;
  }

  /** Valid until the next call. Shorter if the file ends before. */
  read(start: number, sizeBytes: number): Buffer | Promise<Buffer> {
    const last = this.#last;
    this.#last = { start, end: start + sizeBytes };
    if (start >= this.#start && start + sizeBytes <= this.#start + this.#filledBytes)
      return this.#range(start, sizeBytes);
    const isConsecutive = start >= last.start && start - last.end <= gapBytesMax;
    const wantedBytes = Math.min(Math.max(sizeBytes, isConsecutive ? aheadBytes : 0), this.#sizeBytes - start);
    if (this.#buffer.byteLength < wantedBytes) this.#buffer = Buffer.allocUnsafeSlow(wantedBytes);
    const fill = () => {
      // Synchronous reads are faster by far: they are short, and most of it is in the cache of the system.
      this.#filledBytes = readSync(this.#handle.fd, this.#buffer, 0, wantedBytes, start);
      this.#start = start;
      return this.#range(start, sizeBytes);
    };
    this.#turnBytes += wantedBytes;
    if (this.#turnBytes < bytesPerTurn) return fill();
    this.#turnBytes = 0;
    return nextTurn().then(fill);
  }

  #range(start: number, sizeBytes: number): Buffer {
    const at = start - this.#start;
    return this.#buffer.subarray(at, Math.min(at + sizeBytes, this.#filledBytes));
  }
}
