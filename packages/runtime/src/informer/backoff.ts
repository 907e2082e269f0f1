import type { Random } from '../ports/random.ts';

/** Waits between attempts to reach a store: doubling, bounded, and jittered so that many informers do not come at once. */
export class Backoff {
  readonly #random: Random;
  readonly #delayMsMin: number;
  readonly #delayMsMax: number;
  #failures = 0;

  constructor(random: Random, delayMsMin = 100, delayMsMax = 30_000) {
    this.#random = random;
    this.#delayMsMin = delayMsMin;
    this.#delayMsMax = delayMsMax;
  }

  /** Between half of the delay and all of it. */
  next(): number {
    const delayMs = Math.min(this.#delayMsMin * 2 ** Math.min(this.#failures++, 30), this.#delayMsMax);
    return delayMs * (0.5 + this.#random.next() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
