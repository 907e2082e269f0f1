/**
 * The rows of the log. Every value that a key ever had is one row; its number encodes the commit and the position in it.
 * SQLite has no checksums for its pages, so each row has one of its own.
 */
import { crc32 } from 'node:zlib';
import { ApiError } from '../../api/errors.ts';
import { limits, type Revision } from '../contract.ts';

export interface Row {
  readonly number: number;
  readonly key: string;
  /** The revision that created the key. */
  readonly created: Revision;
  /** The number of the row with the previous value, 0 if there is none. */
  readonly previous: number;
  /** Time of the commit, milliseconds since the epoch. */
  readonly timeMs: number;
  /** Undefined if the key was deleted. */
  readonly value: Uint8Array | undefined;
}

/** Where the newest value of a key is. `created` is 0 if the key was deleted. */
export interface Pointer {
  readonly row: number;
  readonly created: Revision;
}

/** The rows of one commit have consecutive numbers, in the order of its writes. */
export function rowNumber(revision: Revision, position: number): number {
  return revision * limits.commitWritesMax + position;
}

export function revisionOf(row: number): Revision {
  return Math.floor(row / limits.commitWritesMax);
}

export function checksumOf({ number, key, created, previous, timeMs, value }: Row): number {
  const head = crc32(`${number} ${key} ${created} ${previous} ${timeMs} ${value === undefined ? 'deleted' : 'put'}`);
  // Not of an empty value: zlib returns 0 for a buffer without memory, whatever the initial value.
  return value === undefined || value.byteLength === 0 ? head : crc32(value, head);
}

/** Throws `Corrupt` if a row is not as it was written. */
export function checkRow(row: Row, checksum: number): void {
  if (checksumOf(row) === checksum) return;
  throw new ApiError('Corrupt', {
    what: `row ${row.number} of the registry's log`,
    reason: 'its checksum does not match',
  });
}
