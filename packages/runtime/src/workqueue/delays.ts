/** The delayed keys, all on one shared timer. */
import type { Clock } from '../ports/clock.ts';
import type { Entry } from './entry.ts';
import { Heap } from './heap.ts';

/** The timer is set again after this time for a later key: Node.js fires a timer of more than 2^31 ms immediately. */
export const timerMsMax = 60_000;

export class Delays {
  readonly #heap = new Heap<Entry>();
  readonly #clock: Clock;
  readonly #release: (entry: Entry) => void;
  #timer: { readonly firesAt: number; readonly cancel: () => void } | undefined;
  #sequence = 0;

  constructor(clock: Clock, release: (entry: Entry) => void) {
    this.#clock = clock;
    this.#release = release;
  }

  get size(): number {
    return this.#heap.size;
  }

  add(entry: Entry, dueAt: number): void {
    entry.order = dueAt;
    entry.sequence = this.#sequence++;
    this.#heap.push(entry);
    this.#setTimer();
  }

  remove(entry: Entry): void {
    this.#heap.remove(entry);
    this.#setTimer();
  }

  clear(): readonly Entry[] {
    const entries = this.#heap.clear();
    this.#setTimer();
    return entries;
  }

  #setTimer(): void {
    const first = this.#heap.first;
    // A timer that fires too early is only set again, so it is replaced only if it would fire too late.
    if (first && this.#timer && this.#timer.firesAt <= first.order) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (!first) return;
    const now = this.#clock.monotonicMs();
    const delayMs = Math.min(Math.max(first.order - now, 0), timerMsMax);
    const firesAt = now + delayMs;
    this.#timer = { firesAt, cancel: this.#clock.after(delayMs, () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonicMs();
    for (let first = this.#heap.first; first && first.order <= now; first = this.#heap.first) {
      this.#heap.remove(first);
      this.#release(first);
    }
    this.#setTimer();
  }
}
