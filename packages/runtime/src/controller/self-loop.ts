/**
 * Notices a controller that keeps waking itself: each reconcile writes its object, the write wakes the key, and the next
 * reconcile writes again. A status with a time or a counter in it does that for ever.
 */
import type { Revision } from '../store/contract.ts';

/** So many times in a row, woken by nothing but its own write. */
const wakesMax = 10;
/** Revisions remembered for a key: those written by its last reconcile. */
const revisionsMax = 16;

export class SelfLoopDetector {
  readonly #written = new Map<string, Revision[]>();
  readonly #wakes = new Map<string, number>();

  /** A reconcile of `key` wrote that very object. */
  wrote(key: string, revision: Revision): void {
    const revisions = this.#written.get(key) ?? [];
    revisions.push(revision);
    this.#written.set(key, revisions.slice(-revisionsMax));
  }

  /** A change woke the key. True, once, when it has been its own doing too many times in a row. */
  woken(key: string, revision: Revision | undefined): boolean {
    const own = revision !== undefined && this.#written.get(key)?.includes(revision) === true;
    if (!own) {
      this.#wakes.delete(key);
      return false;
    }
    const wakes = (this.#wakes.get(key) ?? 0) + 1;
    this.#wakes.set(key, wakes);
    return wakes === wakesMax;
  }

  /** A reconcile of the key wrote nothing: whatever was, it is at rest. */
  rested(key: string): void {
    this.#written.delete(key);
    this.#wakes.delete(key);
  }
}
