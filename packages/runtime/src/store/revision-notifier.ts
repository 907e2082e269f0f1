import { ApiError } from '../api/errors.ts';
import type { Revision } from './contract.ts';

/** Watchers of one process wait here for the next revision. It holds no timer and no handle. */
export class RevisionNotifier {
  readonly #waiting = new Set<Waiter>();
  #revision: Revision = 0;
  #closed: ApiError | undefined;

  get waiters(): number {
    return this.#waiting.size;
  }

  /** The newest revision that was notified, 0 if there was none. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Resolves every wait for a revision up to this one. Calls may be repeated or out of order. */
  notify(revision: Revision): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    for (const waiter of this.#waiting) if (waiter.after < revision) waiter.wake();
  }

  wait(after: Revision, signal: AbortSignal | undefined): Promise<void> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (this.#revision > after || signal?.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        this.#waiting.delete(waiter);
        signal?.removeEventListener('abort', waiter.wake);
        settle();
      };
      const waiter: Waiter = {
        after,
        wake: () => finish(resolve),
        fail: (error) => finish(() => reject(error)),
      };
      this.#waiting.add(waiter);
      signal?.addEventListener('abort', waiter.wake, { once: true });
    });
  }

  /** For a watch that waits many times: a listener on a signal for each wait costs more than the rest of the wait. */
  waiter(): RevisionWaiter {
    return new RevisionWaiter(this, this.#waiting);
  }

  get closed(): ApiError | undefined {
    return this.#closed;
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

interface Waiter {
  readonly after: Revision;
  wake(): void;
  fail(error: unknown): void;
}

/** The waits of one watch, one at a time. `wake` ends the current one. */
export class RevisionWaiter implements Waiter {
  readonly #notifier: RevisionNotifier;
  readonly #waiting: Set<Waiter>;
  #settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  after: Revision = 0;

  constructor(notifier: RevisionNotifier, waiting: Set<Waiter>) {
    this.#notifier = notifier;
    this.#waiting = waiting;
  }

  /** As `RevisionNotifier.wait`. */
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
