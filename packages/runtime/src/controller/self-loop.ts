/**
 * Detects a controller that keeps triggering itself: each reconcile writes its object, the write enqueues the key, and
 * the next reconcile writes again. A status with a time or a counter in it causes an endless loop.
 */

/** Number of consecutive enqueues that were caused only by the key's own writes. */
const enqueuesMax = 10;
/** Versions kept for a key: those written by its last reconcile. */
const versionsMax = 16;

export class SelfLoopDetector {
  readonly #written = new Map<string, string[]>();
  readonly #enqueues = new Map<string, number>();

  /** A reconcile of `key` wrote its own object. */
  wrote(key: string, version: string): void {
    const versions = this.#written.get(key) ?? [];
    versions.push(version);
    this.#written.set(key, versions.slice(-versionsMax));
  }

  /** A change enqueued the key. Returns true, once, when too many in a row were the key's own writes. */
  enqueued(key: string, version: string | undefined): boolean {
    const own = version !== undefined && this.#written.get(key)?.includes(version) === true;
    if (!own) {
      this.#enqueues.delete(key);
      return false;
    }
    const enqueues = (this.#enqueues.get(key) ?? 0) + 1;
    this.#enqueues.set(key, enqueues);
    return enqueues === enqueuesMax;
  }

  /** A reconcile of the key wrote nothing, so there is no loop. */
  reset(key: string): void {
    this.#written.delete(key);
    this.#enqueues.delete(key);
  }
}
