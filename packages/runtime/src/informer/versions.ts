/**
 * What an informer remembers: for each key the revision it last saw, and nothing else. From that and what comes in,
 * by event or by list, it works out exactly what changed. It knows no time and no store.
 */
import type { Commit, Revision, VersionPage } from '../store/contract.ts';

export interface Change {
  readonly type: 'added' | 'updated' | 'deleted';
  /** The key in the store; `registry.locate` says which object it is. */
  readonly key: string;
  /** The revision of the change; of a deletion found by a list, that of the list. */
  readonly revision: Revision;
  /** Found by comparing a list with what was known, not told by an event. */
  readonly relisted: boolean;
  /** Was there before the informer had looked at all. */
  readonly initial: boolean;
}

export class Versions {
  readonly #known = new Map<string, Revision>();

  get size(): number {
    return this.#known.size;
  }

  revisionOf(key: string): Revision | undefined {
    return this.#known.get(key);
  }

  entries(): IterableIterator<[key: string, revision: Revision]> {
    return this.#known.entries();
  }

  /** What a commit changes. An event that comes twice changes nothing the second time. */
  *observe({ revision, changes }: Commit): Generator<Change> {
    for (const change of changes) {
      const { key } = change;
      const known = this.#known.get(key);
      if (known !== undefined && known >= revision) continue;
      if (change.type === 'delete') {
        if (known === undefined) continue;
        this.#known.delete(key);
        yield { type: 'deleted', key, revision, relisted: false, initial: false };
        continue;
      }
      yield* this.#put(key, revision, change.created, { relisted: false, initial: false });
    }
  }

  /**
   * What a whole list changes, given in pages of one revision. Whoever asks must not let commits in between: the list is
   * then the newest truth, and what is known but not in it is gone.
   */
  *compare(pages: readonly VersionPage[], initial: boolean): Generator<Change> {
    const listed = new Set<string>();
    for (const { keys, revisions, created } of pages) {
      for (const [index, key] of keys.entries()) {
        listed.add(key);
        const revision = revisions[index] ?? 0;
        if (this.#known.get(key) === revision) continue;
        yield* this.#put(key, revision, created[index] ?? 0, { relisted: true, initial });
      }
    }
    const revision = pages.at(-1)?.revision ?? 0;
    for (const key of this.#known.keys()) {
      if (listed.has(key)) continue;
      this.#known.delete(key);
      yield { type: 'deleted', key, revision, relisted: true, initial: false };
    }
  }

  *#put(
    key: string,
    revision: Revision,
    created: Revision,
    how: Pick<Change, 'relisted' | 'initial'>,
  ): Generator<Change> {
    const known = this.#known.get(key);
    this.#known.set(key, revision);
    // Created after we last saw it: the object that we knew is gone, and this is another one of the same name.
    if (known !== undefined && created > known) yield { type: 'deleted', key, revision, ...how };
    yield { type: known === undefined || created > known ? 'added' : 'updated', key, revision, ...how };
  }
}
