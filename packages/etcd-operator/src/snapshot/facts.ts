/**
 * What a snapshot contains: what `etcdutl snapshot status` prints, the number of keys, and the hash that the server computes
 * of its keys (`HashKV`), with which a copy can be compared with its source.
 */
import { open } from 'node:fs/promises';
import { BoltFile } from './bolt/file.ts';
import type { LeafSums } from './bolt/leaf-sums.ts';
import { type Bucket, damaged } from './bolt/page.ts';
import { crcOf, crcShift, crcStart, crcUpdate } from './crc32c.ts';
import { SnapshotError } from './error.ts';
import { LatestRevisions } from './latest-revisions.ts';
import { isTombstone, keyAfter, mainRevisionAt, readRecord, revisionIn, subRevisionAt } from './record.ts';
import { RunningCrc } from './running-crc.ts';

export interface SnapshotFacts {
  /** Of all buckets, keys and values, in 8 hexadecimal digits. */
  readonly hash: string;
  /** The newest one. */
  readonly revision: string;
  /** Of all buckets, with all revisions: what etcdutl calls `totalKey`. */
  readonly totalKeys: number;
  /** Of the database. */
  readonly totalSizeBytes: number;
  /** Such as `3.6.0`; empty before 3.6. */
  readonly storageVersion: string;
  /** 0 if the history is complete. */
  readonly compactRevision: string;
  /** As `EtcdClient.hashKV` returns it at the newest revision. */
  readonly hashKV: string;
  /** Keys at the newest revision. */
  readonly keys: number;
  readonly isAuthEnabled: boolean;
}

/** Of the SHA-256 at the end. */
export const trailerBytes = 32;
/** The smallest size of a page: a snapshot is a number of them, and the trailer. */
const sectorBytes = 512;
const metaKeys = ['scheduledCompactRev', 'finishedCompactRev', 'storageVersion'];

/** Throws `SnapshotError` if the size is not that of a snapshot with its checksum. */
export function checkSize(sizeBytes: number): void {
  if (sizeBytes % sectorBytes === trailerBytes && sizeBytes > trailerBytes) return;
  if (sizeBytes > 0 && sizeBytes % sectorBytes === 0) {
    const remedy = 'make one with "etcdctl snapshot save", not by copying the file of a member';
    throw new SnapshotError(
      'NotSnapshot',
      `the file has no checksum at its end, so it is not a whole snapshot; ${remedy}`,
    );
  }
  const problem = `a size of ${sizeBytes} bytes is not that of a snapshot`;
  throw new SnapshotError(
    'Truncated',
    `the snapshot is cut: ${problem}; fetch or copy it again, or use another backup`,
  );
}

interface FactsOptions {
  readonly signal?: AbortSignal;
  /** Called with the newest revision, which is known long before the other facts. */
  readonly onRevision?: (revision: string) => void;
  /** Of the same bytes, computed while they were written. */
  readonly sums?: LeafSums;
}

/** Throws `SnapshotError`. The checksum at the end is not verified here. */
export async function readFacts(path: string, options: FactsOptions = {}): Promise<SnapshotFacts> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    checkSize(size);
    const file = await BoltFile.open(handle, size - trailerBytes);
    if (file.sizeBytes !== size - trailerBytes) {
      const problem = `it has ${size - trailerBytes} bytes, and its database says ${file.sizeBytes}`;
      throw new SnapshotError('Corrupt', `the snapshot is damaged: ${problem}; use another backup`);
    }
    return await factsOf(file, options);
  } finally {
    await handle.close();
  }
}

async function factsOf(file: BoltFile, { signal, onRevision, sums }: FactsOptions): Promise<SnapshotFacts> {
  const buckets = await file.buckets();
  const options = signal ? { signal } : {};
  const meta = await valuesOf(file, buckets, 'meta', metaKeys);
  const auth = await valuesOf(file, buckets, 'auth', ['authEnabled']);
  const keyBucket = buckets.find(({ name }) => name === 'key');
  if (!keyBucket) throw new SnapshotError('NotSnapshot', 'the file is not a snapshot of etcd: it has no keys');
  onRevision?.(String(revisionIn(await file.lastKey(keyBucket)) ?? 0));
  const finished = revisionIn(meta.get('finishedCompactRev')) ?? 0;
  const scheduled = revisionIn(meta.get('scheduledCompactRev')) ?? 0;
  const history = new History(Math.max(finished, scheduled), scheduled <= finished);
  await history.prepare(file, keyBucket, signal);
  const crc = new RunningCrc(sums);
  let totalKeys = 0;
  for (const bucket of buckets) {
    crc.addText(bucket.name);
    if (bucket === keyBucket) history.start(crc.register);
    await file.walkPages(
      bucket,
      (bytes, keyAt, keyEnd, valueEnd) => {
        totalKeys++;
        if (bucket === keyBucket) history.take(bytes, keyAt, keyEnd, valueEnd, crc);
        else crc.add(bytes, keyAt, valueEnd);
      },
      (page) => crc.endPage(page),
      options,
    );
    if (bucket === keyBucket) history.end(crc.register);
  }
  return {
    hash: crcOf(crc.register).toString(16).padStart(8, '0'),
    totalKeys,
    totalSizeBytes: file.sizeBytes,
    storageVersion: meta.get('storageVersion')?.toString('utf8') ?? '',
    isAuthEnabled: auth.get('authEnabled')?.[0] === 1,
    ...history.result(),
  };
}

