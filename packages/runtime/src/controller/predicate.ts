/**
 * Which changes cause a reconcile. A predicate computes a digest of an object; the key is enqueued only if a digest
 * differs from the previous one. Only digests are kept, and they are computed from a fresh read of the object, not from
 * the event.
 */
import type { ApiObject } from '../api/object.ts';

type Digest = string | number | boolean | undefined;

export type Predicate = (object: ApiObject<unknown, unknown>) => Digest;

/** Passes changes of the spec and deletion requests. Filters out status writes. */
export const generationChanged: Predicate = ({ metadata }) =>
  `${metadata.uid} ${metadata.generation} ${metadata.deletionTimestamp !== undefined} ${metadata.finalizers?.length ?? 0}`;

export const labelsChanged: Predicate = ({ metadata }) => sorted(metadata.labels);

export const annotationsChanged: Predicate = ({ metadata }) => sorted(metadata.annotations);

/** The order of the keys must not matter. */
function sorted(entries: Readonly<Record<string, string>> | undefined): string {
  return JSON.stringify(Object.entries(entries ?? {}).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Stores the digests of keys and detects changes. */
export class Digests {
  readonly #predicates: readonly Predicate[];
  readonly #known = new Map<string, Digest>();

  constructor(predicates: readonly Predicate[]) {
    this.#predicates = predicates;
  }

  /** `version` is that of the change; the object may be newer. */
  changed(key: string, object: ApiObject<unknown, unknown>, version: string): boolean {
    const digest = this.#digestOf(object);
    if (this.#known.has(key) && this.#known.get(key) === digest) return false;
    // A reconcile is only guaranteed to read the version of the change. Storing the digest of a newer object would
    // suppress the change of that version, after a reconcile that may have read the older one.
    if (object.metadata.resourceVersion === version) this.#known.set(key, digest);
    return true;
  }

  #digestOf(object: ApiObject<unknown, unknown>): Digest {
    const [first, ...others] = this.#predicates;
    if (first !== undefined && others.length === 0) return first(object);
    return JSON.stringify(this.#predicates.map((predicate) => predicate(object) ?? null));
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
