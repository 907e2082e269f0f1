/**
 * Detects that the write-ahead log was truncated or overwritten while it was open. SQLite does not notice: it appends
 * commits after the place of the last one, and the next process that opens the database stops reading at the gap.
 *
 * The last frame before a transaction has to be in the file before the transaction and after its commit. SQLite has no
 * locks on the log, so this process may have a descriptor of its own.
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** The format of the log: https://sqlite.org/fileformat.html#walformat */
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const saltBytes = 8;
const logSaltAt = 16;
const frameSaltAt = 8;

/** A position in the log. SQLite chooses another salt each time that it starts the log from the beginning. */
export interface LogPosition {
  /** The number of frames; not positive if the log is empty. */
  readonly frames: number;
  /** Undefined if the header of the log is missing. */
  readonly salt: string | undefined;
}

export class LogIntegrity {
  readonly #descriptor: number;
  readonly #pageBytes: number;
  readonly #countFrames: () => number;

  /** `countFrames` returns the frames that SQLite takes the log to have; it is called outside of transactions. */
  constructor(path: string, pageBytes: number, countFrames: () => number) {
    this.#descriptor = openSync(path, 'r');
    this.#pageBytes = pageBytes;
    this.#countFrames = countFrames;
  }

  position(): LogPosition {
    const frames = this.#countFrames();
    return { frames, salt: frames > 0 ? this.#saltAt(logSaltAt) : undefined };
  }

  /** Whether the log has all frames up to a position, or was started again since. */
  has({ frames, salt }: LogPosition): boolean {
    if (frames <= 0) return true;
    if (salt !== undefined) {
      const now = this.#saltAt(logSaltAt);
      if (now !== undefined && now !== salt) return true;
      const frameAt = logHeaderBytes + (frames - 1) * (frameHeaderBytes + this.#pageBytes);
      if (now === salt && this.#saltAt(frameAt + frameSaltAt) === salt) return true;
    }
    // A checkpoint of another process may have emptied the log.
    return this.#countFrames() < frames;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Returns undefined beyond the end of the file, and in a gap, where a file has zeros. */
  #saltAt(position: number): string | undefined {
    const bytes = Buffer.alloc(saltBytes);
    const length = readSync(this.#descriptor, bytes, 0, saltBytes, position);
    return length === saltBytes && bytes.some((byte) => byte !== 0) ? bytes.toString('hex') : undefined;
  }
}
