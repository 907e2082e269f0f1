/** Splits a stream of bytes into lines and never buffers more than one line. */
import { ApiError } from '../api/errors.ts';
import { lineBytesMax } from './format.ts';

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
  /** False for a last line without a line feed. */
  readonly isEnded: boolean;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Removes a byte order mark and carriage returns at the ends of lines, which some programs add. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Line, void> {
  let pieces: Buffer[] = [];
  let sizeBytes = 0;
  let number = 1;
  const keep = (piece: Buffer) => {
    pieces.push(piece);
    sizeBytes += piece.byteLength;
    if (sizeBytes > lineBytesMax) throw malformed(file, number, `it is longer than ${lineBytesMax} bytes`);
  };
  const take = (isEnded: boolean): Line => {
    const bytes = stripped(Buffer.concat(pieces), number);
    pieces = [];
    sizeBytes = 0;
    return { number: number++, bytes, isEnded };
  };
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (;;) {
      const end = rest.indexOf(lineFeed);
      if (end === -1) break;
      keep(rest.subarray(0, end));
      yield take(true);
      rest = rest.subarray(end + 1);
    }
    // The producer may reuse the memory of its chunks.
    if (rest.byteLength > 0) keep(Buffer.from(rest));
  }
  if (sizeBytes > 0) yield take(false);
}

function stripped(bytes: Buffer, number: number): Buffer {
  const start = number === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.subarray(start, bytes.at(-1) === carriageReturn ? -1 : undefined);
}

export function malformed(file: string, line: number, reason: string, cause?: unknown): ApiError {
  return new ApiError('Malformed', { position: { file, line, column: 1 }, reason }, cause);
}

/** Recognizes other formats by the first bytes. Returns the reason, or undefined. */
export function foreignFormat(bytes: Buffer): string | undefined {
  const [first = 0x20, second = 0x20] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0)
    return 'it is UTF-16 text, and a backup is UTF-8: was it redirected by a shell that changes encodings?';
  if (first === 0x1f && second === 0x8b) return 'it is compressed with gzip: unpack it first';
  if (first === 0x28 && second === 0xb5) return 'it is compressed with zstd: unpack it first';
  return undefined;
}
