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

  /**
   * Resolves every wait for a revision up to this one. Calls may be repeated or out of order. `keys` are those of the only
   * commit since the last call, if that is known: waits for others are moved past it instead.
   */
  notify(revision: Revision, keys?: readonly string[]): void {
    if (revision <= this.#revision) return;
    const isNext = revision === this.#revision + 1;
    this.#revision = revision;
    for (const waiter of this.#waiting) {
      if (waiter.after >= revision) continue;
      const isPassed = keys !== undefined && isNext && waiter.after === revision - 1 && !waiter.isFor(keys);
      if (isPassed) waiter.after = revision;
      else waiter.wake();
    }
  }

  /** With a prefix, for commits of keys that start with it. */
  waiter(prefix = ''): RevisionWaiter {
    return new RevisionWaiter(this, this.#waiting, prefix);
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
  readonly #prefix: string;
  #settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  /** Of the current or last wait: there is nothing to read up to this revision. */
  after: Revision = 0;

  constructor(notifier: RevisionNotifier, waiting: Set<RevisionWaiter>, prefix: string) {
    this.#notifier = notifier;
    this.#waiting = waiting;
    this.#prefix = prefix;
  }

  isFor(keys: readonly string[]): boolean {
    return keys.some((key) => key.startsWith(this.#prefix));
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
