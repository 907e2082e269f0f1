/** Migrates a registry from one store to another: `file:`, `sqlite:`, `etcd://` and `memory:`, in any direction. */
import { ApiError } from '../api/errors.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { Revision, Store } from '../store/contract.ts';
import { Digest } from './digest.ts';
import { isCarried, type LeadershipOption } from './leadership.ts';
import type { TransferOptions } from './progress.ts';
import { completeSnapshot, type SnapshotPage } from './snapshot.ts';
import { Target } from './target.ts';
import { inspectTarget, type TargetOption, versionPages } from './target-check.ts';

export interface MigrateOptions extends TransferOptions, LeadershipOption, TargetOption {
  /**
   * Skip records whose stored bytes are damaged; the summary counts them. Default false: the first of them fails the
   * migration with `Corrupt`.
   */
  readonly leaveOutDamaged?: boolean;
  /** The name of the source in the marker and in messages. Default `another store`. Never a URL with a password. */
  readonly name?: string;
  readonly clock?: Clock;
}

export interface MigrationSummary {
  /** The target holds the source as of this revision of the source. */
  readonly sourceRevision: Revision;
  /**
   * Whether the source has changed since, apart from leases and fences. Those changes are not in the target: stop the
   * clients of the source and migrate again, into an empty target.
   */
  readonly hasSourceChanged: boolean;
  readonly objects: number;
  readonly bytes: number;
  /** Leases and fences that were left out. */
  readonly leftOut: number;
  /** Damaged records that were left out. */
  readonly damaged: number;
  /** The target's revision afterwards. */
  readonly revision: Revision;
}

/**
 * Copies everything at one revision into an empty store, reads it back, and compares. The source is only read. No other
 * client may use the target meanwhile. As in `restore`, nothing is overwritten (`Forbidden`), an unfinished target is
 * recognisable, and migrating again starts over.
 */
export async function migrate(from: Store, to: Store, options: MigrateOptions = {}): Promise<MigrationSummary> {
  // Before the source is read, so that a refusal is cheap.
  await inspectTarget(to, options);
  const versions = new Digest();
  const damaged = new Set<string>();
  let target: Target | undefined;
  let sourceRevision = 0;
  let leftOut = 0;
  for await (const page of completeSnapshot(from, options)) {
    sourceRevision = page.revision;
    target ??= await claim(to, page, options);
    for (const { key } of page.damaged) damaged.add(key);
    for (const { key, value, revision } of page.entries) {
      if (isCarried(key, options)) {
        addVersion(versions, key, revision);
        await target.add(key, value);
      } else {
        leftOut++;
      }
    }
  }
  if (target === undefined) throw new ApiError('Internal', { reason: 'a snapshot without a page' });
  const revision = await target.finish();
  const hasSourceChanged = (await versionsNow(from, damaged, options)) !== versions.finish();
  const { objects, bytes } = target;
  return { sourceRevision, hasSourceChanged, objects, bytes, leftOut, damaged: damaged.size, revision };
}

function claim(to: Store, { revision }: SnapshotPage, options: MigrateOptions): Promise<Target> {
  const { name = 'another store', clock = systemClock } = options;
  return Target.claim(to, { ...options, transfer: 'migration', source: `${name} (revision ${revision})`, clock });
}

const nothing = new Uint8Array(0);

function addVersion(digest: Digest, key: string, revision: Revision): void {
  digest.add(`${key} ${revision}`, nothing);
}

/** Compares the revisions of records, because in a shared store the store's revision changes without a change here. */
async function versionsNow(from: Store, damaged: ReadonlySet<string>, options: MigrateOptions): Promise<string> {
  const digest = new Digest();
  for await (const { keys, revisions } of versionPages(from)) {
    for (const [index, key] of keys.entries()) {
      if (isCarried(key, options) && !damaged.has(key)) addVersion(digest, key, revisions[index] ?? 0);
    }
  }
  return digest.finish();
}
