/**
 * Deadline and timeouts of one call. The call ends at its deadline or when its caller aborts; each attempt has its own
 * timeout. Work that ignores its signal is no longer awaited when time is up.
 */
import { ApiError, type Clock } from '@ecsm/runtime';
import { onAbort } from './on-abort.ts';

export interface CallLimits {
  /** `GET /service/:id`, for the error. */
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Holds a timer and a listener on the caller's signal until it is released. */
export class CallTime {
  readonly #clock: Clock;
  readonly #limits: CallLimits;
  readonly #startMs: number;
  readonly #cancelTimer: () => void;
  readonly #unsubscribe: () => void;
  /** Why the call is over. */
  #over: { readonly reason: unknown } | undefined;
  /** Ends the attempt in flight. */
  #endAttempt: ((reason: unknown) => void) | undefined;
  /** Created on demand: most calls end with their first attempt, which has a signal of its own. */
  #controller: AbortController | undefined;

  constructor(clock: Clock, limits: CallLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#startMs = clock.monotonicMs();
    const { deadlineMs, signal } = limits;
    this.#cancelTimer = clock.after(deadlineMs, () => this.#end(this.#timeout(deadlineMs)));
    this.#unsubscribe = signal ? onAbort(signal, () => this.#end(signal.reason)) : () => {};
  }

  /** Aborts at the deadline of the call, or when its caller aborts. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#over) this.#controller.abort(this.#over.reason);
    }
    return this.#controller.signal;
  }

  /** Throws the reason if the call is over. */
  throwIfOver(): void {
    if (this.#over) throw this.#over.reason;
  }

  /** Whether the caller aborted before the deadline. */
  get isAborted(): boolean {
    const { signal } = this.#limits;
    return this.#over !== undefined && signal?.aborted === true && this.#over.reason === signal.reason;
  }

  /** Time until the deadline. */
  get remainingMs(): number {
    return this.#limits.deadlineMs - (this.#clock.monotonicMs() - this.#startMs);
  }

  /**
   * Runs one attempt. Its signal aborts when the attempt or the call times out, or the caller aborts; the attempt then
   * rejects with the reason at once, and a later result is dropped.
   */
  async attempt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.throwIfOver();
    const { timeoutMs } = this.#limits;
    const attempt = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      this.#endAttempt = (reason) => {
        attempt.abort(reason);
        reject(reason);
      };
    });
    const cancelTimer = this.#clock.after(timeoutMs, () => this.#endAttempt?.(this.#timeout(timeoutMs)));
    try {
      return await Promise.race([work(attempt.signal), ended]);
    } finally {
      cancelTimer();
      this.#endAttempt = undefined;
    }
  }

  release(): void {
    this.#cancelTimer();
    this.#unsubscribe();
  }

  #end(reason: unknown): void {
    if (this.#over) return;
    this.#over = { reason };
    this.#endAttempt?.(reason);
    this.#controller?.abort(reason);
  }

  #timeout(timeoutMs: number): ApiError {
    return new ApiError('Timeout', { what: this.#limits.endpoint, timeoutMs });
  }
}
