/** Whether a store may be filled: it is empty, or holds an unfinished transfer and nothing else. */
import { ApiError } from '../api/errors.ts';
import type { ListOptions, Store, VersionPage } from '../store/contract.ts';
import { Census } from './census.ts';
import { type IncompleteTransfer, markerKey, readMarker } from './marker.ts';

export interface TargetOption {
  /**
   * Also remove what others have written to an incomplete target. Default false: that is refused, because somebody may
   * want to keep it. A target that is complete is never overwritten, whatever this says.
   */
  readonly startOver?: boolean;
}

const pageEntries = 5_000;

/** How many objects an unfinished transfer left behind; 0 if it is empty. `Forbidden` says what else there is. */
export async function inspectTarget(store: Store, { startOver = false }: TargetOption): Promise<number> {
  const marker = (await readMarker(store))?.marker;
  const census = new Census();
  let isAltered = false;
  let hasWriting = false;
  for await (const page of versionPages(store)) {
    for (const [index, key] of page.keys.entries()) {
      if (key === markerKey) continue;
      census.add(key);
      // A transfer writes each object once.
      if (page.revisions[index] !== page.created[index]) isAltered = true;
      if (key === marker?.writing) hasWriting = true;
    }
  }
  if (marker === undefined) return census.objects === 0 ? 0 : refuseFull(census);
  const isOurs = !isAltered && census.objects === marker.objects + (hasWriting ? 1 : 0);
  if (!isOurs && !startOver) refuseShared(marker, census);
  return census.objects;
}

export async function* versionPages(store: Store): AsyncGenerator<VersionPage, void> {
  let cursor: ListOptions | undefined = {};
  while (cursor !== undefined) {
    const page: VersionPage = await store.versions('', { ...cursor, limit: pageEntries });
    yield page;
    cursor = page.next === undefined ? undefined : { at: page.revision, after: page.next };
  }
}

function refuseFull(census: Census): never {
  throw new ApiError('Forbidden', {
    reason: `the target is not empty, and nothing is overwritten: it holds ${census.describe()}`,
  });
}

function refuseShared({ transfer, source, started }: IncompleteTransfer, census: Census): never {
  const found = census.objects === 0 ? 'nothing' : census.describe();
  throw new ApiError('Forbidden', {
    reason:
      `the target holds an unfinished ${transfer} of ${source}, begun ${started}, but others have written to it since: ` +
      `it holds ${found}; start over to remove all of that`,
    remedy: 'startOver',
  });
}
