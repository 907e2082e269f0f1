import { ApiError } from '../api/errors.ts';
import type { Revision } from './contract.ts';

/** Watchers of one process wait here for the next revision. It holds no timer and no handle. */
export class RevisionNotifier {
  readonly #waiting = new Set<RevisionWaiter>();
  #revision: Revision = 0;
  #closed: ApiError | undefined;

  get waiters(): number {
    return this.#waiting.size;
  }

  /** The newest revision that was notified, 0 if there was none. */
  get revision(): Revision {
    return this.#revision;
  }

  get closed(): ApiError | undefined {
    return this.#closed;
  }

  /** Resolves every wait for a revision up to this one. Calls may be repeated or out of order. */
  notify(revision: Revision): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    for (const waiter of this.#waiting) if (waiter.after < revision) waiter.wake();
  }

  waiter(): RevisionWaiter {
    return new RevisionWaiter(this, this.#waiting);
  }

  /** Rejects all current waits. */
  fail(error: unknown): void {
    for (const waiter of this.#waiting) waiter.fail(error);
  }

  close(what: string): void {
    this.#closed = new ApiError('Closed', { what });
    this.fail(this.#closed);
  }
}

/**
 * The waits of one watch, one at a time. It knows no signal: a listener for each wait would cost more than the rest of the
 * wait, so a watch has one, which calls `wake`.
 */
export class RevisionWaiter {
  readonly #notifier: RevisionNotifier;
  readonly #waiting: Set<RevisionWaiter>;
  #settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  /** Of the current wait. */
  after: Revision = 0;

  constructor(notifier: RevisionNotifier, waiting: Set<RevisionWaiter>) {
    this.#notifier = notifier;
    this.#waiting = waiting;
  }

  /** Resolves once a later revision was notified, or with `wake`. Rejects when the notifier fails or is closed. */
  wait(after: Revision): Promise<void> {
    const { closed, revision } = this.#notifier;
    if (closed) return Promise.reject(closed);
    if (revision > after) return Promise.resolve();
    this.after = after;
    this.#waiting.add(this);
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  wake(): void {
    this.#waiting.delete(this);
    this.#settle?.resolve();
  }

  fail(error: unknown): void {
    this.#waiting.delete(this);
    this.#settle?.reject(error);
  }
}
