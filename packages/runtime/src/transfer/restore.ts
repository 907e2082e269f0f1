/** Restores a backup into an empty registry. */
import { ApiError } from '../api/errors.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { Revision, Store } from '../store/contract.ts';
import type { BackupHeader, BackupSummary } from './format.ts';
import { isCarried, type LeadershipOption } from './leadership.ts';
import type { TransferOptions } from './progress.ts';
import { readBackup } from './reader.ts';
import { type ClaimOptions, Target } from './target.ts';
import { inspectTarget, type TargetOption } from './target-check.ts';

/**
 * The bytes of a backup. With a function that opens it for each read, it is read twice, so that a damaged one is detected
 * before anything is written; a stream can be read only once, and its lines are checked as they arrive.
 */
export type BackupSource = AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>);

export interface VerifyOptions extends TransferOptions {
  /** The name of the backup in errors. Default `backup`. */
  readonly file?: string;
}

export interface RestoreOptions extends VerifyOptions, LeadershipOption, TargetOption {
  readonly clock?: Clock;
}

export interface RestoreSummary {
  /** The restored backup, with its revision and time. */
  readonly backup: BackupSummary;
  /** Written to the target. */
  readonly objects: number;
  readonly bytes: number;
  /** Leases and fences that were left out. */
  readonly leftOut: number;
  /** The target's revision afterwards. */
  readonly revision: Revision;
}

/** Progress is reported every this many objects while a backup is verified. */
const progressObjects = 500;

/** Reads a backup to its end and checks everything. Throws `Malformed` or `Corrupt` with the first invalid line. */
export async function verifyBackup(
  chunks: AsyncIterable<Uint8Array>,
  options: VerifyOptions = {},
): Promise<BackupSummary> {
  const { file = 'backup', signal, onProgress } = options;
  let objects = 0;
  let bytes = 0;
  let summary: BackupSummary | undefined;
  for await (const part of readBackup(chunks, file)) {
    signal?.throwIfAborted();
    if (part.is === 'end') summary = part.summary;
    if (part.is !== 'record') continue;
    objects++;
    bytes += part.entry.value.byteLength;
    if (objects % progressObjects === 0) onProgress?.({ phase: 'verifying', objects, bytes });
  }
  return summary ?? missingEnd();
}

/**
 * Fills an empty registry from a backup. The objects keep uid, generation and times; their `resourceVersion` is that of
 * the new store. Objects of unknown kinds are restored unchanged. No other client may use the target meanwhile.
 *
 * Nothing is overwritten: throws `Forbidden`, with the contents, if the target is not empty. A restore that is
 * interrupted, or that finds damaged input, leaves a target that `incompleteTransfer` recognises; restoring again, from
 * the same backup or another, clears the target and starts over. At the end the target is read back and compared.
 */
export async function restore(
  source: BackupSource,
  store: Store,
  options: RestoreOptions = {},
): Promise<RestoreSummary> {
  if (typeof source !== 'function') return fill(source, store, options);
  // Before the backup is verified, because this check is fast.
  await inspectTarget(store, options);
  const verified = await verifyBackup(source(), options);
  return fill(source(), store, options, verified);
}

async function fill(
  chunks: AsyncIterable<Uint8Array>,
  store: Store,
  options: RestoreOptions,
  verified?: BackupSummary,
): Promise<RestoreSummary> {
  const { file = 'backup' } = options;
  let target: Target | undefined;
  let summary: BackupSummary | undefined;
  let leftOut = 0;
  for await (const part of readBackup(chunks, file)) {
    switch (part.is) {
      case 'header':
        target = await Target.claim(store, claimOf(part.header, file, options, verified));
        break;
      case 'record':
        if (isCarried(part.entry.key, options)) await target?.add(part.entry.key, part.entry.value);
        else leftOut++;
        break;
      case 'end':
        summary = part.summary;
    }
  }
  if (target === undefined || summary === undefined) return missingEnd();
  if (verified !== undefined && verified.sum !== summary.sum)
    throw new ApiError('Corrupt', { what: file, reason: 'it was replaced while it was being restored' });
  const revision = await target.finish();
  return { backup: summary, objects: target.objects, bytes: target.bytes, leftOut, revision };
}

function claimOf(
  { revision, time }: BackupHeader,
  file: string,
  options: RestoreOptions,
  verified: BackupSummary | undefined,
): ClaimOptions {
  return {
    ...options,
    transfer: 'restore',
    source: `${file} (revision ${revision} of ${time})`,
    clock: options.clock ?? systemClock,
    ...(verified === undefined ? {} : { objectsTotal: verified.objects }),
  };
}

/** Not reached: the reader yields an end or throws. */
function missingEnd(): never {
  throw new ApiError('Internal', { reason: 'a backup was read without an end' });
}
