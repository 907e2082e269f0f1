/**
 * A limit on concurrent calls, which follows the link as a congestion window does. It starts low and grows by one with each
 * answer, after the first loss by one with each round of answers. Each loss takes half a slot, as in DCTCP: a round in which
 * all calls are lost halves the window, and a link that loses a few percent of them stays in full use. An answer that took
 * long counts as a loss: on a link that is too narrow for the calls in flight, they wait for each other.
 *
 * Writes get a free slot before reads: a user waits for a write, and after a poll many reads wait. Among themselves calls
 * start in order of arrival, and an aborted caller leaves the queue.
 */
import { checkCount } from './options.ts';

interface Waiter {
  readonly start: () => void;
  readonly fail: (reason: unknown) => void;
}

/** A probe is a read that starts before everything else. */
export type CallClass = 'probe' | 'write' | 'read';

/** Window at the start, and after an outage. */
const windowStart = 4;
/** With one slot, a single lost call would delay all others by its timeout. */
const windowMin = 2;
/** What a loss takes from the window. */
const slotsPerLoss = 1 / 2;
/** Writes that start in a row while a read waits. Without reads, the outcome of the writes would not be seen. */
const writesInRowMax = 3;

interface ConcurrencyLimitOptions {
  /** Maximum of the limit. */
  readonly max: number;
  /** An answer that took longer is treated as a loss. */
  readonly slowMs: number;
}

export class ConcurrencyLimit {
  readonly #max: number;
  readonly #slowMs: number;
  /** Current limit; its fraction grows with the answers of a round. */
  #window: number;
  /** Whether nothing was lost since the start. */
  #isStarting = true;
  #waiting: Record<CallClass, Waiter[]> = { probe: [], write: [], read: [] };
  #inUse = 0;
  #writesInRow = 0;

  constructor({ max, slowMs }: ConcurrencyLimitOptions) {
    this.#max = checkCount('inFlightMax', max);
    this.#slowMs = slowMs;
    this.#window = Math.min(windowStart, max);
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Current maximum number of concurrent calls. */
  get window(): number {
    return Math.floor(this.#window);
  }

  get isFull(): boolean {
    return this.#inUse >= this.window;
  }

  /** A call that still has its slot was answered. */
  answered(tookMs: number): void {
    // A large response takes long without other calls, too.
    if (tookMs > this.#slowMs && this.#inUse > 1) this.lost();
    else if (this.isFull) this.#resize(this.#isStarting ? 1 : 1 / this.#window);
  }

  /** A call that still has its slot got no answer. */
  lost(): void {
    this.#isStarting = false;
    if (this.isFull) this.#resize(-slotsPerLoss);
  }

  /** The link was down: what was known of it is old. */
  restart(): void {
    this.#window = Math.min(windowStart, this.#max);
    this.#isStarting = true;
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

  /** Only for a window that is full: one that is not used says nothing about the link. */
  #resize(slots: number): void {
    this.#window = Math.min(Math.max(this.#window + slots, windowMin), this.#max);
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

  /** Starts the calls for which there are slots. */
  #next(): void {
    for (let waiter = this.#first(); waiter !== undefined; waiter = this.#first()) waiter.start();
  }

  /** Takes the next call from the queue, if there is a slot. */
  #first(): Waiter | undefined {
    if (this.isFull) return undefined;
    const { probe, write, read } = this.#waiting;
    if (probe.length > 0) return probe.shift();
    if (write.length > 0 && (read.length === 0 || this.#writesInRow < writesInRowMax)) {
      this.#writesInRow++;
      return write.shift();
    }
    this.#writesInRow = 0;
    return read.shift();
  }
}
