/** The limits of S3, and those that bound memory and time here. */

const mebibyte = 1024 * 1024;

export interface S3Limits {
  /** A larger object is uploaded in parts of this size, two of which are in memory. At least 5 MiB by S3's rules. */
  readonly partBytes: number;
  /** Parts after half of `partsMax`: so an object may be larger than any etcd database, and smaller ones have equal parts. */
  readonly latePartBytes: number;
  /** S3's limit. */
  readonly partsMax: number;
  /** Of one part, in memory at once: one is read while another is sent, or both are sent. */
  readonly partsInMemoryMax: number;
  /** Keys in an answer to a list. S3's limit. */
  readonly pageKeysMax: number;
  /** Pages of one list: ten million objects. */
  readonly pagesMax: number;
  /** Of an answer that is not an object. 1,000 keys of 1,024 bytes, each with its other fields. */
  readonly answerBytesMax: number;
  /** A request fails when no byte was sent or received for so long. */
  readonly idleMsMax: number;
  /** The same while a store assembles the parts of an object. */
  readonly completeIdleMsMax: number;
  /** Sends of one request, if it fails for a reason that may pass. */
  readonly attemptsMax: number;
  /** How often an object that is read may be requested again from where it was cut. */
  readonly resumesMax: number;
  readonly backoffMsMin: number;
  readonly backoffMsMax: number;
  /** A connection that was not used for so long is closed. Most servers close them later. */
  readonly connectionIdleMsMax: number;
}

export const s3LimitsDefault: S3Limits = {
  partBytes: 8 * mebibyte,
  latePartBytes: 64 * mebibyte,
  partsMax: 10_000,
  partsInMemoryMax: 2,
  pageKeysMax: 1_000,
  pagesMax: 10_000,
  answerBytesMax: 8 * mebibyte,
  idleMsMax: 30_000,
  completeIdleMsMax: 300_000,
  attemptsMax: 6,
  resumesMax: 20,
  backoffMsMin: 200,
  backoffMsMax: 10_000,
  connectionIdleMsMax: 15_000,
};

/** The size of a part, which are counted from 1. */
export function partBytes(number: number, limits: S3Limits): number {
  return number <= limits.partsMax / 2 ? limits.partBytes : limits.latePartBytes;
}

/** The largest object. */
export function objectBytesMax(limits: S3Limits): number {
  return (limits.partsMax / 2) * (limits.partBytes + limits.latePartBytes);
}
