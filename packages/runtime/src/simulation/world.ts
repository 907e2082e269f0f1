/** What the parts of a simulation know of it. */
import type { FaultPlan } from './faults.ts';
import type { Journal } from './journal.ts';
import type { Scheduler } from './scheduler.ts';

export interface World {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly journal: Journal;
  readonly plan: FaultPlan;
  /** A way to the other end takes 0 to this many milliseconds, drawn for each, and so does the way back. */
  readonly latencyMsMax: number;
  /** How long a caller waits for an answer before it gives up with `Timeout`. */
  readonly timeoutMs: number;
  /** Ends the run: something is wrong that no fault excuses. */
  fail(oracle: string, message: string): void;
}

/** What draws are for, so that no two of them for one effect are the same number. */
export const purposes = {
  request: 11,
  response: 12,
  requestTie: 13,
  responseTie: 14,
  survival: 15,
  cutError: 16,
  timerTie: 17,
  startTie: 18,
  faultTie: 19,
} as const;
