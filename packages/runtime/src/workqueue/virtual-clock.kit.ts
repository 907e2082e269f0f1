/** A clock that stands still until a test moves it. */
import type { Clock } from '../ports/clock.ts';

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

export class VirtualClock implements Clock {
  /** What really passes: timers follow it. */
  #passedMs = 0;
  /** What people see: the same, and what somebody set. */
  #offsetMs = 1_700_000_000_000;
  #timers: Timer[] = [];

  get timers(): number {
    return this.#timers.length;
  }

  now(): number {
    return this.#passedMs + this.#offsetMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    // Node.js would ring a timer beyond the limit at once.
    if (!(delayMs >= 0 && delayMs < 2 ** 31)) throw new Error(`a timer of ${delayMs} ms`);
    const timer = { dueAt: this.#passedMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Lets time pass. Timers ring on the way, in order of their time, those of one time in order of their setting. */
  advance(ms: number): void {
    const end = this.#passedMs + ms;
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      const ringing = next;
      this.#timers = this.#timers.filter((other) => other !== ringing);
      this.#passedMs = ringing.dueAt;
      ringing.callback();
    }
    this.#passedMs = end;
  }

  /** Somebody sets the clock, forwards or backwards; timers do not notice. */
  step(ms: number): void {
    this.#offsetMs += ms;
  }

  #nextUntil(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.dueAt <= end && (!next || timer.dueAt < next.dueAt)) next = timer;
    return next;
  }
}
