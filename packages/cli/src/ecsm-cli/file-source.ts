/** A large file as an upload wants it: its hash first, then piece by piece. Never more than a piece is in memory. */
import { createHash } from 'node:crypto';
import type { UploadSource } from '@ecsm/client';
import { Failure, type Files } from '@ecsm/command-line';

export interface FileSourceOptions {
  readonly hash: string;
  readonly signal: AbortSignal;
  /** Told how much has been read for the hash. */
  readonly onRead?: (bytes: number, total: number) => void;
}

export interface FileSource extends UploadSource {
  /** Lets go of the file. */
  close(): Promise<void>;
}

/** Reads all of the file once, for its hash. */
export async function fileSource(files: Files, path: string, options: FileSourceOptions): Promise<FileSource> {
  const file = await opened(files, path);
  const size = file.sizeBytes;
  const hash = createHash(options.hash);
  let bytes = 0;
  for await (const chunk of file.chunks) {
    options.signal.throwIfAborted();
    hash.update(chunk);
    bytes += chunk.byteLength;
    options.onRead?.(bytes, size);
    // A device or a pipe may never end.
    if (bytes > size) throw new Failure(`${path} grew while it was read: upload a file that is not being written`);
  }
  if (bytes === 0) throw new Failure(`${path} is empty: it contains no image`);
  const reader = new ForwardReader(files, path);
  return {
    size: bytes,
    hash: hash.digest('hex'),
    read: (offset, length) => reader.read(offset, length),
    close: () => reader.close(),
  };
}

/** Pieces of a file in the order in which they stand. Going back begins anew. */
class ForwardReader {
  readonly #files: Files;
  readonly #path: string;
  #chunks: AsyncIterator<Uint8Array> | undefined;
  /** Where `#rest` begins in the file. */
  #position = 0;
  #rest = new Uint8Array(0);

  constructor(files: Files, path: string) {
    this.#files = files;
    this.#path = path;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (this.#chunks === undefined || offset < this.#position) await this.#begin();
    const piece = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const skip = offset + filled - this.#position;
      const part = this.#rest.subarray(Math.min(skip, this.#rest.length), skip + length - filled);
      piece.set(part, filled);
      filled += part.length;
      if (filled < length && !(await this.#next())) break;
    }
    // Shorter than asked for where the file has become shorter meanwhile: the upload complains.
    return piece.subarray(0, filled);
  }

  async close(): Promise<void> {
    await this.#chunks?.return?.();
    this.#chunks = undefined;
  }

  async #begin(): Promise<void> {
    await this.close();
    this.#chunks = (await opened(this.#files, this.#path)).chunks[Symbol.asyncIterator]();
    this.#position = 0;
    this.#rest = new Uint8Array(0);
  }

  async #next(): Promise<boolean> {
    const next = await this.#chunks?.next();
    if (next === undefined || next.done) return false;
    this.#position += this.#rest.length;
    this.#rest = Uint8Array.from(next.value);
    return true;
  }
}

async function opened(files: Files, path: string) {
  const file = await files.open(path);
  if (!file) throw new Failure(`there is no file "${path}"`);
  return file;
}
