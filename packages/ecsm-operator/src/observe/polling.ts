/**
 * How often to poll. Services with a step in progress are read by their reconciles, or in bulk by the poller: one poll of
 * everything is cheaper when a large part of all services is in progress; reconciles are then requeued rarely.
 */
import type { OwnerRecords } from './owner-records.ts';

/** A request for one service costs as many bytes as eight rows of a list, and two calls, which matter more on a slow link. */
const rowsPerRequest = 32;
/** Hysteresis: each change between the two modes costs a request for every service in progress. */
const rowsPerRequestToEnd = 256;
/** In bulk mode the reconcile of a service is requeued once in this many poll intervals … */
const pollsPerRequest = 8;
/** … and all of them together once in this time. */
const spreadMs = 100;

export class Polling {
  readonly #pollMs: number;
  readonly #serviceCount: () => number;
  readonly #owners: OwnerRecords;
  #isBulk = false;
  #wasBulk = false;

  /** `serviceCount`: number of services on the platform. */
  constructor(pollMs: number, serviceCount: () => number, owners: OwnerRecords) {
    this.#pollMs = pollMs;
    this.#serviceCount = serviceCount;
    this.#owners = owners;
  }

  /** Whether the poller reads all services in bulk. */
  get isBulk(): boolean {
    this.#isBulk = this.#isBulkWith(this.#owners.inProgressCount);
    return this.#isBulk;
  }

  /** Delay of the pass over a service in progress. `more`: services that are about to be in progress. */
  requeueMs(more = 0): number {
    const count = this.#owners.inProgressCount + more;
    return this.#isBulkWith(count) ? this.#pollMs * pollsPerRequest + count * spreadMs : this.#pollMs;
  }

  /** If bulk mode has ended since the last call, the services that relied on it. */
  leftBehind(): readonly string[] {
    const { isBulk } = this;
    const hasEnded = this.#wasBulk && !isBulk;
    this.#wasBulk = isBulk;
    return hasEnded ? this.#owners.inProgress : [];
  }

  #isBulkWith(inProgressCount: number): boolean {
    const rows = this.#isBulk ? rowsPerRequestToEnd : rowsPerRequest;
    return inProgressCount > 0 && inProgressCount * rows >= this.#serviceCount();
  }

  clear(): void {
    this.#isBulk = false;
    this.#wasBulk = false;
  }
}

/** The first poll after a step comes after this part of the longest interval. */
const firstPart = 1 / 32;
/** The interval is at least this many times the duration of the last poll, to leave the link to others. */
const durationFactor = 4;
/** While the link is idle, this part of the duration is enough, but at least this part of the longest interval. */
const idleDurationFactor = 1 / 4;
const idleLinkPart = 1 / 128;

/** The interval in bulk mode: very short after a step was sent, then doubling up to a limit. */
export class PollInterval {
  readonly #msMax: number;
  #ms: number;
  #durationMs = 0;

  constructor(msMax: number) {
    this.#msMax = msMax;
    this.#ms = msMax;
  }

  /** On an idle link there is nothing to leave it to: a part of the duration of the last poll, within limits. */
  get idleLinkMs(): number {
    return Math.min(Math.max(this.#durationMs * idleDurationFactor, this.#msMax * idleLinkPart), this.#msMin);
  }

  get ms(): number {
    return Math.min(Math.max(this.#ms, this.#durationMs * durationFactor), this.#msMax);
  }

  /** A step was sent, and will be visible soon. */
  reset(): void {
    this.#ms = this.#msMin;
  }

  /** A poll has ended. Returns the interval to the next one. */
  next(durationMs: number): number {
    this.#durationMs = durationMs;
    const { ms } = this;
    this.#ms = Math.min(this.#ms * 2, this.#msMax);
    return ms;
  }

  get #msMin(): number {
    return this.#msMax * firstPart;
  }
}
