/** Those who wait for a key, in the order in which they came. */

interface Taker<T> {
  readonly signal: AbortSignal | undefined;
  readonly resolve: (item: T | undefined) => void;
}

export class Takers<T> {
  readonly #waiting = new Set<Taker<T>>();
  /**
   * How many of them wait on each signal. All share one listener a signal: with one each, Node.js warns of a leak when a
   * controller has more than ten workers.
   */
  readonly #signals = new Map<AbortSignal, number>();
  readonly #onAbort = () => {
    for (const taker of this.#waiting) if (taker.signal?.aborted) this.#send(taker, undefined);
  };

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves with what is handed over, or with undefined when the signal aborts or all are sent home. */
  wait(signal: AbortSignal | undefined): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#waiting.add({ signal, resolve });
      if (!signal) return;
      const others = this.#signals.get(signal) ?? 0;
      this.#signals.set(signal, others + 1);
      if (others === 0) signal.addEventListener('abort', this.#onAbort);
    });
  }

  /** Gives the item to the one who has waited longest. There has to be one. */
  hand(item: T): void {
    for (const taker of this.#waiting) {
      this.#send(taker, item);
      return;
    }
  }

  sendHome(): void {
    for (const taker of this.#waiting) this.#send(taker, undefined);
  }

  #send(taker: Taker<T>, item: T | undefined): void {
    this.#waiting.delete(taker);
    if (taker.signal) this.#unsubscribe(taker.signal);
    taker.resolve(item);
  }

  #unsubscribe(signal: AbortSignal): void {
    const others = (this.#signals.get(signal) ?? 1) - 1;
    if (others > 0) {
      this.#signals.set(signal, others);
      return;
    }
    this.#signals.delete(signal);
    signal.removeEventListener('abort', this.#onAbort);
  }
}
