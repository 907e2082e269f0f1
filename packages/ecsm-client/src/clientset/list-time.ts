/**
 * The deadline of a list with all its pages. It starts with the first page and includes the time that the caller spends
 * between pages. It bounds a list that never ends although each page is fetched in time.
 */
import { ApiError, isApiError } from '@ecsm/runtime';
import type { CallOptions } from './call.ts';
import type { ClientLimits } from './limits.ts';

/** A timer can fire this much before its time by the monotonic clock: both count whole milliseconds, from different starts. */
const timerResolutionMs = 1;

export class ListTime {
  readonly #limits: ClientLimits;
  readonly #options: CallOptions;
  readonly #deadlineMs: number;
  #startMs: number | undefined;
  #hasPages = false;

  /** `deadlineMs` of the options applies to the whole list; the default is `listDeadlineMs`. */
  constructor(limits: ClientLimits, options: CallOptions) {
    this.#limits = limits;
    this.#options = options;
    this.#deadlineMs = options.deadlineMs ?? limits.listDeadlineMs;
  }

  /** Fetches one page. Throws `Timeout` after the deadline of the list. */
  async page<P>(endpoint: string, fetch: (options: CallOptions) => Promise<P>): Promise<P> {
    const { clock, callDeadlineMs } = this.#limits;
    const nowMs = clock.monotonicMs();
    this.#startMs ??= nowMs;
    const remainingMs = this.#remainingMs(nowMs);
    if (remainingMs <= 0) throw this.#timeout(endpoint);
    const deadlineMs = Math.min(this.#options.deadlineMs ?? callDeadlineMs, remainingMs);
    try {
      const page = await fetch({ ...this.#options, deadlineMs });
      this.#hasPages = true;
      return page;
    } catch (error) {
      const isOver = this.#hasPages && this.#remainingMs(clock.monotonicMs()) <= timerResolutionMs;
      throw isOver && isApiError(error, 'Timeout') ? this.#timeout(endpoint) : error;
    }
  }

  #remainingMs(nowMs: number): number {
    return this.#deadlineMs - (nowMs - (this.#startMs ?? nowMs));
  }

  #timeout(endpoint: string): ApiError {
    return new ApiError('Timeout', { what: `${endpoint} with all its pages`, timeoutMs: this.#deadlineMs });
  }
}
