/** The interface of a simulation to its parts. */
import type { FaultPlan } from './faults.ts';
import type { Journal } from './journal.ts';
import type { Scheduler } from './scheduler.ts';

export interface World {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly journal: Journal;
  readonly plan: FaultPlan;
  /** Maximum latency in milliseconds, drawn separately for each request and each response. */
  readonly latencyMsMax: number;
  /** The timeout of effects. */
  readonly timeoutMs: number;
  /** Ends the run as failed. */
  fail(oracle: string, message: string): void;
}

/** The purposes of random draws: each gives another number for the same effect. */
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
