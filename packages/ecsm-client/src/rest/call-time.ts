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
  readonly #over = new AbortController();
  readonly #cancelTimer: () => void;
  readonly #unsubscribe: () => void;

  constructor(clock: Clock, limits: CallLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#startMs = clock.monotonicMs();
    const { deadlineMs, signal } = limits;
    this.#cancelTimer = clock.after(deadlineMs, () => this.#over.abort(this.#timeout(deadlineMs)));
    this.#unsubscribe = signal ? onAbort(signal, () => this.#over.abort(signal.reason)) : () => {};
  }

  /** Aborts at the deadline of the call, or when its caller aborts. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Whether the caller aborted before the deadline. */
  get isAborted(): boolean {
    const { signal } = this.#limits;
    return this.#over.signal.aborted && signal?.aborted === true && this.#over.signal.reason === signal.reason;
  }

  /** Time until the deadline. */
  get remainingMs(): number {
    return this.#limits.deadlineMs - (this.#clock.monotonicMs() - this.#startMs);
  }

  /** Runs one attempt. Its signal aborts when the attempt or the call times out, or the caller aborts. */
  async attempt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    const { timeoutMs } = this.#limits;
    const attempt = new AbortController();
    const end = () => attempt.abort(this.signal.reason);
    this.signal.addEventListener('abort', end, { once: true });
    const cancelTimer = this.#clock.after(timeoutMs, () => attempt.abort(this.#timeout(timeoutMs)));
    try {
      return await unlessAborted(attempt.signal, work(attempt.signal));
    } finally {
      cancelTimer();
      this.signal.removeEventListener('abort', end);
    }
  }

  release(): void {
    this.#cancelTimer();
    this.#unsubscribe();
  }

  #timeout(timeoutMs: number): ApiError {
    return new ApiError('Timeout', { what: this.#limits.endpoint, timeoutMs });
  }
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts; a later result is dropped. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
