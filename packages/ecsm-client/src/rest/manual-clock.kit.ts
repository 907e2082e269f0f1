/** A clock that stands still until a test moves it. */
import type { Clock } from '@ecsm/runtime';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Lets everything happen that waits for nothing but its turn. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

export class ManualClock implements Clock {
  #elapsedMs = 0;
  #offsetMs = 1_767_225_600_000;
  readonly #timers = new Set<Timer>();

  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#offsetMs + this.#elapsedMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#elapsedMs + delayMs, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Somebody sets the clock; timers do not notice. */
  step(byMs: number): void {
    this.#offsetMs += byMs;
  }

  /** Lets time pass, timer by timer. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + byMs;
    await settled();
    for (let next = this.#next(); next && next.dueMs <= untilMs; next = this.#next()) await this.#ring(next);
    this.#elapsedMs = untilMs;
  }

  /** Lets time pass until it is so, and tells how long that took. Fails after `limitMs`. */
  async until(isSo: () => boolean, limitMs = 120_000, stepMs = 250): Promise<number> {
    const startMs = this.#elapsedMs;
    await settled();
    while (!isSo()) {
      if (this.#elapsedMs - startMs >= limitMs) throw new Error(`it is not so after ${limitMs} ms`);
      await this.advance(stepMs);
    }
    return this.#elapsedMs - startMs;
  }

  /** Lets time pass until the work is done. Work that waits for no timer any more would never end, and fails. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    for (let turn = 0; turn < 60 && !isDone; turn++) await Promise.resolve();
    while (!isDone) {
      await settled();
      if (isDone) break;
      const next = this.#next();
      if (!next) throw new Error('it hangs: no timer is left that could end it');
      await this.#ring(next);
    }
    return work;
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (!next || timer.dueMs < next.dueMs) next = timer;
    return next;
  }

  async #ring(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    this.#elapsedMs = Math.max(this.#elapsedMs, timer.dueMs);
    timer.callback();
    await settled();
  }
}
