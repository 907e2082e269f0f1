/** Time as a simulated machine sees it: virtual, with a wall clock that somebody may set. */
import type { Clock } from '../ports/clock.ts';
import type { Scheduler } from './scheduler.ts';
import type { Mortal } from './timeline.ts';

/** Runs start on 2026-01-01T00:00:00Z. */
export const simulationStartMs = 1_767_225_600_000;

/** What Node does with a longer delay is to fire after 1 ms, and that is a fault worth finding in a simulation. */
const timerDelayMsMax = 2 ** 31 - 1;

/** Whose timers these are. They end with them. */
export interface TimerOwner extends Mortal {
  /** A draw from the seed for each timer: it decides which of several due timers goes first. */
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

  /** Somebody sets the wall clock, forwards or back. Timers measure spans, and do not notice. */
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
    const happening = this.#scheduler.schedule(nodeDelay(delayMs), owner.tie(), fire, owner);
    return () => {
      happening.run = undefined;
    };
  }
}

/** Node rounds down to whole milliseconds and waits for at least one. */
function nodeDelay(delayMs: number): number {
  return delayMs >= 1 && delayMs <= timerDelayMsMax ? Math.floor(delayMs) : 1;
}
