/**
 * One reader of the store's log for all watches of a kind. Each commit is read, and its objects decoded, once.
 *
 * A watch is in one of two states. It reads the log on its own while it is behind the shared part: from an older version,
 * or because its consumer is slow. It follows the shared part once that covers its position. It holds a position in both
 * states, never a queue, so a consumer that does not read costs no memory, and no watch can delay another one.
 */
import type { Kind } from '../api/kind.ts';
import type { Clock } from '../ports/clock.ts';
import type { Commit, Revision, Store } from '../store/contract.ts';
import type { RevisionWaiter } from '../store/revision-notifier.ts';
import { prefixOf } from './keys.ts';
import { RecentCommits, type RecentLimits } from './recent-commits.ts';
import { ObjectCommit } from './watch.ts';

export interface SharedWatchOptions {
  readonly after: Revision;
  /** Also deliver commits without changes, as the log advances. */
  readonly progress: boolean;
  readonly signal: AbortSignal | undefined;
}

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

  /** Errors are those of the store. */
  async *watch({ after, progress, signal }: SharedWatchOptions): AsyncGenerator<ObjectCommit, void> {
    let position = after;
    let followed: { readonly recent: RecentCommits<ObjectCommit>; readonly waiter: RevisionWaiter } | undefined;
    this.#watches++;
    try {
      while (!signal?.aborted) {
        const recent: RecentCommits<ObjectCommit> | undefined = this.#recent ?? (await this.#start());
        // Those who follow fail as if each had read the log; starting again would hide a store that keeps failing.
        if (recent?.failure !== undefined) throw recent.failure;
        if (recent?.covers(position)) {
          const next = recent.next(position);
          if (next === undefined) {
            if (followed?.recent !== recent) {
              followed?.waiter.close();
              followed = { recent, waiter: recent.waiterFor(signal) };
            }
            try {
              await followed.waiter.wait(position);
            } catch {
              // The shared part has ended.
            }
            if (recent.failure !== undefined) throw recent.failure;
          } else {
            position = typeof next === 'number' ? next : next.revision;
            if (typeof next !== 'number') yield next;
            else if (progress) yield new ObjectCommit(this.#kind, { revision: next, changes: [] });
          }
          continue;
        }
        let isBehind = true;
        for await (const commit of this.#commits(position, signal)) {
          position = commit.revision;
          if (progress || commit.changes.length > 0) yield new ObjectCommit(this.#kind, commit);
          if (!this.#recent) void this.#start();
          isBehind = !this.#recent?.covers(position);
          if (!isBehind) break;
        }
        if (isBehind) return;
      }
    } finally {
      followed?.waiter.close();
      if (--this.#watches === 0) this.#end();
    }
  }

  /** Call it after the store has discarded the history before a revision. */
  compact(revision: Revision): void {
    this.#recent?.compact(revision);
  }

  /** Never rejects: a watch that finds no shared part reads on its own, and reports the failure of the store. */
  #start(): Promise<RecentCommits<ObjectCommit> | undefined> {
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
