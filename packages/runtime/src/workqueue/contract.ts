/** What a work queue takes, gives and tells. */
import type { Clock } from '../ports/clock.ts';

export interface QueueItem {
  readonly key: string;
  /** Why the key was added. */
  readonly reason: string;
  /** Failures so far: 0 the first time. */
  readonly attempt: number;
  /** How long it was ready before somebody took it. */
  readonly waitedMs: number;
  readonly priority: number;
}

/** Counts what happens. It is called in the middle of things: it may neither throw nor call the queue. */
export interface QueueObserver {
  /** One more run is due, now or after the run in flight. A delayed key counts when its time has come. */
  added?(key: string): void;
  taken?(item: QueueItem): void;
  finished?(key: string, tookMs: number): void;
  retried?(key: string, delayMs: number): void;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** The delay after the first failure, doubled with each further one. Default 5. */
  readonly backoffMsMin?: number;
  /** Default 1,000,000. Higher spares a broken platform; lower notices sooner that it is well again. */
  readonly backoffMsMax?: number;
  /**
   * A key that has waited this long counts one priority higher, and so on, so that nothing waits for ever. Default
   * 10,000. Shorter is fairer to low priorities; longer keeps urgent keys in front when the queue is long.
   */
  readonly ageingMs?: number;
  readonly observer?: QueueObserver;
}

export interface AddOptions {
  /** For the log. The reason of the add that set the time is kept; texts over 256 characters are cut. */
  readonly reason?: string;
  /** Higher first, from -1,000,000 to 1,000,000. Default 0. */
  readonly priority?: number;
  /** Default 0: now. */
  readonly afterMs?: number;
}
