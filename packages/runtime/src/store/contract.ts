/**
 * What every store promises: bytes under keys, one revision for all of them, and every change in order.
 *
 * A store knows no kinds and never looks into a value. The promises, which `conformance.suite.ts` holds all stores to:
 *
 * - A write is acknowledged only when it is durable, and a reader sees whole commits or nothing of them.
 * - There is one revision for the whole store. It only ever rises, each commit has its own, and it may have gaps.
 * - A read that starts after a write was acknowledged, in this process or another, sees that write.
 * - A watch is ordered, unique, reliable, atomic per commit, and resumable from any revision not yet compacted.
 *   The store's own log is the watcher's buffer: a slow watcher costs no memory, and one that falls behind the
 *   log is told so with `Expired` instead of missing a change.
 * - Failures are errors of the catalogue. After `Unavailable` or `Timeout` a commit may or may not have happened;
 *   after any other error it has not.
 */

/** A point in the history of a store. 0 is before everything. */
export type Revision = number;

/** Limits are the same for every store, so that a registry can move from one to another. */
export const limits = {
  /** A key's length. Keys are `segment/segment/…`, each segment 1 to 200 of `A-Z a-z 0-9 . _ -`, no dot first. */
  keyCharactersMax: 500,
  /** The values of one commit together. etcd takes no request over 1.5 MiB. */
  commitBytesMax: 1024 * 1024,
  /** Writes and checks in one commit together; etcd's limit. */
  commitWritesMax: 128,
  /** Entries a page of `list` has when the caller does not say. */
  pageEntries: 500,
  /** A page of `list` ends early when its values pass this many bytes. */
  pageBytesMax: 8 * 1024 * 1024,
} as const;

export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  /** The commit that wrote this value. */
  readonly revision: Revision;
  /** The commit that created the key; deleting and creating it again gives a new one. */
  readonly created: Revision;
}

export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly expected?: Revision }
  | { readonly type: 'delete'; readonly key: string; readonly expected?: Revision }
  /** Writes nothing, but the commit happens only if the key is at the expected revision. */
  | { readonly type: 'check'; readonly key: string; readonly expected: Revision };

/** A comparison that fails is a normal outcome, not an exception. `actual` is 0 where the key is absent. */
export type CommitOutcome =
  | { readonly committed: true; readonly revision: Revision }
  | { readonly committed: false; readonly key: string; readonly expected: Revision; readonly actual: Revision };

export interface ListOptions {
  /** The most entries a page may have; it may have fewer. Default `limits.pageEntries` for `list`, all for `versions`. */
  readonly limit?: number;
  /** Continue behind this key: the `next` of the page before. */
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
  /** Records in this page's range that cannot be read. They are reported here and hide nothing else. */
  readonly damaged?: readonly Damage[];
  /** The whole list is as of this revision. */
  readonly revision: Revision;
  /** Set if there is more. */
  readonly next?: string;
}

/** Versions in columns, so that a list of a hundred thousand holds its keys and two flat arrays, not as many objects. */
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
      /** The value before, with detail `history`. */
      readonly previous?: Uint8Array;
    }
  | { readonly type: 'delete'; readonly key: string; readonly previous?: Uint8Array };

export interface Commit {
  readonly revision: Revision;
  /** Those of the commit's changes that lie under the watched prefix, in the order they were written. Never empty. */
  readonly changes: readonly Change[];
}

export interface WatchOptions {
  /** Deliver every commit after this revision, each once. */
  readonly after: Revision;
  /** How much of each change to deliver. Default `values`; `history` adds the value before. */
  readonly detail?: 'keys' | 'values' | 'history';
  /** Ends the iteration quietly and lets go of everything that the watch held. */
  readonly signal?: AbortSignal;
}

/** Something that only a person can put right, such as a file that holds an edit which is not valid. */
export interface StoreProblem {
  readonly file: string;
  /** The key that it is about, where that can be told. */
  readonly key?: string;
  readonly reason: string;
  readonly sinceMs: number;
}

export interface Store {
  get(key: string, at?: Revision): Promise<Entry | undefined>;
  /** Entries whose key starts with the prefix, in byte order of the key. */
  list(prefix: string, options?: ListOptions): Promise<EntryPage>;
  /** As `list`, of keys and revisions only. Values are not read. */
  versions(prefix: string, options?: ListOptions): Promise<VersionPage>;
  /**
   * All of the writes, or none. `expected` is the revision the key must be at, 0 for absent; without it anything goes.
   * A commit that changes nothing (checks, and deletes of absent keys) makes no revision and answers with the newest.
   */
  commit(writes: readonly Write[]): Promise<CommitOutcome>;
  /** The iterable may be iterated once. It throws `Expired` when it cannot go on without a gap. */
  watch(prefix: string, options: WatchOptions): AsyncIterable<Commit>;
  /** Forgets history before `revision`; reads at it and watches after it still work. */
  compact(revision: Revision): Promise<void>;
  /** The newest revision. */
  revision(): Promise<Revision>;
  /** What is wrong with the store's surroundings at the moment, for people to put right. Most stores have none. */
  problems?(): readonly StoreProblem[];
  /** Finishes acknowledged work, ends watches, frees everything. Later calls fail with `Closed`. Safe to call twice. */
  close(): Promise<void>;
}
