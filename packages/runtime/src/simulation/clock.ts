/** The clock of a simulated machine: virtual time, with a wall clock that can be stepped. */
import type { Clock } from '../ports/clock.ts';
import type { Scheduler } from './scheduler.ts';
import type { EventOwner } from './timeline.ts';

/** Runs start on 2026-01-01T00:00:00Z. */
const simulationStartMs = 1_767_225_600_000;

/** Node fires a timer with a longer delay after 1 ms. The simulation does the same, to find such bugs. */
const timerDelayMsMax = 2 ** 31 - 1;

/** The owner of timers. Its timers do not fire after it has ended. */
export interface TimerOwner extends EventOwner {
  /** A random number for each timer: it orders timers that are due at the same time. */
  tie(): number;
  /** A callback threw, which in production ends the process. */
  failed(error: unknown): void;
}

export class MachineClock implements Clock {
  readonly #scheduler: Scheduler;
  readonly #owner: TimerOwner;
  #offsetMs = 0;

  constructor(scheduler: Scheduler, owner: TimerOwner) {
    this.#scheduler = scheduler;
    this.#owner = owner;
  }

  now(): number {
    return simulationStartMs + this.#scheduler.nowMs + this.#offsetMs;
  }

  monotonicMs(): number {
    return this.#scheduler.nowMs;
  }

  /** Steps the wall clock forwards or backwards. Timers are not affected. */
  step(stepMs: number): void {
    this.#offsetMs += stepMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    return this.#timer(this.#owner, delayMs, callback);
  }

  /** The same clock for one incarnation, whose timers end with it. */
  of(owner: TimerOwner): Clock {
    return {
      now: () => this.now(),
      monotonicMs: () => this.monotonicMs(),
      after: (delayMs, callback) => this.#timer(owner, delayMs, callback),
    };
  }

  #timer(owner: TimerOwner, delayMs: number, callback: () => void): () => void {
    if (!owner.alive) return () => {};
    const fire = () => {
      try {
        callback();
      } catch (error) {
        owner.failed(error);
      }
    };
    const event = this.#scheduler.schedule(nodeDelay(delayMs), owner.tie(), fire, owner);
    return () => {
      event.run = undefined;
    };
  }
}

/** Node rounds down to whole milliseconds and waits for at least one. */
function nodeDelay(delayMs: number): number {
  return delayMs >= 1 && delayMs <= timerDelayMsMax ? Math.floor(delayMs) : 1;
}
