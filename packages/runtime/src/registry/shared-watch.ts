/**
 * A watch of a shared log. It is in one of two states: it reads the log on its own while it is behind the shared part, from
 * an older version or because its consumer is slow; it follows the shared part once that covers its position. It holds a
 * position in both states, never a queue, so a consumer that does not read costs no memory, and no watch can delay another
 * one.
 *
 * A commit wakes every watch of its kind. This is not a generator because the promises of generators around each other would
 * take as much time as the rest of a delivery.
 */
import type { Revision } from '../store/contract.ts';
import type { RevisionWaiter } from '../store/revision-notifier.ts';
import type { RecentCommits } from './recent-commits.ts';
import type { SharedLog } from './shared-log.ts';
import type { ObjectCommit } from './watch.ts';

export interface SharedWatchOptions {
  readonly after: Revision;
  /** Also deliver commits without changes, as the log advances. */
  readonly progress: boolean;
  readonly signal: AbortSignal | undefined;
}

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Call `next` again only when the result of the previous call is known. */
export class SharedWatch<T> implements AsyncIterableIterator<T> {
  readonly #log: SharedLog;
  readonly #select: (commit: ObjectCommit) => T | undefined;
  readonly #progress: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #abort = () => {
    this.#isAborted = true;
    this.#followed?.waiter.wake();
  };
  #position: Revision;
  /** Kept, because a look at the signal takes longer. */
  #isAborted: boolean;
  #state: 'new' | 'open' | 'closed' = 'new';
  #followed: { readonly recent: RecentCommits<ObjectCommit>; readonly waiter: RevisionWaiter } | undefined;
  /** While it is behind the shared part. */
  #own: AsyncIterator<ObjectCommit, void> | undefined;

  constructor(
    log: SharedLog,
    { after, progress, signal }: SharedWatchOptions,
    select: (commit: ObjectCommit) => T | undefined,
  ) {
    this.#log = log;
    this.#select = select;
    this.#progress = progress;
    this.#signal = signal;
    this.#position = after;
    this.#isAborted = signal?.aborted ?? false;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    if (this.#state === 'new') this.#open();
    try {
      while (this.#state === 'open' && !this.#isAborted) {
        const commit = this.#own ? await this.#readOwn(this.#own) : (this.#readShared() ?? (await this.#advance()));
        const value = commit && this.#select(commit);
        if (value !== undefined) return { done: false, value };
      }
    } catch (error) {
      // What failed has ended by itself.
      this.#close();
      throw error;
    }
    this.#close();
    return done;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#close();
    await this.#own?.return?.();
    return done;
  }

  #open(): void {
    this.#state = 'open';
    this.#log.join();
    this.#signal?.addEventListener('abort', this.#abort);
  }

  #close(): void {
    if (this.#state === 'open') {
      this.#signal?.removeEventListener('abort', this.#abort);
      this.#followed?.waiter.wake();
      this.#log.leave();
    }
    this.#state = 'closed';
  }

  /** The next commit of the shared part; undefined if that does not cover the position, or has nothing new. */
  #readShared(): ObjectCommit | undefined {
    const { recent } = this.#log;
    if (!recent?.covers(this.#position)) return undefined;
    const next = recent.next(this.#position);
    if (next === undefined) return undefined;
    if (typeof next !== 'number') {
      this.#position = next.revision;
      return next;
    }
    this.#position = next;
    return this.#progress ? this.#log.emptyCommit(next) : undefined;
  }

  /** Waits for the shared part, or leaves it. */
  async #advance(): Promise<undefined> {
    const recent = this.#log.recent ?? (await this.#log.start());
    // It may have ended meanwhile, and nothing would end the wait.
    if (this.#isAborted || this.#state === 'closed') return;
    // Those who follow fail as if each had read the log; starting again would hide a store that keeps failing.
    if (recent?.failure !== undefined) throw recent.failure;
    if (!recent?.covers(this.#position)) {
      this.#own = this.#log.own(this.#position, this.#signal);
      return;
    }
    if (this.#followed?.recent !== recent) {
      this.#followed?.waiter.wake();
      this.#followed = { recent, waiter: recent.waiter() };
    }
    try {
      await this.#followed.waiter.wait(this.#position);
    } catch {
      // The shared part has ended.
    }
    if (recent.failure !== undefined) throw recent.failure;
  }

  async #readOwn(own: AsyncIterator<ObjectCommit, void>): Promise<ObjectCommit | undefined> {
    // After a commit, whether the shared part covers it now.
    if (this.#log.recent?.covers(this.#position)) {
      this.#own = undefined;
      await own.return?.();
      return undefined;
    }
    const result = await own.next();
    if (result.done) {
      this.#close();
      return undefined;
    }
    this.#position = result.value.revision;
    if (!this.#log.recent) void this.#log.start();
    return this.#progress || result.value.changes.length > 0 ? result.value : undefined;
  }
}
