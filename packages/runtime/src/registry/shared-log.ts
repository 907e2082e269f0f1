/**
 * One reader of the store's log for all watches of a kind. Each commit is read, and its objects decoded, once.
 */
import type { Kind } from '../api/kind.ts';
import type { Clock } from '../ports/clock.ts';
import type { Commit, Revision, Store } from '../store/contract.ts';
import { prefixOf } from './keys.ts';
import { RecentCommits, type RecentLimits } from './recent-commits.ts';
import { SharedWatch, type SharedWatchOptions } from './shared-watch.ts';
import { ObjectCommit } from './watch.ts';

export class SharedLog {
  readonly #store: Store;
  readonly #kind: Kind;
  readonly #clock: Clock;
  readonly #limits: RecentLimits | undefined;
  /** The shared part is read only while there are watches. */
  #watches = 0;
  #stop = new AbortController();
  #recent: RecentCommits<ObjectCommit> | undefined;
  #starting: Promise<RecentCommits<ObjectCommit> | undefined> | undefined;

  constructor(store: Store, kind: Kind, clock: Clock, limits?: RecentLimits) {
    this.#store = store;
    this.#kind = kind;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Errors are those of the store. `select` returns what to deliver of a commit, or undefined for nothing. */
  watch<T>(options: SharedWatchOptions, select: (commit: ObjectCommit) => T | undefined): AsyncIterableIterator<T> {
    return new SharedWatch(this, options, select);
  }

  /** A watch begins. */
  join(): void {
    this.#watches++;
  }

  leave(): void {
    if (--this.#watches === 0) this.#end();
  }

  /** The shared part, if it is being read. */
  get recent(): RecentCommits<ObjectCommit> | undefined {
    return this.#recent;
  }

  emptyCommit(revision: Revision): ObjectCommit {
    return new ObjectCommit(this.#kind, { revision, changes: [] });
  }

  /** Call it after the store has discarded the history before a revision. */
  compact(revision: Revision): void {
    this.#recent?.compact(revision);
  }

  /** Never rejects: a watch that finds no shared part reads on its own, and reports the failure of the store. */
  start(): Promise<RecentCommits<ObjectCommit> | undefined> {
    this.#starting ??= this.#open().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #open(): Promise<RecentCommits<ObjectCommit> | undefined> {
    const stop = this.#stop;
    try {
      const newest = await this.#store.revision();
      if (stop.signal.aborted) return undefined;
      const convert = (commit: Commit) => new ObjectCommit(this.#kind, commit);
      const recent = new RecentCommits(newest, convert, this.#clock, this.#limits);
      this.#recent = recent;
      void this.#read(recent, newest, stop.signal);
      return recent;
    } catch {
      this.#recent = undefined;
      return undefined;
    }
  }

  async #read(recent: RecentCommits<ObjectCommit>, after: Revision, signal: AbortSignal): Promise<void> {
    try {
      for await (const commit of this.#commits(after, signal)) recent.push(commit);
      recent.end();
    } catch (error) {
      recent.end(error);
    }
    if (this.#recent === recent) this.#recent = undefined;
  }

  /** The log itself, for a watch that is behind the shared part. */
  async *own(after: Revision, signal: AbortSignal | undefined): AsyncGenerator<ObjectCommit, void> {
    for await (const commit of this.#commits(after, signal)) yield new ObjectCommit(this.#kind, commit);
  }

  #commits(after: Revision, signal: AbortSignal | undefined): AsyncIterable<Commit> {
    const options = { after, detail: 'history', progress: true, ...(signal && { signal }) } as const;
    return this.#store.watch(prefixOf(this.#kind), options);
  }

  #end(): void {
    this.#stop.abort('no watch is left');
    this.#stop = new AbortController();
    this.#recent?.end();
    this.#recent = undefined;
  }
}

/** The shared logs of a registry, by kind. */
export class SharedLogs {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logs = new Map<string, SharedLog>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  of(kind: Kind): SharedLog {
    const prefix = prefixOf(kind);
    let log = this.#logs.get(prefix);
    if (!log) {
      log = new SharedLog(this.#store, kind, this.#clock);
      this.#logs.set(prefix, log);
    }
    return log;
  }

  compact(revision: Revision): void {
    for (const log of this.#logs.values()) log.compact(revision);
  }
}
