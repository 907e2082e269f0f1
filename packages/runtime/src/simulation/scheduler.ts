/**
 * The loop that stands in for the world: let everybody go on until all of them wait, let one more thing happen, repeat.
 * Time passes only when nothing is left to happen now, so an hour of waiting costs nothing.
 */
import { nextTick } from 'node:process';
import { setImmediate } from 'node:timers';
import { type Happening, type Mortal, Timeline } from './timeline.ts';

export interface RunLimits {
  /** Virtual time at which the run ends. */
  readonly endMs: number;
  readonly stepsMax: number;
}

/** `quiet`: nothing is left that could ever happen. `stopped`: somebody called `stop`. */
export type RunEnd = 'quiet' | 'time' | 'steps' | 'stopped';

export class Scheduler {
  readonly #timeline = new Timeline();
  #nowMs = 0;
  #steps = 0;
  #stopped = false;
  #letRejectionsOut = false;
  readonly #whenAllWait: (() => void)[] = [];

  /** Virtual milliseconds since the start of the run. It never goes back. */
  get nowMs(): number {
    return this.#nowMs;
  }

  get steps(): number {
    return this.#steps;
  }

  /** With an `owner`, it happens only if they are still alive by then. */
  schedule(delayMs: number, tie: number, run: () => void, owner?: Mortal): Happening {
    return this.#timeline.add(this.#nowMs + delayMs, tie, run, owner);
  }

  stop(): void {
    this.#stopped = true;
  }

  /**
   * After this step, give Node the chance to report rejections that nobody handles. It does so only between turns of
   * its event loop, and a turn costs four times a step: so it is asked for where an error was just handed out.
   */
  letRejectionsOut(): void {
    this.#letRejectionsOut = true;
  }

  /** Calls back when everybody waits, before anything else happens. */
  whenAllWait(callback: () => void): void {
    this.#whenAllWait.push(callback);
  }

  /** Calls `afterStep` whenever everybody waits; what it throws ends the run. */
  run(limits: RunLimits, afterStep: () => void): Promise<RunEnd> {
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          this.#callThoseWhoAsked();
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
    if (!this.#letRejectionsOut) whenDrained(step);
    else {
      this.#letRejectionsOut = false;
      whenDrained(() => setImmediate(step));
    }
  }

  /** Lets one thing happen, or says why nothing does. */
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

  #callThoseWhoAsked(): void {
    if (this.#whenAllWait.length === 0) return;
    for (const callback of this.#whenAllWait.splice(0)) callback();
  }
}

const resolved = Promise.resolve();

/**
 * Calls back when no microtask is left. Node looks at its tick queue only when the microtask queue is empty, so a tick
 * that is asked for *by a microtask* comes after every microtask there is and every one that those bring about. The
 * detour through a resolved promise matters: a tick asked for by a tick would come at once.
 */
function whenDrained(callback: () => void): void {
  void resolved.then(() => nextTick(callback));
}

/** One turn of Node's event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
