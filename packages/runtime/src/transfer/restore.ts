/** A backup, put into an empty registry. */
import { ApiError } from '../api/errors.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { Revision, Store } from '../store/contract.ts';
import type { BackupHeader, BackupSummary } from './format.ts';
import { isCarried, type LeadershipOption } from './leadership.ts';
import type { TransferOptions } from './progress.ts';
import { readBackup } from './reader.ts';
import { type ClaimOptions, Target } from './target.ts';
import { inspectTarget, type TargetOption } from './vacancy.ts';

/**
 * The bytes of a backup. A function that opens it anew each time allows it to be read twice, so that a damaged one is
 * found before anything is written; a stream can be read only once, and its lines are checked as they come.
 */
export type BackupSource = AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>);

export interface VerifyOptions extends TransferOptions {
  /** How errors call the backup. Default `backup`. */
  readonly file?: string;
}

export interface RestoreOptions extends VerifyOptions, LeadershipOption, TargetOption {
  readonly clock?: Clock;
}

export interface RestoreSummary {
  /** What was restored: the registry as of this revision, at this time. */
  readonly backup: BackupSummary;
  /** Written to the target. */
  readonly objects: number;
  readonly bytes: number;
  /** Leases and fences that were left out. */
  readonly leftOut: number;
  /** The target's revision afterwards. */
  readonly revision: Revision;
}

/** How often progress is told while a backup is only read. */
const progressObjects = 500;

/** Reads a backup to its end and checks everything. `Malformed` or `Corrupt` name the first line that is wrong. */
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
  return summary ?? endless();
}

/**
 * Fills an empty registry from a backup. Identity and history of the objects stay (uid, generation, times); their
 * `resourceVersion` becomes the new store's. Objects of kinds that this program does not know are kept as they are.
 * Nobody may work on the target meanwhile.
 *
 * Nothing is ever overwritten: `Forbidden` says what a target that is not empty holds. A restore that is interrupted, or
 * that finds its input damaged half way, leaves a target that `incompleteTransfer` recognises; restoring again, from the
 * same backup or another, removes what is there and starts over. At the end the target is read back and compared.
 */
export async function restore(
  source: BackupSource,
  store: Store,
  options: RestoreOptions = {},
): Promise<RestoreSummary> {
  if (typeof source !== 'function') return fill(source, store, options);
  // Before the long look at the backup, because this one is short.
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
  if (target === undefined || summary === undefined) return endless();
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

/** The reader promises an end, or throws. */
function endless(): never {
  throw new ApiError('Internal', { reason: 'a backup was read without an end' });
}
