/**
 * Reads a backup and believes nothing: each line is checked before it is handed over, and the end before it is over.
 *
 * - `Malformed`: this is no backup, or one of a version that this program does not know; file and line say where.
 * - `Corrupt`: this is a backup, and it was cut short or changed; the line is named.
 */
import { ApiError } from '../api/errors.ts';
import { isPlainObject } from '../api/json.ts';
import type { Entry } from '../store/contract.ts';
import { checkKey } from '../store/validate.ts';
import { nextSum } from './digest.ts';
import { type BackupHeader, type BackupSummary, backupFormat, backupVersion, unseal } from './format.ts';
import { foreignFormat, type Line, malformed, splitLines } from './lines.ts';
import { markerKey } from './marker.ts';

export type BackupPart =
  | { readonly is: 'header'; readonly header: BackupHeader }
  | { readonly is: 'record'; readonly entry: Entry }
  | { readonly is: 'end'; readonly summary: BackupSummary };

type Fields = Readonly<Record<string, unknown>>;

/** First the header, last the end; if it stops before the end, it throws. `file` is how errors call it. */
export async function* readBackup(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<BackupPart, void> {
  const reader = new BackupReader(file);
  let lines = 0;
  for await (const line of splitLines(chunks, file)) {
    lines = line.number;
    const part = reader.read(line);
    if (part !== undefined) yield part;
  }
  reader.finish(lines);
}

class BackupReader {
  readonly #file: string;
  #sum = '';
  #header: BackupHeader | undefined;
  #lastKey = '';
  #objects = 0;
  #bytes = 0;
  #isOver = false;

  constructor(file: string) {
    this.#file = file;
  }

  read(line: Line): BackupPart | undefined {
    if (this.#isOver) return this.#readBehind(line);
    if (this.#header === undefined) {
      this.#header = this.#readHeader(line);
      return { is: 'header', header: this.#header };
    }
    const fields = this.#unsealed(line);
    if (Object.hasOwn(fields, 'end')) return { is: 'end', summary: this.#readEnd(line, fields, this.#header) };
    return { is: 'record', entry: this.#readRecord(line, fields) };
  }

  finish(lines: number): void {
    if (this.#isOver) return;
    if (lines === 0) throw malformed(this.#file, 1, 'it is empty');
    throw this.#cutShort(lines);
  }

  #readHeader(line: Line): BackupHeader {
    const foreign = foreignFormat(line.bytes);
    if (foreign !== undefined) throw this.#malformed(line, foreign);
    const claimed = parsed(line.bytes);
    if (!isPlainObject(claimed) || claimed.format !== backupFormat)
      throw this.#malformed(line, `it is not a backup of a registry: its first line has no "format":"${backupFormat}"`);
    // Before the sum: another version may do that in another way.
    if (claimed.version !== backupVersion) {
      const version = JSON.stringify(claimed.version);
      throw this.#malformed(line, `it has the format version ${version}, and this program knows ${backupVersion} only`);
    }
    const { revision, time } = this.#unsealed(line);
    if (!isCount(revision) || typeof time !== 'string') throw this.#malformed(line, 'its header is not complete');
    return { revision, time };
  }

  #readRecord(line: Line, { key, created, revision, value, base64 }: Fields): Entry {
    if (typeof key !== 'string' || !isCount(created) || !isCount(revision))
      throw this.#malformed(line, 'it is not a record: key, created or revision is missing');
    try {
      checkKey(key);
    } catch (error) {
      throw this.#malformed(line, error instanceof Error ? error.message : String(error), error);
    }
    if (key === markerKey) throw this.#malformed(line, `"${key}" is no part of a registry`);
    if (key <= this.#lastKey) throw this.#malformed(line, `"${key}" may not come after "${this.#lastKey}"`);
    const bytes = bytesOf(value, base64);
    if (bytes === undefined) throw this.#malformed(line, 'it has no value that could be stored');
    this.#lastKey = key;
    this.#objects++;
    this.#bytes += bytes.byteLength;
    return { key, created, revision, value: bytes };
  }

  #readEnd(line: Line, { objects, damaged }: Fields, header: BackupHeader): BackupSummary {
    if (objects !== this.#objects || !isCount(damaged))
      throw this.#malformed(line, `it ends with ${JSON.stringify(objects)} objects, and there are ${this.#objects}`);
    this.#isOver = true;
    return { ...header, objects, bytes: this.#bytes, damaged, sum: this.#sum };
  }

  #readBehind(line: Line): undefined {
    if (line.bytes.byteLength > 0) throw this.#malformed(line, 'the backup ends on the line before, and there is more');
    return undefined;
  }

  /** Checks the sum before anything else is believed. */
  #unsealed(line: Line): Fields {
    const sealed = unseal(line.bytes);
    if (sealed === undefined) {
      if (!line.isEnded) throw this.#cutShort(line.number);
      throw this.#malformed(
        line,
        parsed(line.bytes) === undefined ? 'it is not JSON' : 'it does not end in a checksum',
      );
    }
    const sum = nextSum(this.#sum, sealed.body);
    if (sum !== sealed.sum) {
      throw new ApiError('Corrupt', {
        what: `line ${line.number} of ${this.#file}`,
        reason: 'its checksum does not match: it was changed, or lines before it are missing',
      });
    }
    this.#sum = sum;
    const fields = parsed(line.bytes);
    if (!isPlainObject(fields)) throw this.#malformed(line, 'it is not a JSON object');
    return fields;
  }

  #malformed(line: Line, reason: string, cause?: unknown): ApiError {
    return malformed(this.#file, line.number, reason, cause);
  }

  #cutShort(line: number): ApiError {
    return new ApiError('Corrupt', {
      what: this.#file,
      reason: `it was cut short at line ${line}: its end is missing`,
    });
  }
}

const strictText = new TextDecoder('utf-8', { fatal: true });

/** Nothing if it is not JSON in UTF-8; JSON itself has no undefined. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(strictText.decode(bytes));
  } catch {
    return undefined;
  }
}

function bytesOf(value: unknown, base64: unknown): Uint8Array | undefined {
  if (value !== undefined) return base64 === undefined ? jsonBytes(value) : undefined;
  if (typeof base64 !== 'string') return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : undefined;
}

/** A value that is nested too deep can be read, but not written again. */
function jsonBytes(value: unknown): Uint8Array | undefined {
  try {
    return Buffer.from(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
