import type { Clock } from '../ports/clock.ts';
import type { LeaseObject } from './lease.ts';

/**
 * How long this process has seen the lease unchanged. It counts with a timer and not with the time of day: neither the
 * holder's clock, nor a step of our own, can make a lease look older than it is.
 */
export class Observation {
  readonly #clock: Clock;
  #version: string | undefined;
  #expired = false;
  #cancelTimer = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Unchanged for as long as its holder asked for, by its own record, when we last looked. */
  get expired(): boolean {
    return this.#expired;
  }

  see({ metadata, spec }: LeaseObject): void {
    if (metadata.resourceVersion === this.#version) return;
    this.forget();
    this.#version = metadata.resourceVersion;
    this.#cancelTimer = this.#clock.after(spec.leaseDurationSeconds * 1000, () => {
      this.#expired = true;
    });
  }

  forget(): void {
    this.#cancelTimer();
    this.#version = undefined;
    this.#expired = false;
  }
}
