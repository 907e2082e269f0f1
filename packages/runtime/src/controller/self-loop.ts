/**
 * Notices a controller that keeps waking itself: each reconcile writes its object, the write wakes the key, and the next
 * reconcile writes again. A status with a time or a counter in it does that for ever.
 */

/** So many times in a row, woken by nothing but its own write. */
const wakesMax = 10;
/** Versions remembered for a key: those written by its last reconcile. */
const versionsMax = 16;

export class SelfLoopDetector {
  readonly #written = new Map<string, string[]>();
  readonly #wakes = new Map<string, number>();

  /** A reconcile of `key` wrote that very object. */
  wrote(key: string, version: string): void {
    const versions = this.#written.get(key) ?? [];
    versions.push(version);
    this.#written.set(key, versions.slice(-versionsMax));
  }

  /** A change woke the key. True, once, when it has been its own doing too many times in a row. */
  woken(key: string, version: string | undefined): boolean {
    const own = version !== undefined && this.#written.get(key)?.includes(version) === true;
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
