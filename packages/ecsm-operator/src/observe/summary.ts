/**
 * The platform's number of services and of healthy ones, which costs a few hundred bytes. If it differs from the one before
 * the last poll, something has changed. That it is the same proves nothing: polls do not depend on it.
 */
import { type Ecsm, isLinkFailure } from '@ecsm/client';
import type { Clock } from '@ecsm/runtime';

/** How long no summary is requested after the platform has refused one. */
const notOfferedMs = 3_600_000;

export class Summary {
  readonly #ecsm: Ecsm;
  readonly #clock: Clock;
  #before: string | undefined;
  #requestFromMs = Number.NEGATIVE_INFINITY;

  constructor(ecsm: Ecsm, clock: Clock) {
    this.#ecsm = ecsm;
    this.#clock = clock;
  }

  /** Whether there is one to compare with. */
  get isKnown(): boolean {
    return this.#before !== undefined;
  }

  /** Reads the one before a poll. */
  async read(signal: AbortSignal): Promise<void> {
    this.#before = await this.#fetch(signal);
  }

  /** Whether something has changed since then. */
  async differs(signal: AbortSignal): Promise<boolean> {
    const now = await this.#fetch(signal);
    return now !== undefined && this.#before !== undefined && now !== this.#before;
  }

  clear(): void {
    this.#before = undefined;
  }

  /** Returns undefined if it could not be read. */
  async #fetch(signal: AbortSignal): Promise<string | undefined> {
    if (this.#clock.monotonicMs() < this.#requestFromMs) return undefined;
    try {
      const { total, healthy } = await this.#ecsm.services().summary({ signal });
      return `${total} ${healthy}`;
    } catch (error) {
      if (!isLinkFailure(error) && !signal.aborted) this.#requestFromMs = this.#clock.monotonicMs() + notOfferedMs;
      return undefined;
    }
  }
}
