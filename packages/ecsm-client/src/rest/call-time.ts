/**
 * Deadline and timeouts of one call. The call ends at its deadline or when its caller aborts; each attempt has its own
 * timeout, which starts when the request is sent: only the deadline limits the wait before. Work that ignores its signal
 * is no longer awaited when time is up.
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
  #attempt: Attempt | undefined;
  /** Created on demand: most calls end with their first attempt, which has a signal of its own. */
  #controller: AbortController | undefined;

  constructor(clock: Clock, limits: CallLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#startMs = clock.monotonicMs();
    const { deadlineMs, signal } = limits;
    this.#cancelTimer = clock.after(deadlineMs, () => this.#expire());
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
  async attempt<T>(work: (signal: AbortSignal, queued: Queued) => Promise<T>): Promise<T> {
    this.throwIfOver();
    const { timeoutMs } = this.#limits;
    const attempt = new Attempt(this.#clock, timeoutMs, () => this.#timeout(timeoutMs));
    this.#attempt = attempt;
    try {
      return await Promise.race([work(attempt.signal, attempt.queued), attempt.ended]);
    } finally {
      attempt.release();
      this.#attempt = undefined;
    }
  }

  release(): void {
    this.#cancelTimer();
    this.#unsubscribe();
  }

  /** The deadline has passed. */
  #expire(): void {
    const { timeoutMs, deadlineMs } = this.#limits;
    const reason = this.#timeout(deadlineMs);
    // An attempt that was sent late had no time for a response: its end is the caller's decision, not one of the link.
    const isCutShort = this.#attempt !== undefined && this.#attempt.sentForMs < Math.min(timeoutMs, deadlineMs / 2);
    this.#end(reason, isCutShort ? new DOMException(reason.message, 'AbortError') : reason);
  }

  /** `abortReason`: of the signal of the attempt in flight. */
  #end(reason: unknown, abortReason = reason): void {
    if (this.#over) return;
    this.#over = { reason };
    this.#attempt?.end(reason, abortReason);
    this.#controller?.abort(reason);
  }

  #timeout(timeoutMs: number): ApiError {
    return new ApiError('Timeout', { what: this.#limits.endpoint, timeoutMs });
  }
}

type Queued = <T>(wait: Promise<T>) => Promise<T>;

/** One attempt, with a timer that does not run while the request waits to be sent. */
class Attempt {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #timeout: () => ApiError;
  readonly #controller = new AbortController();
  /** Rejects when the attempt ends before its work. */
  readonly ended: Promise<never>;
  #reject: (reason: unknown) => void = () => {};
  #cancelTimer = () => {};
  #sentMs: number | undefined;
  #isReleased = false;

  constructor(clock: Clock, timeoutMs: number, timeout: () => ApiError) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#timeout = timeout;
    this.ended = new Promise<never>((_, reject) => {
      this.#reject = reject;
    });
    this.#startTimer();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Time since it was sent; 0 while it waits. */
  get sentForMs(): number {
    return this.#sentMs === undefined ? 0 : this.#clock.monotonicMs() - this.#sentMs;
  }

  readonly queued: Queued = async (wait) => {
    this.#cancelTimer();
    this.#sentMs = undefined;
    try {
      return await wait;
    } finally {
      this.#startTimer();
    }
  };

  end(reason: unknown, abortReason = reason): void {
    this.#controller.abort(abortReason);
    this.#reject(reason);
  }

  release(): void {
    this.#isReleased = true;
    this.#cancelTimer();
  }

  #startTimer(): void {
    // The call may end while the request waits.
    if (this.#isReleased) return;
    this.#sentMs = this.#clock.monotonicMs();
    this.#cancelTimer = this.#clock.after(this.#timeoutMs, () => this.end(this.#timeout()));
  }
}
