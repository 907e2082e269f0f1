/** A clock that advances only when a test advances it. */
import { setImmediate } from 'node:timers';
import type { Clock } from '../ports/clock.ts';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** 2026-01-02T03:04:05Z */
const startMsDefault = 1_767_323_045_000;

/** Resolves when all pending promises and callbacks have run that need neither a timer nor I/O. */
export const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

export class VirtualClock implements Clock {
  #elapsedMs = 0;
  /** Wall time at the start, and what `step` added to it. */
  #offsetMs: number;
  readonly #timers = new Set<Timer>();

  /** `startMs` is the wall time at the start, in milliseconds since the epoch. Default 2026-01-02T03:04:05Z. */
  constructor(startMs = startMsDefault) {
    this.#offsetMs = startMs;
  }

  /** The number of timers that are set. */
  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#offsetMs + this.#elapsedMs;
  }

  /** Since the start. */
  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    // Node.js fires a timer beyond this limit immediately.
    if (!(delayMs < 2 ** 31)) throw new RangeError(`a timer of ${delayMs} ms`);
    const timer = { dueMs: this.#elapsedMs + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Sets the wall clock forwards or backwards. Timers and `monotonicMs` do not change. */
  step(byMs: number): void {
    this.#offsetMs += byMs;
  }

  /** Fires timers in order of time, then of creation. Promises settle between the timers. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#elapsedMs + byMs;
    await settled();
    for (let next = this.#next(untilMs); next; next = this.#next(untilMs)) {
      this.#fire(next);
      await settled();
    }
    this.#elapsedMs = untilMs;
  }

  /** Like `advance`, but synchronously: no promise settles between the timers. */
  advanceSync(byMs: number): void {
    const untilMs = this.#elapsedMs + byMs;
    for (let next = this.#next(untilMs); next; next = this.#next(untilMs)) this.#fire(next);
    this.#elapsedMs = untilMs;
  }

  /** Advances in steps until the condition holds. Returns how long that took; throws after `limitMs`. */
  async until(condition: () => boolean | Promise<boolean>, limitMs = 120_000, stepMs = 50): Promise<number> {
    const startMs = this.#elapsedMs;
    await settled();
    while (!(await condition())) {
      if (this.#elapsedMs - startMs >= limitMs) throw new Error(`the condition does not hold after ${limitMs} ms`);
      await this.advance(stepMs);
    }
    return this.#elapsedMs - startMs;
  }

  /** Advances from timer to timer until the work is done. Throws if no timer is pending before. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    work.then(done, done);
    // Work that needs no timer ends within a few turns of the microtask queue.
    for (let turn = 0; turn < 60 && !isDone; turn++) await Promise.resolve();
    while (!isDone) {
      await settled();
      if (isDone) break;
      const next = this.#next(Number.POSITIVE_INFINITY);
      if (!next) throw new Error('the work hangs: no timer is pending');
      this.#fire(next);
      await settled();
    }
    return work;
  }

  #next(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.dueMs <= untilMs && (!next || timer.dueMs < next.dueMs)) next = timer;
    return next;
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    this.#elapsedMs = Math.max(this.#elapsedMs, timer.dueMs);
    timer.callback();
  }
}
