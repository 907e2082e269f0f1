/** Repeats what fails for a reason that may pass, with a growing delay. */
import { backoffMs, type Clock, type Random, sleep } from '@ecsm/runtime';
import { TransientError } from './failure.ts';
import type { S3Limits } from './limits.ts';

interface Attempts<T> {
  attempt(): Promise<T>;
  /**
   * Called after an attempt that failed without an answer: returns the result if it had succeeded nevertheless. An error that
   * may pass counts as another failed attempt.
   */
  lookup?(): Promise<T | undefined>;
  readonly attemptsMax: number;
  readonly signal: AbortSignal | undefined;
}

export class Repeater {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #limits: S3Limits;

  constructor(clock: Clock, random: Random, limits: S3Limits) {
    this.#clock = clock;
    this.#random = random;
    this.#limits = limits;
  }

  async run<T>({ attempt, lookup, attemptsMax, signal }: Attempts<T>): Promise<T> {
    const { backoffMsMin, backoffMsMax } = this.#limits;
    let isUnknown = false;
    for (let failures = 0; ; failures++) {
      try {
        const found = isUnknown ? await lookup?.() : undefined;
        if (found !== undefined) return found;
        isUnknown = false;
        return await attempt();
      } catch (error) {
        if (!(error instanceof TransientError) || signal?.aborted) throw error;
        isUnknown = true;
        if (failures + 1 >= attemptsMax) return (await this.#last(lookup)) ?? Promise.reject(error);
        await sleep(this.#clock, backoffMs(failures, backoffMsMin, backoffMsMax, this.#random), signal);
      }
    }
  }

  /** The answer of the last attempt may have been lost too. */
  async #last<T>(lookup: (() => Promise<T | undefined>) | undefined): Promise<T | undefined> {
    try {
      return await lookup?.();
    } catch (error) {
      if (error instanceof TransientError) return undefined;
      throw error;
    }
  }
}
