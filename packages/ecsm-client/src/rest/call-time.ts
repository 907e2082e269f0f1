/**
 * The time that one call has. The whole call ends at its deadline or when its caller gives up; each attempt within it has
 * its own limit. Nothing here trusts the work to notice: when time is up it is no longer waited for.
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
  readonly #letGo: () => void;

  constructor(clock: Clock, limits: CallLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#startMs = clock.monotonicMs();
    const { deadlineMs, signal } = limits;
    this.#cancelTimer = clock.after(deadlineMs, () => this.#over.abort(this.#timeout(deadlineMs)));
    this.#letGo = signal ? onAbort(signal, () => this.#over.abort(signal.reason)) : () => {};
  }

  /** Aborts when the call is over: at its deadline, or when its caller gives up. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Whether the caller gave up, and before the deadline. */
  get isAborted(): boolean {
    const { signal } = this.#limits;
    return this.#over.signal.aborted && signal?.aborted === true && this.#over.signal.reason === signal.reason;
  }

  /** Until the deadline. */
  get remainingMs(): number {
    return this.#limits.deadlineMs - (this.#clock.monotonicMs() - this.#startMs);
  }

  /** One attempt. The signal that its work gets aborts when the attempt or the call is over. */
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
    this.#letGo();
  }

  #timeout(timeoutMs: number): ApiError {
    return new ApiError('Timeout', { what: this.#limits.endpoint, timeoutMs });
  }
}

/** What the work comes to, or the signal's reason at once when it aborts; whatever the work comes to then is dropped. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
