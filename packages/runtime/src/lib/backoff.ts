/** Exponential backoff: each delay is twice the previous one, up to a maximum. */
import type { Random } from '../ports/random.ts';

/** Keeps the delay finite; it has reached the maximum long before. */
const doublingsMax = 40;

/**
 * `msMin` for 0 failures, then 2, 4, 8 times as much, at most `msMax`. With `random` the delay is jittered between half
 * of that and all of it, so that clients which failed together do not retry together.
 */
export function backoffMs(failures: number, msMin: number, msMax: number, random?: Random): number {
  const fullMs = Math.min(msMin * 2 ** Math.min(failures, doublingsMax), msMax);
  return random === undefined ? fullMs : fullMs * (0.5 + random.next() / 2);
}

/** Counts consecutive failures. */
export class Backoff {
  readonly #random: Random;
  readonly #msMin: number;
  readonly #msMax: number;
  #failures = 0;

  constructor(random: Random, msMin = 100, msMax = 30_000) {
    this.#random = random;
    this.#msMin = msMin;
    this.#msMax = msMax;
  }

  next(): number {
    return backoffMs(this.#failures++, this.#msMin, this.#msMax, this.#random);
  }

  reset(): void {
    this.#failures = 0;
  }
}
