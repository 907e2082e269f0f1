/**
 * The event loop of a simulation: run all programs until they are idle, run the next scheduled event, repeat. Virtual
 * time advances to the next event, so an hour of waiting costs nothing.
 */
import { nextTick } from 'node:process';
import { setImmediate } from 'node:timers';
import { type EventOwner, type ScheduledEvent, Timeline } from './timeline.ts';

interface RunLimits {
  /** Virtual time at which the run ends. */
  readonly endMs: number;
  readonly stepsMax: number;
}

/** `quiet`: no event is scheduled. `stopped`: `stop` was called. */
export type RunEnd = 'quiet' | 'time' | 'steps' | 'stopped';

export class Scheduler {
  readonly #timeline = new Timeline();
  #nowMs = 0;
  #steps = 0;
  #stopped = false;
  #mustReportRejections = false;
  readonly #idleCallbacks: (() => void)[] = [];

  /** Virtual milliseconds since the start of the run. It never goes back. */
  get nowMs(): number {
    return this.#nowMs;
  }

  get steps(): number {
    return this.#steps;
  }

  /** With an `owner`, it runs only if the owner is still alive. */
  schedule(delayMs: number, tie: number, run: () => void, owner?: EventOwner): ScheduledEvent {
    return this.#timeline.add(this.#nowMs + delayMs, tie, run, owner);
  }

  stop(): void {
    this.#stopped = true;
  }

  /**
   * After this step, let Node report unhandled rejections. It does so only between turns of its event loop, and a turn
   * costs four times a step, so this is called only after a promise was rejected.
   */
  reportRejections(): void {
    this.#mustReportRejections = true;
  }

  /** Calls back when all programs are idle, before the next event. */
  whenIdle(callback: () => void): void {
    this.#idleCallbacks.push(callback);
  }

  /** Calls `afterStep` whenever all programs are idle; an error of it ends the run. */
  run(limits: RunLimits, afterStep: () => void): Promise<RunEnd> {
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          this.#runIdleCallbacks();
          afterStep();
          const end = this.#step(limits);
          if (end === undefined) this.#next(step);
          else resolve(end);
        } catch (error) {
          reject(error);
        }
      };
      this.#next(step);
    });
  }

  #next(step: () => void): void {
    if (!this.#mustReportRejections) whenDrained(step);
    else {
      this.#mustReportRejections = false;
      whenDrained(() => setImmediate(step));
    }
  }

  /** Runs the next event, or returns why the run has ended. */
  #step({ endMs, stepsMax }: RunLimits): RunEnd | undefined {
    if (this.#stopped) return 'stopped';
    const next = this.#timeline.peek();
    if (!next) return 'quiet';
    if (next.dueMs > endMs) {
      this.#nowMs = endMs;
      return 'time';
    }
    if (this.#steps >= stepsMax) return 'steps';
    this.#steps++;
    this.#nowMs = next.dueMs;
    this.#timeline.take()?.run?.();
    return undefined;
  }

  #runIdleCallbacks(): void {
    if (this.#idleCallbacks.length === 0) return;
    for (const callback of this.#idleCallbacks.splice(0)) callback();
  }
}

const resolved = Promise.resolve();

/**
 * Calls back when no microtask is left. Node processes its tick queue only when the microtask queue is empty, so a tick
 * that is scheduled *by a microtask* runs after all microtasks, including those that they schedule. The resolved promise
 * is necessary: a tick scheduled by a tick would run first.
 */
function whenDrained(callback: () => void): void {
  void resolved.then(() => nextTick(callback));
}

/** One turn of Node's event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
