/** A clock that stands still until a test moves it. */
import type { Clock } from '@ecsm/runtime';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Lets everything happen that waits for nothing but its turn. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

export class StillClock implements Clock {
  #nowMs = 1_767_225_600_000;
  readonly #timers = new Set<Timer>();

  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Lets time pass, timer by timer. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settled();
    for (;;) {
      const [next] = [...this.#timers].sort((one, other) => one.dueMs - other.dueMs);
      if (!next || next.dueMs > untilMs) break;
      this.#timers.delete(next);
      this.#nowMs = next.dueMs;
      next.callback();
      await settled();
    }
    this.#nowMs = untilMs;
  }
}
