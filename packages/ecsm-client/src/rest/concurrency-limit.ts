/** A limit on concurrent calls. Callers wait for a slot in order of arrival; an aborted caller leaves the queue. */
import { checkCount } from './options.ts';

interface Waiter {
  readonly start: () => void;
  readonly fail: (reason: unknown) => void;
}

export class ConcurrencyLimit {
  readonly #max: number;
  #queue: Waiter[] = [];
  #inUse = 0;

  constructor(max: number) {
    this.#max = checkCount('inFlightMax', max);
  }

  get inUse(): number {
    return this.#inUse;
  }

  get isFull(): boolean {
    return this.#inUse >= this.#max;
  }

  /** Resolves with a function that releases the slot, safe to call twice. Rejects with the signal's reason. */
  acquire(signal: AbortSignal, place: 'last' | 'first' = 'last'): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        this.#queue = this.#queue.filter((other) => other !== waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        start: () => {
          signal.removeEventListener('abort', leave);
          this.#inUse++;
          resolve(this.#releaser());
        },
        fail: (reason) => {
          signal.removeEventListener('abort', leave);
          reject(reason);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      if (place === 'first') this.#queue.unshift(waiter);
      else this.#queue.push(waiter);
      this.#next();
    });
  }

  /** Rejects all calls that wait for a slot. */
  rejectWaiting(reason: unknown): void {
    const queue = this.#queue;
    this.#queue = [];
    for (const { fail } of queue) fail(reason);
  }

  #releaser(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#inUse--;
      this.#next();
    };
  }

  #next(): void {
    if (this.#inUse < this.#max) this.#queue.shift()?.start();
  }
}
