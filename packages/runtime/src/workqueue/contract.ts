/** The types of the work queue: its options, its items and its observer. */
import type { Clock } from '../ports/clock.ts';

export interface QueueItem {
  readonly key: string;
  /** Why the key was added. */
  readonly reason: string;
  /** Failures so far: 0 the first time. */
  readonly attempt: number;
  /** How long the key was ready before it was taken. */
  readonly waitedMs: number;
  readonly priority: number;
}

/** Called synchronously during operations of the queue: it must neither throw nor call the queue. */
export interface QueueObserver {
  /** One more run is due, now or after the run in flight. A delayed key counts when its delay is over. */
  added?(key: string): void;
  taken?(item: QueueItem): void;
  finished?(key: string, tookMs: number): void;
  retried?(key: string, delayMs: number): void;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** The delay after the first failure, doubled with each further one. Default 5. */
  readonly backoffMsMin?: number;
  /** Default 1,000,000. Higher puts less load on a failing platform; lower notices its recovery sooner. */
  readonly backoffMsMax?: number;
  /**
   * Waiting this long raises the effective priority of a key by one, so that no key starves. Default 10,000. Shorter is
   * fairer to low priorities; longer keeps urgent keys in front when the queue is long.
   */
  readonly ageingMs?: number;
  readonly observer?: QueueObserver;
}

export interface AddOptions {
  /** For the log. The reason of the add that set the time is kept; reasons over 256 characters are truncated. */
  readonly reason?: string;
  /** Higher first, from -1,000,000 to 1,000,000. Default 0. */
  readonly priority?: number;
  /** Delay in milliseconds. Default 0. */
  readonly afterMs?: number;
}
