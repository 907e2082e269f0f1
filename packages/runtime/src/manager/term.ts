import type { Clock } from '../ports/clock.ts';

/**
 * The time for which a process may act as the leader. It ends `renewDeadlineMs` after the *start* of the last successful
 * renewal: candidates start their longer timer no earlier than that.
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

  /** Aborts when the term ends. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get reason(): string {
    return String(this.#over.signal.reason);
  }

  /** Extends the term if the renewal returns true. Returns its result, or throws its error. */
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
