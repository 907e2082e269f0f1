/**
 * The contract of every store: bytes under keys, one revision for all of them, and a log of all changes in order.
 *
 * A store does not interpret values. Its guarantees, which `conformance.suite.ts` checks for all stores:
 *
 * - A write is acknowledged only when it is durable, and readers see commits atomically.
 * - There is one revision for the whole store. It only increases, each commit has its own, and there may be gaps.
 * - A read that starts after a write was acknowledged, in this process or another, sees that write.
 * - A watch is ordered, unique, reliable, atomic per commit, and resumable from any revision not yet compacted.
 *   The store's log is the watcher's buffer: a slow watcher costs no memory, and one that falls behind the log gets
 *   `Expired` instead of missing a change.
 * - Failures are errors of the catalogue. After `Unavailable` or `Timeout` a commit may or may not have been applied;
 *   after any other error it has not.
 */

/** A point in the history of a store. 0 is before everything. */
export type Revision = number;

/** Limits are the same for every store, so that a registry can move from one to another. */
export const limits = {
  /** Length of a key. Keys are `segment/segment/…`, each segment 1 to 200 of `A-Z a-z 0-9 . _ -`, not starting with a dot. */
  keyCharactersMax: 500,
  /** Sum of the values of one commit. etcd refuses requests over 1.5 MiB. */
  commitBytesMax: 1024 * 1024,
  /** Number of writes and checks in one commit; etcd's limit. */
  commitWritesMax: 128,
  /** Default page size of `list`, in entries. */
  pageEntries: 500,
  /** A page of `list` ends early when its values exceed this. */
  pageBytesMax: 8 * 1024 * 1024,
} as const;

export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  /** The commit that wrote this value. */
  readonly revision: Revision;
  /** The commit that created the key; it changes when the key is deleted and created again. */
  readonly created: Revision;
}

export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly expected?: Revision }
  | { readonly type: 'delete'; readonly key: string; readonly expected?: Revision }
  /** Writes nothing, but the commit fails unless the key is at the expected revision. */
  | { readonly type: 'check'; readonly key: string; readonly expected: Revision };

/** A failed comparison is a normal outcome, not an exception. `actual` is 0 if the key is absent. */
export type CommitOutcome =
  | { readonly committed: true; readonly revision: Revision }
  | { readonly committed: false; readonly key: string; readonly expected: Revision; readonly actual: Revision };

export interface ListOptions {
  /** Maximum entries of a page; it may have fewer. Default `limits.pageEntries` for `list`, unlimited for `versions`. */
  readonly limit?: number;
  /** Continue after this key: the `next` of the previous page. */
  readonly after?: string;
  /** Read as of this revision: the `revision` of the first page. Default: the newest. `Expired` if compacted. */
  readonly at?: Revision;
}

/** A record whose stored bytes are damaged. */
export interface Damage {
  readonly key: string;
  readonly revision: Revision;
  readonly reason: string;
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  /** Records in the range of this page that cannot be read. The other records are returned. */
  readonly damaged?: readonly Damage[];
  /** The revision that the list was read at. */
  readonly revision: Revision;
  /** Set if there are more pages. */
  readonly next?: string;
}

/** Versions in columns: a list of a hundred thousand has its keys and two flat arrays, not an object per entry. */
export interface VersionPage {
  readonly keys: readonly string[];
  readonly revisions: Float64Array;
  readonly created: Float64Array;
  readonly revision: Revision;
  readonly next?: string;
}

export type Change =
  | {
      readonly type: 'put';
      readonly key: string;
      /** Empty when the watch has detail `keys`. */
      readonly value: Uint8Array;
      /** Equal to the commit's revision when this change created the key. */
      readonly created: Revision;
      /** The previous value, with detail `history`. */
      readonly previous?: Uint8Array;
    }
  | { readonly type: 'delete'; readonly key: string; readonly previous?: Uint8Array };

export interface Commit {
  readonly revision: Revision;
  /** The commit's changes under the watched prefix, in the order they were written. Empty only with `progress`. */
  readonly changes: readonly Change[];
}

export interface WatchOptions {
  /** Deliver every commit after this revision, each once. */
  readonly after: Revision;
  /** How much of each change to deliver. Default `values`; `history` adds the previous value. */
  readonly detail?: 'keys' | 'values' | 'history';
  /**
   * Also deliver, as a commit without changes, that the store has advanced although nothing under the prefix has
   * changed. A hint that not every store gives: it lets a watcher resume at a newer revision. Default false.
   */
  readonly progress?: boolean;
  /** Ends the iteration without an error and releases the resources of the watch. */
  readonly signal?: AbortSignal;
}

/** A problem that needs an operator, such as a file with an invalid edit. */
export interface StoreProblem {
  readonly file: string;
  /** The key that it is about, if known. */
  readonly key?: string;
  readonly reason: string;
  readonly sinceMs: number;
}

export interface Store {
  get(key: string, at?: Revision): Promise<Entry | undefined>;
  /** Entries whose key starts with the prefix, in byte order of the key. */
  list(prefix: string, options?: ListOptions): Promise<EntryPage>;
  /** Like `list`, but only keys and revisions. Values are not read. */
  versions(prefix: string, options?: ListOptions): Promise<VersionPage>;
  /**
   * Applies all writes or none. `expected` is the revision the key must be at, 0 for absent; without it there is no
   * comparison. A commit that changes nothing (checks, and deletes of absent keys) returns the newest revision.
   */
  commit(writes: readonly Write[]): Promise<CommitOutcome>;
  /** The iterable may be iterated once. It throws `Expired` when it cannot continue without a gap. */
  watch(prefix: string, options: WatchOptions): AsyncIterable<Commit>;
  /** Discards history before `revision`; reads at it and watches after it still work. */
  compact(revision: Revision): Promise<void>;
  /** The newest revision. */
  revision(): Promise<Revision>;
  /** Current problems that need an operator. Most stores have none. */
  problems?(): readonly StoreProblem[];
  /** Bytes that this process has written to files of the store. Absent if it has none. */
  writtenBytes?(): number;
  /** Finishes acknowledged work, ends watches, releases resources. Later calls fail with `Closed`. Idempotent. */
  close(): Promise<void>;
}
