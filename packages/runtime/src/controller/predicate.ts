/**
 * Which changes are worth a reconcile. A predicate makes a digest of an object; the key is woken only when a digest
 * differs from the one before. So nothing but the digests is remembered, and an event's content is never trusted: the
 * digest is of the newest object, read for the purpose.
 */
import type { ApiObject } from '../api/object.ts';

export type Digest = string | number | boolean | undefined;

export type Predicate = (object: ApiObject<unknown, unknown>) => Digest;

/** The spec changed, or somebody asked for the deletion. Leaves out what a status write does. */
export const generationChanged: Predicate = ({ metadata }) =>
  `${metadata.uid} ${metadata.generation} ${metadata.deletionTimestamp !== undefined} ${metadata.finalizers?.length ?? 0}`;

export const labelsChanged: Predicate = ({ metadata }) => sorted(metadata.labels);

export const annotationsChanged: Predicate = ({ metadata }) => sorted(metadata.annotations);

/** Keys may come in any order. */
function sorted(entries: Readonly<Record<string, string>> | undefined): string {
  return JSON.stringify(Object.entries(entries ?? {}).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Remembers digests of keys, and says whether any of them changed. */
export class Digests {
  readonly #predicates: readonly Predicate[];
  readonly #known = new Map<string, string>();

  constructor(predicates: readonly Predicate[]) {
    this.#predicates = predicates;
  }

  /** `version` is that of the change; the object may be newer. */
  changed(key: string, object: ApiObject<unknown, unknown>, version: string): boolean {
    const digest = JSON.stringify(this.#predicates.map((predicate) => predicate(object) ?? null));
    if (this.#known.get(key) === digest) return false;
    // Whoever is woken is only promised the version of the change. A newer object whose digest was remembered here would
    // silence the change that it came with, and a reconcile that reads the older one would be the last.
    if (object.metadata.resourceVersion === version) this.#known.set(key, digest);
    return true;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
