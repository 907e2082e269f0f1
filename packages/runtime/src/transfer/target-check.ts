/** Checks that a store can be filled: it is empty, or holds only an unfinished transfer. */
import { ApiError } from '../api/errors.ts';
import type { ListOptions, Store, VersionPage } from '../store/contract.ts';
import { KindCounter } from './kind-counter.ts';
import { type IncompleteTransfer, markerKey, readMarker } from './marker.ts';

export interface TargetOption {
  /**
   * Also remove what other clients have written to an incomplete target. Default false: throws `Forbidden`, because it
   * may be needed. A complete target is never overwritten, whatever this option.
   */
  readonly startOver?: boolean;
}

const pageEntries = 5_000;

/** Returns the number of objects of an unfinished transfer, 0 if it is empty. Throws `Forbidden` with other contents. */
export async function inspectTarget(store: Store, { startOver = false }: TargetOption): Promise<number> {
  const marker = (await readMarker(store))?.marker;
  const counter = new KindCounter();
  let isAltered = false;
  let hasWriting = false;
  for await (const page of versionPages(store)) {
    for (const [index, key] of page.keys.entries()) {
      if (key === markerKey) continue;
      counter.add(key);
      // A transfer writes each object once.
      if (page.revisions[index] !== page.created[index]) isAltered = true;
      if (key === marker?.writing) hasWriting = true;
    }
  }
  if (marker === undefined) return counter.objects === 0 ? 0 : refuseFull(counter);
  const isOurs = !isAltered && counter.objects === marker.objects + (hasWriting ? 1 : 0);
  if (!isOurs && !startOver) refuseShared(marker, counter);
  return counter.objects;
}

export async function* versionPages(store: Store): AsyncGenerator<VersionPage, void> {
  let cursor: ListOptions | undefined = {};
  while (cursor !== undefined) {
    const page: VersionPage = await store.versions('', { ...cursor, limit: pageEntries });
    yield page;
    cursor = page.next === undefined ? undefined : { at: page.revision, after: page.next };
  }
}

function refuseFull(counter: KindCounter): never {
  throw new ApiError('Forbidden', {
    reason: `the target is not empty, and nothing is overwritten: it holds ${counter.describe()}`,
  });
}

function refuseShared({ transfer, source, started }: IncompleteTransfer, counter: KindCounter): never {
  const found = counter.objects === 0 ? 'nothing' : counter.describe();
  throw new ApiError('Forbidden', {
    reason:
      `the target holds an unfinished ${transfer} of ${source}, started ${started}, but others have written to it since: ` +
      `it holds ${found}; start over to remove all of it`,
    remedy: 'startOver',
  });
}
