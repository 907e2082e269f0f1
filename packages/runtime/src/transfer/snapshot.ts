/** Reads all records of a store at one revision, page by page; concurrent writes do not affect it. */
import { ApiError, isApiError } from '../api/errors.ts';
import type { Damage, Entry, EntryPage, ListOptions, Revision, Store } from '../store/contract.ts';
import { readMarker } from './marker.ts';

interface SnapshotOptions {
  /**
   * Skip records whose stored bytes are damaged. Default false: the first of them fails the transfer with `Corrupt`,
   * because an incomplete copy must not go unnoticed.
   */
  readonly leaveOutDamaged?: boolean;
  readonly signal?: AbortSignal;
}

export interface SnapshotPage {
  readonly revision: Revision;
  readonly entries: readonly Entry[];
  /** The records that were left out of this page. */
  readonly damaged: readonly Damage[];
}

/** At least one page. Throws `Forbidden` if the store holds an unfinished transfer, `Expired` if it is compacted. */
export async function* completeSnapshot(store: Store, options: SnapshotOptions): AsyncGenerator<SnapshotPage, void> {
  let isFirst = true;
  for await (const page of snapshot(store, options)) {
    if (isFirst) await refuseIncomplete(store, page.revision);
    isFirst = false;
    yield page;
  }
}

/** The same, for a store that may be incomplete. */
export async function* snapshot(store: Store, options: SnapshotOptions): AsyncGenerator<SnapshotPage, void> {
  let cursor: ListOptions | undefined;
  do {
    options.signal?.throwIfAborted();
    const page: EntryPage = await pageOf(store, cursor);
    const damaged = page.damaged ?? [];
    if (options.leaveOutDamaged !== true) refuseDamaged(damaged);
    yield { revision: page.revision, entries: page.entries, damaged };
    cursor = page.next === undefined ? undefined : { at: page.revision, after: page.next };
  } while (cursor !== undefined);
}

async function pageOf(store: Store, cursor: ListOptions | undefined): Promise<EntryPage> {
  try {
    return await store.list('', cursor);
  } catch (error) {
    if (cursor === undefined || !isApiError(error, 'Expired')) throw error;
    const reason = `revision ${cursor.at} was compacted while it was being read: start again from the beginning`;
    throw new ApiError('Expired', { reason }, error);
  }
}

async function refuseIncomplete(store: Store, revision: Revision): Promise<void> {
  const found = await readMarker(store, revision);
  if (found === undefined) return;
  const { transfer, source, started } = found.marker;
  throw new ApiError('Forbidden', {
    reason: `the registry is incomplete: the ${transfer} of ${source}, started ${started}, was not finished; repeat that first`,
  });
}

function refuseDamaged([first, ...others]: readonly Damage[]): void {
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  throw new ApiError('Corrupt', {
    what: `the record ${first.key}${more}`,
    reason: `${first.reason}; remove it, or leave damaged records out`,
  });
}
