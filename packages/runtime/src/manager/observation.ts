import type { Clock } from '../ports/clock.ts';
import { type LeaseObject, leaseMsOf } from './lease.ts';

/**
 * Whether this process has observed the lease unchanged for its whole duration. It uses a timer and no wall clock:
 * neither the holder's clock nor a step of our own can make a lease expire too early.
 */
export class Observation {
  readonly #clock: Clock;
  #version: string | undefined;
  #expired = false;
  #cancelTimer = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the last observed version is older than the lease duration in its spec. */
  get expired(): boolean {
    return this.#expired;
  }

  observe({ metadata, spec }: LeaseObject): void {
    if (metadata.resourceVersion === this.#version) return;
    this.reset();
    this.#version = metadata.resourceVersion;
    this.#cancelTimer = this.#clock.after(leaseMsOf(spec), () => {
      this.#expired = true;
    });
  }

  reset(): void {
    this.#cancelTimer();
    this.#version = undefined;
    this.#expired = false;
  }
}
