/**
 * A limit on concurrent calls. Writes get a free slot before reads: a user waits for a write, and after a poll many reads
 * wait. Among themselves calls start in order of arrival, and an aborted caller leaves the queue.
 */
import { checkCount } from './options.ts';

interface Waiter {
  readonly start: () => void;
  readonly fail: (reason: unknown) => void;
}

/** A probe is a read that starts before everything else. */
export type CallClass = 'probe' | 'write' | 'read';

/** Writes that start in a row while a read waits. Without reads, the outcome of the writes would not be seen. */
const writesInRowMax = 3;

export class ConcurrencyLimit {
  readonly #max: number;
  #waiting: Record<CallClass, Waiter[]> = { probe: [], write: [], read: [] };
  #inUse = 0;
  #writesInRow = 0;

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
  acquire(signal: AbortSignal, callClass: CallClass): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        this.#waiting[callClass] = this.#waiting[callClass].filter((other) => other !== waiter);
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
      this.#waiting[callClass].push(waiter);
      this.#next();
    });
  }

  /** Rejects all calls that wait for a slot. */
  rejectWaiting(reason: unknown): void {
    const { probe, write, read } = this.#waiting;
    this.#waiting = { probe: [], write: [], read: [] };
    for (const { fail } of [...probe, ...write, ...read]) fail(reason);
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
    if (this.#inUse >= this.#max) return;
    const { probe, write, read } = this.#waiting;
    if (probe.length > 0) probe.shift()?.start();
    else if (write.length > 0 && (read.length === 0 || this.#writesInRow < writesInRowMax)) {
      this.#writesInRow++;
      write.shift()?.start();
    } else {
      this.#writesInRow = 0;
      read.shift()?.start();
    }
  }
}
