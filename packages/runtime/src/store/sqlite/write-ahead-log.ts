/**
 * The file of the write-ahead log, beside SQLite: detects that it was truncated or overwritten while it was open, and counts
 * what was written.
 *
 * SQLite does not notice a truncation: it appends commits after the place of the last one, and the next process that opens
 * the database stops reading at the gap. So the last frame before a transaction has to be in the file before the transaction
 * and after its commit. SQLite has no locks on the log, so this process may have a descriptor of its own.
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** The format of the log: https://sqlite.org/fileformat.html#walformat */
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const saltBytes = 8;
const logSaltAt = 16;
const frameSaltAt = 8;
const pageNumberBytes = 4;

/** The frames of the log, and how many of them are copied into the database. Not positive if the log is empty. */
interface LogFrames {
  readonly frames: number;
  readonly copied: number;
}

/** A position in the log. SQLite chooses another salt each time that it starts the log from the beginning. */
export interface LogPosition extends LogFrames {
  /** Undefined if the header of the log is missing. */
  readonly salt: string | undefined;
}

export class WriteAheadLog {
  readonly #descriptor: number;
  readonly #pageBytes: number;
  readonly #countFrames: () => LogFrames;

  /** `countFrames` returns what SQLite takes the log to have; it is called outside of transactions. */
  constructor(path: string, pageBytes: number, countFrames: () => LogFrames) {
    this.#descriptor = openSync(path, 'r');
    this.#pageBytes = pageBytes;
    this.#countFrames = countFrames;
  }

  position(): LogPosition {
    const { frames, copied } = this.#countFrames();
    return { frames, copied, salt: frames > 0 ? this.#saltAt(logSaltAt) : undefined };
  }

  /** Whether the log has all frames up to a position, or was started again since. */
  has({ frames, salt }: LogPosition): boolean {
    if (frames <= 0) return true;
    if (salt !== undefined) {
      const now = this.#saltAt(logSaltAt);
      if (now !== undefined && now !== salt) return true;
      if (now === salt && this.#saltAt(this.#frameAt(frames) + frameSaltAt) === salt) return true;
    }
    // A checkpoint of another process may have emptied the log.
    return this.#countFrames().frames < frames;
  }

  /** Bytes written to the log and copied into the database between two positions, before the log is started again. */
  writtenBetween(before: LogPosition, after: LogPosition): number {
    const isSame = before.salt === after.salt;
    const frames = after.frames - (isSame ? before.frames : 0);
    const pages = this.#pagesBetween(isSame ? before.copied : 0, after.copied);
    return Math.max(0, frames) * (frameHeaderBytes + this.#pageBytes) + pages * this.#pageBytes;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** A checkpoint writes a page once, however many frames it has. */
  #pagesBetween(first: number, last: number): number {
    const pages = new Set<number>();
    const number = Buffer.alloc(pageNumberBytes);
    for (let frame = Math.max(0, first) + 1; frame <= last; frame++) {
      if (readSync(this.#descriptor, number, 0, pageNumberBytes, this.#frameAt(frame)) === pageNumberBytes)
        pages.add(number.readUInt32BE());
    }
    return pages.size;
  }

  #frameAt(frame: number): number {
    return logHeaderBytes + (frame - 1) * (frameHeaderBytes + this.#pageBytes);
  }

  /** Returns undefined beyond the end of the file, and in a gap, where a file has zeros. */
  #saltAt(position: number): string | undefined {
    const bytes = Buffer.alloc(saltBytes);
    const length = readSync(this.#descriptor, bytes, 0, saltBytes, position);
    return length === saltBytes && bytes.some((byte) => byte !== 0) ? bytes.toString('hex') : undefined;
  }
}
