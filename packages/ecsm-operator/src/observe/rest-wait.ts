/**
 * The wait between two polls at rest. Summaries are read meanwhile; one that differs ends the wait early, once between two
 * polls that are not early, unless the budget allows more: what changes all the time must not cost more than twice as much.
 */
import type { CircuitBreaker } from '@ecsm/client';
import type { Clock } from '@ecsm/runtime';
import type { Pace } from './pace.ts';
import type { PollTimer } from './poll-timer.ts';
import type { Summary } from './summary.ts';

interface RestWaitOptions {
  readonly clock: Clock;
  readonly breaker: Pick<CircuitBreaker, 'state'>;
  readonly timer: PollTimer;
  readonly pace: Pace;
  readonly summary: Summary;
}

/** Timers are late: the interval is a little shorter, so that it is not exceeded. */
const latePart = 1 / 1000;

export class RestWait {
  readonly #options: RestWaitOptions;
  /** Whether the last wait ended early. */
  #wasEarly = false;

  constructor(options: RestWaitOptions) {
    this.#options = options;
  }

  clear(): void {
    this.#wasEarly = false;
  }

  /** `startedMs`: monotonic start of the last poll. */
  async wait(startedMs: number, durationMs: number, signal: AbortSignal): Promise<void> {
    const { clock, breaker, timer, pace, summary } = this.#options;
    const sinceMs = () => clock.monotonicMs() - startedMs;
    let isEarly = false;
    while (!isEarly) {
      // A slow link is left to others for as long as a poll takes. A step that is sent meanwhile shortens the interval.
      const leftMs = Math.max(pace.intervalMs * (1 - latePart), durationMs * 2) - sinceMs();
      const isLast = !summary.isKnown || leftMs <= pace.summaryMs * 1.5;
      const isShortened = await timer.wait(Math.max(isLast ? leftMs : pace.summaryMs, 0), signal);
      if (isLast || isShortened || signal.aborted || breaker.state === 'unreachable') break;
      const differs = await summary.differs(signal);
      isEarly = differs && (!this.#wasEarly || sinceMs() >= pace.affordableMs);
    }
    this.#wasEarly = isEarly;
  }
}
