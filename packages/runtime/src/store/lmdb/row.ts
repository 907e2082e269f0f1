/**
 * How a change is written down. Every value that a key ever had is one row of the log, found by its row number:
 *
 *     byte  0      1 if the key was deleted, else 0
 *     byte  4      CRC-32 of everything behind it
 *     byte  8      revision that created the key
 *     byte 16      row that held the value before, 0 if none
 *     byte 24      time of the commit, milliseconds
 *     byte 32      length of the key, then the key, then the value
 *
 * LMDB itself has no checksums, so the CRC is what tells a damaged value from a good one.
 */
import { crc32 } from 'node:zlib';
import { ApiError } from '../../api/errors.ts';
import { limits, type Revision } from '../contract.ts';

const headerBytes = 34;

export interface Row {
  readonly deleted: boolean;
  readonly created: Revision;
  readonly previous: number;
  readonly timeMs: number;
  readonly key: string;
  /** A view into the bytes given: copy it before the next read. */
  readonly value: Buffer;
}

/** The rows of one commit are neighbours, in the order of its writes. */
export function rowNumber(revision: Revision, position: number): number {
  return revision * limits.commitWritesMax + position;
}

export function revisionOf(row: number): Revision {
  return Math.floor(row / limits.commitWritesMax);
}

export type NewRow = Omit<Row, 'value'> & { readonly value: Uint8Array };

export function sizeOf({ key, value }: NewRow): number {
  return headerBytes + key.length + value.byteLength;
}

/** Writes a row into `bytes`, which has its size. */
export function encodeRow(row: NewRow, bytes: Buffer): void {
  bytes.writeUInt32LE(row.deleted ? 1 : 0, 0);
  bytes.writeDoubleLE(row.created, 8);
  bytes.writeDoubleLE(row.previous, 16);
  bytes.writeDoubleLE(row.timeMs, 24);
  bytes.writeUInt16LE(row.key.length, 32);
  bytes.write(row.key, headerBytes, 'latin1');
  bytes.set(row.value, headerBytes + row.key.length);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
}

/** What compaction needs to know of a row. The value is not looked at, so neither is the checksum. */
export interface RowHead {
  readonly deleted: boolean;
  readonly previous: number;
  readonly timeMs: number;
  /** Only of deletions. */
  readonly key: string;
}

export function decodeHead(bytes: Buffer): RowHead {
  const deleted = bytes[0] === 1;
  const key = deleted ? bytes.toString('latin1', headerBytes, headerBytes + bytes.readUInt16LE(32)) : '';
  return { deleted, previous: bytes.readDoubleLE(16), timeMs: bytes.readDoubleLE(24), key };
}

export function decodeRow(bytes: Buffer, number: number): Row {
  const value = decodeValue(bytes, number);
  return {
    deleted: bytes[0] === 1,
    created: bytes.readDoubleLE(8),
    previous: bytes.readDoubleLE(16),
    timeMs: bytes.readDoubleLE(24),
    key: bytes.toString('latin1', headerBytes, headerBytes + bytes.readUInt16LE(32)),
    value,
  };
}

/** Only the value: a view into the bytes, once their checksum is found right. */
export function decodeValue(bytes: Buffer, number: number): Buffer {
  const length = bytes.length;
  const start = length < headerBytes ? length : headerBytes + bytes.readUInt16LE(32);
  if (length < headerBytes || length < start || crc32(bytes.subarray(8, length)) !== bytes.readUInt32LE(4)) {
    throw new ApiError('Corrupt', {
      what: `row ${number} of the registry's log`,
      reason: 'its checksum does not match',
    });
  }
  return bytes.subarray(start, length);
}
