/** What workers print: one JSON value a line. */
import { writeSync } from 'node:fs';

const retryMs = 1;

/**
 * Synchronous, so that a line printed is a line delivered whatever happens to this process next. A pipe that the reader
 * does not empty in time takes a part of a line, or refuses it.
 */
export function print(line: object): void {
  const bytes = new TextEncoder().encode(`${JSON.stringify(line)}\n`);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
    }
  }
}
