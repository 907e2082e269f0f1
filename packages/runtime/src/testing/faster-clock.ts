/** Real time, faster: for tests with real sockets and files that would otherwise wait for long. */
import { type Clock, systemClock } from '../ports/clock.ts';

/** Timers end and spans pass `factor` times as fast. Wall time is the system's. */
export function fasterClock(factor: number): Clock {
  return {
    now: systemClock.now,
    monotonicMs: () => systemClock.monotonicMs() * factor,
    after: (delayMs, callback) => systemClock.after(delayMs / factor, callback),
  };
}
