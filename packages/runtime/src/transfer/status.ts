/** The status of a registry, for administrators. It is the same for every store. */
import type { Damage, Revision, Store, StoreProblem } from '../store/contract.ts';
import { type KindCount, KindCounter } from './kind-counter.ts';
import { type IncompleteTransfer, incompleteTransfer, markerKey } from './marker.ts';
import { snapshot } from './snapshot.ts';

export interface RegistryStatus {
  /** The revision of everything below, except `problems`, which are the current ones. */
  readonly revision: Revision;
  /** Of any kind, known or not. */
  readonly objects: number;
  /** Of their values; a store needs more space than that. */
  readonly bytes: number;
  /** Sorted by prefix. */
  readonly kinds: readonly KindCount[];
  /** Records that are not objects, such as fences. */
  readonly others: readonly KindCount[];
  /** Records whose stored bytes cannot be read: the first of them, and their number. */
  readonly damaged: readonly Damage[];
  readonly damagedCount: number;
  /** Problems that need an operator, such as a file with an invalid edit. */
  readonly problems: readonly StoreProblem[];
  /** Set if a restore or a migration into this registry was not finished: then it must not be used. */
  readonly incomplete?: IncompleteTransfer;
}

export const damagedShownMax = 100;

/** Reads everything once, page by page. Throws `Expired` if it was compacted meanwhile: call it again. */
export async function registryStatus(
  store: Store,
  options: { readonly signal?: AbortSignal } = {},
): Promise<RegistryStatus> {
  const counter = new KindCounter();
  const damaged: Damage[] = [];
  let damagedCount = 0;
  let revision = 0;
  for await (const page of snapshot(store, { ...options, leaveOutDamaged: true })) {
    revision = page.revision;
    for (const { key, value } of page.entries) if (key !== markerKey) counter.add(key, value.byteLength);
    damagedCount += page.damaged.length;
    damaged.push(...page.damaged.slice(0, damagedShownMax - damaged.length));
  }
  const incomplete = await incompleteTransfer(store);
  const { kinds, others } = counter;
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
