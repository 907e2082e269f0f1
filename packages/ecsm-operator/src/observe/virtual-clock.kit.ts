/** Virtual time for tests: nothing passes until a test lets it, timer by timer. */
import type { Clock } from '@ecsm/runtime';

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** Lets everything happen that waits for nothing but its turn. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

export class VirtualClock implements Clock {
  #nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
  readonly #timers = new Set<Timer>();

  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settled();
    for (let next = this.#next(); next && next.atMs <= untilMs; next = this.#next()) {
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
      await settled();
    }
    this.#nowMs = untilMs;
  }

  /** Goes on until it is so, and tells how long that took. Fails after `limitMs`. */
  async until(isSo: () => boolean | Promise<boolean>, limitMs = 120_000, stepMs = 250): Promise<number> {
    const startMs = this.#nowMs;
    await settled();
    while (!(await isSo())) {
      if (this.#nowMs - startMs >= limitMs) throw new Error(`it is not so after ${limitMs} ms`);
      await this.advance(stepMs);
    }
    return this.#nowMs - startMs;
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || timer.atMs < first.atMs) first = timer;
    return first;
  }
}
