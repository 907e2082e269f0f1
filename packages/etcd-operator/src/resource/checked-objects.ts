/**
 * Objects that were found as they should be a short time ago. Passes over a cluster that changes follow each other within
 * milliseconds, and objects which start and stop nothing need not be read in each of them.
 */
import type { Clock } from '@ecsm/runtime';

export class CheckedObjects {
  readonly #clock: Clock;
  readonly #ageMsMax: number;
  /** By namespace and name of the cluster. `text` is how the objects should be. */
  readonly #byCluster = new Map<string, { readonly text: string; readonly checkedMs: number }>();

  /** `ageMsMax`: shorter than the interval of passes over a cluster at rest, which read everything. */
  constructor(clock: Clock, ageMsMax: number) {
    this.#clock = clock;
    this.#ageMsMax = ageMsMax;
  }

  /** Whether objects that should be like `text` were found so. */
  has(cluster: string, text: string): boolean {
    const checked = this.#byCluster.get(cluster);
    return checked?.text === text && this.#clock.monotonicMs() - checked.checkedMs < this.#ageMsMax;
  }

  add(cluster: string, text: string): void {
    this.#byCluster.set(cluster, { text, checkedMs: this.#clock.monotonicMs() });
  }

  forget(cluster: string): void {
    this.#byCluster.delete(cluster);
  }
}
