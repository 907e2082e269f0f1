/** What the garbage collector remembers: for each owner, the keys of its dependents, and the owners that wait for them. */
import type { OwnerReference } from '../api/metadata.ts';

export class GarbageIndex {
  /** uid of an owner → keys of the objects that refer to it, and of some that did. Most have one: a set for it is large. */
  readonly #dependents = new Map<string, string | Set<string>>();
  /** uid → key of the owners in foreground deletion. */
  readonly #waiting = new Map<string, string>();
  /** Whether all objects have been read: until then an owner may have dependents that are not known. */
  isComplete = false;

  /** Returns whether there are owners. */
  track(key: string, owners: readonly OwnerReference[] = []): boolean {
    for (const { uid } of owners) {
      const keys = this.#dependents.get(uid);
      if (keys === undefined) this.#dependents.set(uid, key);
      else if (typeof keys !== 'string') keys.add(key);
      else if (keys !== key) this.#dependents.set(uid, new Set([keys, key]));
    }
    return owners.length > 0;
  }

  untrack(key: string, owners: readonly Pick<OwnerReference, 'uid'>[] = []): void {
    for (const { uid } of owners) {
      const keys = this.#dependents.get(uid);
      if (typeof keys === 'object') keys.delete(key);
      if (keys === key || (typeof keys === 'object' && keys.size === 0)) this.#dependents.delete(uid);
    }
  }

  dependentsOf(uid: string): ReadonlySet<string> {
    const keys = this.#dependents.get(uid);
    if (typeof keys === 'object') return keys;
    return new Set(keys === undefined ? [] : [keys]);
  }

  /** The owner is gone. Returns its dependents. */
  forget(uid: string): ReadonlySet<string> {
    const keys = this.dependentsOf(uid);
    this.#dependents.delete(uid);
    this.#waiting.delete(uid);
    return keys;
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Returns whether it is new. */
  addWaiting(uid: string, key: string): boolean {
    const isNew = !this.#waiting.has(uid);
    this.#waiting.set(uid, key);
    return isNew;
  }

  /** The key of an owner that waits for its dependents. */
  waitingOwner(uid: string): string | undefined {
    return this.#waiting.get(uid);
  }

  isWaiting(key: string): boolean {
    for (const waiting of this.#waiting.values()) if (waiting === key) return true;
    return false;
  }

  removeWaiting(uid: string): void {
    this.#waiting.delete(uid);
  }
}
