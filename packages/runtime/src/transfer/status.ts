/** Facts about a registry that every store can tell, for people who look after one. */
import type { Damage, Revision, Store, StoreProblem } from '../store/contract.ts';
import { Census, type KindCount } from './census.ts';
import { type IncompleteTransfer, incompleteTransfer, markerKey } from './marker.ts';
import { snapshot } from './snapshot.ts';

export interface RegistryStatus {
  /** Everything below is as of this revision, but for `problems`, which are those of the moment. */
  readonly revision: Revision;
  /** Of any kind, known or not. */
  readonly objects: number;
  /** Of their values; a store needs more room than that. */
  readonly bytes: number;
  /** Sorted by prefix. */
  readonly kinds: readonly KindCount[];
  /** Records that are no objects, such as fences. */
  readonly others: readonly KindCount[];
  /** Records whose stored bytes cannot be read: the first of them, and how many there are. */
  readonly damaged: readonly Damage[];
  readonly damagedCount: number;
  /** What only a person can put right, such as a file that holds an edit which is not valid. */
  readonly problems: readonly StoreProblem[];
  /** Set if a restore or a migration into this registry was not finished: then it is not to be used. */
  readonly incomplete?: IncompleteTransfer;
}

export const damagedShownMax = 100;

/** Reads everything once, a page at a time. `Expired`: it was compacted meanwhile, ask again. */
export async function registryStatus(
  store: Store,
  options: { readonly signal?: AbortSignal } = {},
): Promise<RegistryStatus> {
  const census = new Census();
  const damaged: Damage[] = [];
  let damagedCount = 0;
  let revision = 0;
  for await (const page of snapshot(store, { ...options, leaveOutDamaged: true })) {
    revision = page.revision;
    for (const { key, value } of page.entries) if (key !== markerKey) census.add(key, value.byteLength);
    damagedCount += page.damaged.length;
    damaged.push(...page.damaged.slice(0, damagedShownMax - damaged.length));
  }
  const incomplete = await incompleteTransfer(store);
  const { kinds, others } = census;
  return {
    revision,
    objects: sumOf(kinds, 'objects'),
    bytes: sumOf(kinds, 'bytes'),
    kinds,
    others,
    damaged,
    damagedCount,
    problems: store.problems?.() ?? [],
    ...(incomplete === undefined ? {} : { incomplete }),
  };
}

function sumOf(counts: readonly KindCount[], field: 'objects' | 'bytes'): number {
  return counts.reduce((sum, count) => sum + count[field], 0);
}
