/** How long a key that failed waits, and the failures of keys that are not in the queue at the moment. */

/** 5 ms, 10, 20 and so on, up to the limit. */
export function backoffDelayMs(failures: number, backoffMsMin: number, backoffMsMax: number): number {
  return Math.min(backoffMsMin * 2 ** failures, backoffMsMax);
}

export const idleFailuresMax = 10_000;

/**
 * A key that waits or runs carries its failures with it. Only one that failed, left and was not forgotten is kept here.
 * Somebody may never forget a key whose object is gone, so there is a limit; beyond it the key that left first starts
 * over at the shortest backoff. Keys that do back off are in the queue and so never lose theirs.
 */
export class IdleFailures {
  readonly #failures = new Map<string, number>();

  get size(): number {
    return this.#failures.size;
  }

  of(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  keep(key: string, failures: number): void {
    if (failures === 0) return;
    this.#failures.set(key, failures);
    if (this.#failures.size <= idleFailuresMax) return;
    for (const oldest of this.#failures.keys()) {
      this.#failures.delete(oldest);
      return;
    }
  }

  drop(key: string): void {
    this.#failures.delete(key);
  }
}
