/** Accelerated real time: for tests with real sockets and files that would otherwise take too long. */
import { type Clock, systemClock } from '../ports/clock.ts';

/** Timers and `monotonicMs` run `factor` times as fast. The wall clock is that of the system. */
export function fasterClock(factor: number): Clock {
  return {
    now: systemClock.now,
    monotonicMs: () => systemClock.monotonicMs() * factor,
    after: (delayMs, callback) => systemClock.after(delayMs / factor, callback),
  };
}
