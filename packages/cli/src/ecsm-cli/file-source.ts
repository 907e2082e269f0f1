/** A large file as the source of an upload: its hash first, then chunk by chunk. Only one chunk is in memory. */
import { createHash } from 'node:crypto';
import type { UploadSource } from '@ecsm/client';
import { Failure, type Files } from '@ecsm/command-line';

interface FileSourceOptions {
  readonly hash: string;
  readonly signal: AbortSignal;
  /** Called with the bytes read for the hash so far. */
  readonly onRead?: (bytes: number, total: number) => void;
}

interface FileSource extends UploadSource {
  /** Closes the file. */
  close(): Promise<void>;
}

/** Reads the whole file once, for its hash. Throws `Failure` if the file is missing or empty, or grows. */
export async function fileSource(files: Files, path: string, options: FileSourceOptions): Promise<FileSource> {
  const file = await openFile(files, path);
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

/** Reads a file forwards. A read at an earlier offset opens the file again. */
class ForwardReader {
  readonly #files: Files;
  readonly #path: string;
  #chunks: AsyncIterator<Uint8Array> | undefined;
  /** Offset of `#rest` in the file. */
  #position = 0;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(files: Files, path: string) {
    this.#files = files;
    this.#path = path;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (this.#chunks === undefined || offset < this.#position) await this.#reopen();
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const skip = offset + filled - this.#position;
      const part = this.#rest.subarray(Math.min(skip, this.#rest.length), skip + length - filled);
      bytes.set(part, filled);
      filled += part.length;
      if (filled < length && !(await this.#next())) break;
    }
    // Shorter than requested if the file was truncated meanwhile; the upload reports it.
    return bytes.subarray(0, filled);
  }

  async close(): Promise<void> {
    await this.#chunks?.return?.();
    this.#chunks = undefined;
  }

  async #reopen(): Promise<void> {
    await this.close();
    this.#chunks = (await openFile(this.#files, this.#path)).chunks[Symbol.asyncIterator]();
    this.#position = 0;
    this.#rest = new Uint8Array(0);
  }

  async #next(): Promise<boolean> {
    const next = await this.#chunks?.next();
    if (next === undefined || next.done) return false;
    this.#position += this.#rest.length;
    this.#rest = next.value;
    return true;
  }
}

async function openFile(files: Files, path: string) {
  const file = await files.open(path);
  if (!file) throw new Failure(`there is no file "${path}"`);
  return file;
}
