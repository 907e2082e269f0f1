/**
 * Writes chunks into a file, in few large writes: one buffer is written while the next one is filled. The chunks are copied, so
 * that their owner can use their memory again.
 */
import type { FileHandle } from 'node:fs/promises';

/** Larger writes are slower: the system needs large free pieces of memory for them. */
const bufferBytes = 256 * 1024;

interface FileWriterOptions {
  /** Called with the number of bytes that were written so far. */
  readonly onWritten?: (bytes: number) => void;
  /** How much is written before the system is asked to store it on the disk, in the background. Default: never. */
  readonly flushBytes?: number;
}

export class FileWriter {
  readonly #handle: FileHandle;
  readonly #options: FileWriterOptions;
  #buffer = Buffer.allocUnsafeSlow(bufferBytes);
  #other = Buffer.allocUnsafeSlow(bufferBytes);
  #filledBytes = 0;
  /** Where the buffer belongs. */
  #position = 0;
  #writing: Promise<void> = Promise.resolve();
  #flushing: Promise<void> = Promise.resolve();
  #isFlushing = false;
  #flushedBytes = 0;

  constructor(handle: FileHandle, options: FileWriterOptions = {}) {
    this.#handle = handle;
    this.#options = options;
  }

  get sizeBytes(): number {
    return this.#position + this.#filledBytes;
  }

  /** A failure of an earlier write is thrown by a later call. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let offset = 0; offset < chunk.byteLength; ) {
      const part = chunk.subarray(offset, offset + bufferBytes - this.#filledBytes);
      this.#buffer.set(part, this.#filledBytes);
      this.#filledBytes += part.byteLength;
      offset += part.byteLength;
      if (this.#filledBytes === bufferBytes) await this.#next();
    }
  }

  /** Resolves when everything is written. */
  async end(): Promise<void> {
    await this.#next();
    await this.#writing;
    await this.#flushing;
  }

  /** Resolves when nothing is being written any more, whatever the outcome is: the file can be closed. */
  async settle(): Promise<void> {
    await Promise.allSettled([this.#writing, this.#flushing]);
  }

  async #next(): Promise<void> {
    await this.#writing;
    const [bytes, position] = [this.#buffer.subarray(0, this.#filledBytes), this.#position];
    [this.#buffer, this.#other] = [this.#other, this.#buffer];
    this.#position += this.#filledBytes;
    this.#filledBytes = 0;
    this.#writing = this.#writeAt(bytes, position);
    // It is awaited later; until then a failure must not count as unhandled.
    this.#writing.catch(() => {});
  }

  async #writeAt(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.byteLength; ) {
      // A short write is rare. The next one reports the reason, such as a full disk.
      done += (await this.#handle.write(bytes, done, bytes.byteLength - done, position + done)).bytesWritten;
    }
    const { onWritten, flushBytes = Number.POSITIVE_INFINITY } = this.#options;
    const writtenBytes = position + bytes.byteLength;
    onWritten?.(writtenBytes);
    if (this.#isFlushing || writtenBytes - this.#flushedBytes < flushBytes) return;
    this.#isFlushing = true;
    this.#flushedBytes = writtenBytes;
    this.#flushing = this.#handle.datasync().finally(() => {
      this.#isFlushing = false;
    });
    this.#flushing.catch(() => {});
  }
}
