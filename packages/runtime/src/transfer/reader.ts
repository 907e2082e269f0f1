/**
 * Reads and verifies a backup: each line is checked before it is returned, and the end has to be present.
 *
 * - `Malformed`: not a backup, or a version that this program does not support; with file and line.
 * - `Corrupt`: a backup that was truncated or changed; with the line.
 */
import { ApiError } from '../api/errors.ts';
import { isPlainObject } from '../api/json.ts';
import type { Entry } from '../store/contract.ts';
import { checkKey } from '../store/validate.ts';
import { nextSum } from './digest.ts';
import { type BackupHeader, type BackupSummary, backupFormat, backupVersion, unseal } from './format.ts';
import { foreignFormat, type Line, malformed, splitLines } from './lines.ts';
import { markerKey } from './marker.ts';

type BackupPart =
  | { readonly is: 'header'; readonly header: BackupHeader }
  | { readonly is: 'record'; readonly entry: Entry }
  | { readonly is: 'end'; readonly summary: BackupSummary };

type Fields = Readonly<Record<string, unknown>>;

/** Yields the header first and the end last; throws if there is no end. `file` is its name in errors. */
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
  #isEnded = false;

  constructor(file: string) {
    this.#file = file;
  }

  read(line: Line): BackupPart | undefined {
    if (this.#isEnded) return this.#readAfterEnd(line);
    if (this.#header === undefined) {
      this.#header = this.#readHeader(line);
      return { is: 'header', header: this.#header };
    }
    const fields = this.#unsealed(line);
    if (Object.hasOwn(fields, 'end')) return { is: 'end', summary: this.#readEnd(line, fields, this.#header) };
    return { is: 'record', entry: this.#readRecord(line, fields) };
  }

  finish(lines: number): void {
    if (this.#isEnded) return;
    if (lines === 0) throw malformed(this.#file, 1, 'it is empty');
    throw this.#truncated(lines);
  }

  #readHeader(line: Line): BackupHeader {
    const foreign = foreignFormat(line.bytes);
    if (foreign !== undefined) throw this.#malformed(line, foreign);
    const claimed = parsed(line.bytes);
    if (!isPlainObject(claimed) || claimed.format !== backupFormat)
      throw this.#malformed(line, `it is not a backup of a registry: its first line has no "format":"${backupFormat}"`);
    // Before the sum, which may differ in other versions.
    if (claimed.version !== backupVersion) {
      const version = JSON.stringify(claimed.version);
      throw this.#malformed(line, `its format version is ${version}, but only ${backupVersion} is supported`);
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
    if (key === markerKey) throw this.#malformed(line, `"${key}" is not part of a registry`);
    if (key <= this.#lastKey) throw this.#malformed(line, `"${key}" may not come after "${this.#lastKey}"`);
    const bytes = bytesOf(value, base64);
    if (bytes === undefined) throw this.#malformed(line, 'it has no valid value');
    this.#lastKey = key;
    this.#objects++;
    this.#bytes += bytes.byteLength;
    return { key, created, revision, value: bytes };
  }

  #readEnd(line: Line, { objects, damaged }: Fields, header: BackupHeader): BackupSummary {
    if (objects !== this.#objects || !isCount(damaged))
      throw this.#malformed(line, `it ends with ${JSON.stringify(objects)} objects, and there are ${this.#objects}`);
    this.#isEnded = true;
    return { ...header, objects, bytes: this.#bytes, damaged, sum: this.#sum };
  }

  #readAfterEnd(line: Line): undefined {
    if (line.bytes.byteLength > 0) throw this.#malformed(line, 'there is more text after the end of the backup');
    return undefined;
  }

  /** Checks the sum before anything else. */
  #unsealed(line: Line): Fields {
    const sealed = unseal(line.bytes);
    if (sealed === undefined) {
      if (!line.isEnded) throw this.#truncated(line.number);
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

  #truncated(line: number): ApiError {
    return new ApiError('Corrupt', {
      what: this.#file,
      reason: `it was truncated at line ${line}: its end is missing`,
    });
  }
}

const strictText = new TextDecoder('utf-8', { fatal: true });

/** Returns undefined if it is not JSON in UTF-8; JSON itself has no undefined. */
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

/** A value that is nested too deep can be parsed, but not formatted. */
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
