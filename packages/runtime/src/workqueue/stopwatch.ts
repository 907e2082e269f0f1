/**
 * Time that only goes forward, made from a clock that somebody may set.
 *
 * A step backwards counts as no time at all; lost is only what passed since somebody last looked. A step forwards cannot
 * be told from time that passed, so what is delayed may come early: a key that is looked at too soon does no harm.
 */
import type { Clock } from '../ports/clock.ts';

export class Stopwatch {
  readonly #clock: Clock;
  #lastSeen: number;
  #elapsedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastSeen = clock.now();
  }

  elapsedMs(): number {
    const now = this.#clock.now();
    if (now > this.#lastSeen) this.#elapsedMs += now - this.#lastSeen;
    this.#lastSeen = now;
    return this.#elapsedMs;
  }

  /** Tells it what a timer proves: at least this much has passed, whatever the clock was set to meanwhile. */
  atLeast(elapsedMs: number): number {
    this.#elapsedMs = Math.max(this.elapsedMs(), elapsedMs);
    return this.#elapsedMs;
  }
}
