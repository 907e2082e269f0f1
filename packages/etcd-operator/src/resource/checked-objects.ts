/**
 * Objects of one cluster that were found as they should be a short time ago. Passes over a cluster that changes follow each
 * other within milliseconds, and objects which start and stop nothing need not be read in each of them.
 */
import type { Clock } from '@ecsm/runtime';

export class CheckedObjects {
  readonly #clock: Clock;
  readonly #ageMsMax: number;
  /** `text` is how the objects should be. */
  #checked: { readonly text: string; readonly atMs: number } | undefined;

  /** `ageMsMax`: shorter than the interval of passes over a cluster at rest, which read everything. */
  constructor(clock: Clock, ageMsMax: number) {
    this.#clock = clock;
    this.#ageMsMax = ageMsMax;
  }

  /** Whether objects that should be like `text` were found so. */
  has(text: string): boolean {
    return this.#checked?.text === text && this.#clock.monotonicMs() - this.#checked.atMs < this.#ageMsMax;
  }

  add(text: string): void {
    this.#checked = { text, atMs: this.#clock.monotonicMs() };
  }
}
