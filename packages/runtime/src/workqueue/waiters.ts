/** Pending `take` calls, in order. */

interface Waiter<T> {
  readonly signal: AbortSignal | undefined;
  readonly resolve: (item: T | undefined) => void;
}

export class Waiters<T> {
  readonly #waiting = new Set<Waiter<T>>();
  /**
   * Number of waiters per signal. They share one listener per signal: with one each, Node.js warns of a leak when a
   * controller has more than ten workers.
   */
  readonly #signals = new Map<AbortSignal, number>();
  readonly #onAbort = () => {
    for (const waiter of this.#waiting) if (waiter.signal?.aborted) this.#settle(waiter, undefined);
  };

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves with a delivered item, or with undefined when the signal aborts or `releaseAll` is called. */
  wait(signal: AbortSignal | undefined): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#waiting.add({ signal, resolve });
      if (!signal) return;
      const others = this.#signals.get(signal) ?? 0;
      this.#signals.set(signal, others + 1);
      if (others === 0) signal.addEventListener('abort', this.#onAbort);
    });
  }

  /** Resolves the oldest waiter with the item. There must be one. */
  deliver(item: T): void {
    for (const waiter of this.#waiting) {
      this.#settle(waiter, item);
      return;
    }
  }

  releaseAll(): void {
    for (const waiter of this.#waiting) this.#settle(waiter, undefined);
  }

  #settle(waiter: Waiter<T>, item: T | undefined): void {
    this.#waiting.delete(waiter);
    if (waiter.signal) this.#unsubscribe(waiter.signal);
    waiter.resolve(item);
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
