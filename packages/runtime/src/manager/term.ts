import type { Clock } from '../ports/clock.ts';

/**
 * The time for which a leader may believe that it leads. It ends `renewDeadlineMs` after the *start* of the last renewal
 * that succeeded: others began to count no earlier than that, and count longer.
 */
export class Term {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #over = new AbortController();
  readonly #timers = new Set<() => void>();

  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.#start();
  }

  /** Aborts when the term is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get reason(): string {
    return String(this.#over.signal.reason);
  }

  /** Extends the term if the renewal answers true. Passes on its answer, or its error. */
  async extendedBy(renewal: () => Promise<boolean>): Promise<boolean> {
    const cancelOld = [...this.#timers];
    const cancelNew = this.#start();
    let renewed = false;
    try {
      renewed = await renewal();
      return renewed;
    } finally {
      for (const cancel of renewed ? cancelOld : [cancelNew]) this.#cancel(cancel);
    }
  }

  end(reason: string): void {
    for (const cancel of this.#timers) this.#cancel(cancel);
    this.#over.abort(reason);
  }

  #start(): () => void {
    const cancel = this.#clock.after(this.#deadlineMs, () => this.end(`not renewed within ${this.#deadlineMs} ms`));
    this.#timers.add(cancel);
    return cancel;
  }

  #cancel(cancel: () => void): void {
    this.#timers.delete(cancel);
    cancel();
  }
}
