/**
 * Splits a file into its YAML documents before parsing, so that only one document at a time needs memory. That is safe
 * because YAML forbids a line that starts with `---` or `...` inside any scalar.
 */
import { ApiError } from '../errors.ts';
import type { ManifestLimits } from './limits.ts';

export interface DocumentBytes {
  /** Counted from 1; empty documents do not count. */
  readonly number: number;
  readonly bytes: Uint8Array;
  /** The line of the file on which `bytes` starts, counted from 1. */
  readonly firstLine: number;
  /** The line of the file on which the content starts. */
  readonly contentLine: number;
}

const NEWLINE = 0x0a;
const HASH = 0x23;
const PERCENT = 0x25;
const DASH = 0x2d;
const DOT = 0x2e;

export function* splitDocuments(file: string, bytes: Uint8Array, limits: ManifestLimits): Generator<DocumentBytes> {
  let start = 0;
  let firstLine = 1;
  let contentLine: number | undefined;
  let marked = false;
  let number = 0;

  /** Ends the document before `end`. One with nothing but comments is skipped. */
  function* finish(end: number): Generator<DocumentBytes> {
    if (contentLine === undefined) return;
    number++;
    if (number > limits.documentsMax)
      throw malformed(file, contentLine, `more than ${limits.documentsMax} documents in one file`);
    const sizeBytes = end - start;
    if (sizeBytes > limits.documentBytesMax) {
      const what = `${file}:${contentLine}: document ${number}`;
      throw new ApiError('TooLarge', { what, sizeBytes, limitBytes: limits.documentBytesMax });
    }
    yield { number, bytes: bytes.subarray(start, end), firstLine, contentLine };
  }

  let line = 1;
  for (let offset = 0; offset < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, offset);
    const end = newline === -1 ? bytes.length : newline + 1;
    const marker = markerAt(bytes, offset, end);
    if (marker === DOT || (marker === DASH && (marked || contentLine !== undefined))) {
      yield* finish(offset);
      start = marker === DOT ? end : offset;
      firstLine = marker === DOT ? line + 1 : line;
      contentLine = undefined;
      marked = false;
    }
    if (marker === DASH) {
      marked = true;
      if (hasContent(bytes, offset + 3, end)) contentLine = line;
    } else if (marker === undefined && contentLine === undefined) {
      if (bytes[offset] === PERCENT && !marked) checkDirective(file, line, bytes.subarray(offset, end));
      else if (hasContent(bytes, offset, end)) contentLine = line;
    }
    offset = end;
  }
  yield* finish(bytes.length);
}

/** The character of the `---` or `...` that a line starts with. */
function markerAt(bytes: Uint8Array, offset: number, end: number): number | undefined {
  const mark = bytes[offset];
  if ((mark !== DASH && mark !== DOT) || bytes[offset + 1] !== mark || bytes[offset + 2] !== mark) return undefined;
  return offset + 3 === end || isBlank(bytes[offset + 3]) ? mark : undefined;
}

function hasContent(bytes: Uint8Array, from: number, end: number): boolean {
  for (let offset = from; offset < end; offset++) {
    if (!isBlank(bytes[offset])) return bytes[offset] !== HASH;
  }
  return false;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE;
}

/** `%YAML 1.1` would turn `yes` into true, `%TAG` defines tags that are not supported. */
function checkDirective(file: string, line: number, bytes: Uint8Array): void {
  const text = Buffer.from(bytes).toString('latin1');
  if (/^%YAML[ \t]+1\.2[ \t]*(#.*)?\r?\n?$/u.test(text)) return;
  throw malformed(file, line, 'the only supported directive is %YAML 1.2');
}

function malformed(file: string, line: number, reason: string): ApiError {
  return new ApiError('Malformed', { position: { file, line, column: 1 }, reason });
}