/** The bucket `key`: one record for each change that was not compacted. */
class History {
  readonly #compactRevision: number;
  /** Whether the records that the compaction removes are gone: a key then has one record before it at most. */
  readonly #isFinished: boolean;
  /** Of the keys that changed after the compaction, or of all if it is not finished. */
  readonly #latest = new LatestRevisions();
  #revision = 0;
  #keys = 0;
  /** The register of the hash differs from that of all records by this, `#sharedBytes` ago. */
  #difference = 0;
  #sharedBytes = 0;
  #hashKV = 0;

  constructor(compactRevision: number, isFinished: boolean) {
    this.#compactRevision = compactRevision;
    this.#isFinished = isFinished;
  }

  /** A record before the compaction belongs to the hash only if its key did not change since. */
  async prepare(file: BoltFile, bucket: Bucket, signal: AbortSignal | undefined): Promise<void> {
    if (this.#compactRevision === 0) return;
    const from = keyAfter(this.#isFinished ? this.#compactRevision : 0);
    const options = { from, ...(signal ? { signal } : {}) };
    await file.walk(
      bucket,
      (bytes, keyAt, keyEnd, valueEnd) => {
        const { userKeyAt, userKeyEnd } = readRecord(bytes, keyEnd, valueEnd);
        const main = mainRevisionAt(bytes, keyAt, keyEnd);
        this.#latest.set(bytes, userKeyAt, userKeyEnd, main, subRevisionAt(bytes, keyAt));
      },
      options,
    );
  }

  /** The hash starts with the name of the bucket, as the bucket itself does in the hash of all. */
  start(register: number): void {
    this.#difference = register ^ crcUpdateText(crcStart, 'key');
    this.#sharedBytes = 0;
  }

  /** Adds a record. */
  take(bytes: Buffer, keyAt: number, keyEnd: number, valueEnd: number, crc: RunningCrc): void {
    const main = mainRevisionAt(bytes, keyAt, keyEnd);
    const isDeletion = isTombstone(bytes, keyAt, keyEnd);
    const { userKeyAt, userKeyEnd, version } = readRecord(bytes, keyEnd, valueEnd);
    const isCompacted = main <= this.#compactRevision;
    const isLatest =
      !isCompacted && this.#isFinished
        ? undefined
        : !this.#latest.hasLater(bytes, userKeyAt, userKeyEnd, main, subRevisionAt(bytes, keyAt));
    this.#revision = main;
    // The record that `etcdutl snapshot restore --bump-revision` adds has no key.
    const isKey = userKeyEnd > userKeyAt;
    if (!this.#isFinished) this.#keys += isKey && isLatest && !isDeletion ? 1 : 0;
    else if (isCompacted) this.#keys += isKey && !isDeletion ? 1 : 0;
    else this.#keys += isDeletion ? -1 : version === 1 ? 1 : 0;
    if (isCompacted && (isDeletion || !isLatest)) {
      const own = crc.register ^ crcShift(this.#difference, this.#sharedBytes);
      crc.add(bytes, keyAt, valueEnd);
      this.#difference = crc.register ^ own;
      this.#sharedBytes = 0;
    } else {
      crc.add(bytes, keyAt, valueEnd);
      this.#sharedBytes += valueEnd - keyAt;
    }
  }

  end(register: number): void {
    this.#hashKV = crcOf(register ^ crcShift(this.#difference, this.#sharedBytes));
  }

  result(): Pick<SnapshotFacts, 'revision' | 'compactRevision' | 'hashKV' | 'keys'> {
    if (this.#keys < 0) throw damaged('it has more deletions than keys');
    return {
      revision: String(this.#revision),
      compactRevision: String(this.#compactRevision),
      hashKV: this.#hashKV.toString(16),
      keys: this.#keys,
    };
  }
}

async function valuesOf(
  file: BoltFile,
  buckets: readonly Bucket[],
  name: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const values = new Map<string, Buffer>();
  const bucket = buckets.find((other) => other.name === name);
  if (!bucket) return values;
  await file.walk(bucket, (bytes, keyAt, keyEnd, valueEnd) => {
    const key = bytes.toString('utf8', keyAt, keyEnd);
    if (keys.includes(key)) values.set(key, Buffer.from(bytes.subarray(keyEnd, valueEnd)));
  });
  return values;
}

function crcUpdateText(register: number, text: string): number {
  const bytes = Buffer.from(text, 'utf8');
  return crcUpdate(register, bytes, 0, bytes.byteLength);
}
