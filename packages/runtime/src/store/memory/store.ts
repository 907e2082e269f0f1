/**
 * The store for tests and simulation: the complete contract, in plain arrays, in one process. All users of one object
 * share the data, so a simulated process can be stopped and started again on it.
 */
import { ApiError } from '../../api/errors.ts';
import { Columns } from '../columns.ts';
import type {
  Change,
  Commit,
  CommitOutcome,
  Entry,
  EntryPage,
  ListOptions,
  Revision,
  Store,
  VersionPage,
  WatchOptions,
  Write,
} from '../contract.ts';
import { limits } from '../contract.ts';
import { copyOf } from '../copy.ts';
import { checkCompactable, checkReachable } from '../expired.ts';
import { type Detail, follow, type LogBatch } from '../follow.ts';
import { RevisionNotifier } from '../revision-notifier.ts';
import { checkLimit, checkWrites } from '../validate.ts';

/** One version of a key; `value` is undefined if the key was deleted. */
interface Version {
  readonly revision: Revision;
  readonly created: Revision;
  readonly value: Uint8Array | undefined;
}

interface LoggedCommit {
  readonly revision: Revision;
  readonly keys: readonly string[];
}

export interface MemoryStoreOptions {
  /** Commits kept in the log for watchers. Default 10,000. More needs memory, fewer means more relists after a pause. */
  readonly logCommitsMax?: number;
}

const batchCommitsMax = 256;
const nothing = new Uint8Array(0);

export class MemoryStore implements Store {
  readonly #logCommitsMax: number;
  readonly #notifier = new RevisionNotifier();
  /** Oldest version first. A deleted key is kept until its deletion is compacted. */
  readonly #histories = new Map<string, Version[]>();
  readonly #sortedKeys: string[] = [];
  #log: LoggedCommit[] = [];
  #revision: Revision = 0;
  #compacted: Revision = 0;
  #closed = false;

  constructor(options: MemoryStoreOptions = {}) {
    this.#logCommitsMax = options.logCommitsMax ?? 10_000;
  }

  async get(key: string, at?: Revision): Promise<Entry | undefined> {
    return this.#entryAt(key, this.#readRevision(at));
  }

  async list(prefix: string, options: ListOptions = {}): Promise<EntryPage> {
    checkLimit(options.limit);
    const revision = this.#readRevision(options.at);
    const limit = options.limit ?? limits.pageEntries;
    const entries: Entry[] = [];
    let sizeBytes = 0;
    for (const entry of this.#entries(prefix, options.after, revision)) {
      const last = entries.at(-1);
      if (last && (entries.length >= limit || sizeBytes >= limits.pageBytesMax))
        return { entries, revision, next: last.key };
      entries.push(entry);
      sizeBytes += entry.value.byteLength;
    }
    return { entries, revision };
  }

  async versions(prefix: string, options: ListOptions = {}): Promise<VersionPage> {
    checkLimit(options.limit);
    const revision = this.#readRevision(options.at);
    const keys: string[] = [];
    const columns = new Columns();
    let next: string | undefined;
    for (const entry of this.#entries(prefix, options.after, revision)) {
      if (keys.length >= (options.limit ?? Infinity)) {
        next = keys.at(-1);
        break;
      }
      keys.push(entry.key);
      columns.push(entry.revision, entry.created);
    }
    return { keys, ...columns.finish(), revision, ...(next === undefined ? {} : { next }) };
  }

  async commit(writes: readonly Write[]): Promise<CommitOutcome> {
    this.#checkOpen();
    checkWrites(writes);
    for (const { key, expected } of writes) {
      const actual = this.#newest(key)?.revision ?? 0;
      if (expected !== undefined && actual !== expected) return { committed: false, key, expected, actual };
    }
    const effective = writes.filter(
      (write) => write.type === 'put' || (write.type === 'delete' && this.#newest(write.key)),
    );
    if (effective.length === 0) return { committed: true, revision: this.#revision };
    const revision = ++this.#revision;
    for (const write of effective) this.#append(write, revision);
    const keys = effective.map((write) => write.key);
    this.#log.push({ revision, keys });
    // Compacting a tenth at a time keeps the cost of a commit constant.
    if (this.#log.length > this.#logCommitsMax * 1.1) this.#compactTo(revision - this.#logCommitsMax);
    this.#notifier.notify(revision, keys);
    return { committed: true, revision };
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<Commit> {
    return follow(
      {
        read: (after, under, detail) => this.#readLog(after, under, detail),
        waiter: (under) => this.#notifier.waiter(under),
      },
      prefix,
      options,
    );
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen();
    checkCompactable(revision, this.#revision);
    this.#compactTo(revision);
  }

  async revision(): Promise<Revision> {
    this.#checkOpen();
    return this.#revision;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#notifier.close('the memory store');
  }

  #checkOpen(): void {
    if (this.#closed) throw new ApiError('Closed', { what: 'the memory store' });
  }

  #readRevision(at: Revision | undefined): Revision {
    this.#checkOpen();
    if (at === undefined) return this.#revision;
    checkReachable(at, this.#compacted, this.#revision);
    return at;
  }

  #newest(key: string): Version | undefined {
    const version = this.#histories.get(key)?.at(-1);
    return version?.value === undefined ? undefined : version;
  }

  #entryAt(key: string, revision: Revision): Entry | undefined {
    const history = this.#histories.get(key);
    // Most reads are of the newest version.
    let index = (history?.length ?? 0) - 1;
    while ((history?.[index]?.revision ?? 0) > revision) index--;
    const version = history?.[index];
    if (version?.value === undefined) return undefined;
    return { key, value: version.value, revision: version.revision, created: version.created };
  }

  *#entries(prefix: string, after: string | undefined, revision: Revision): Generator<Entry> {
    const keys = this.#sortedKeys;
    const start = after !== undefined && after >= prefix ? after : prefix;
    for (let index = lowerBound(keys, start); index < keys.length; index++) {
      const key = keys[index] as string;
      if (!key.startsWith(prefix)) return;
      if (key === after) continue;
      const entry = this.#entryAt(key, revision);
      if (entry) yield entry;
    }
  }

  #append(write: Write, revision: Revision): void {
    const previous = this.#newest(write.key);
    let history = this.#histories.get(write.key);
    if (!history) {
      history = [];
      this.#histories.set(write.key, history);
      this.#sortedKeys.splice(lowerBound(this.#sortedKeys, write.key), 0, write.key);
    }
    // The bytes are copied so that a caller that reuses its buffer cannot change what is stored.
    const value = write.type === 'put' ? copyOf(write.value) : undefined;
    history.push({ revision, created: previous?.created ?? revision, value });
  }

  #readLog(after: Revision, prefix: string, detail: Detail): LogBatch {
    this.#checkOpen();
    checkReachable(after, this.#compacted, this.#revision);
    // The log has one entry for each revision.
    const start = Math.max(after + 1 - (this.#log[0]?.revision ?? 0), 0);
    const batch = this.#log.slice(start, start + batchCommitsMax);
    const commits: Commit[] = [];
    for (const { revision, keys } of batch) {
      const changes = keys.filter((key) => key.startsWith(prefix)).map((key) => this.#changeAt(key, revision, detail));
      if (changes.length > 0) commits.push({ revision, changes });
    }
    return { commits, through: batch.at(-1)?.revision ?? after };
  }

  #changeAt(key: string, revision: Revision, detail: Detail): Change {
    const history = this.#histories.get(key) ?? [];
    const index = history.findIndex((version) => version.revision === revision);
    const version = history[index];
    if (!version)
      throw new ApiError('Internal', { reason: `the log names ${key} at revision ${revision}, its history does not` });
    const before = detail === 'history' ? history[index - 1]?.value : undefined;
    const previous = before === undefined ? {} : { previous: before };
    if (version.value === undefined) return { type: 'delete', key, ...previous };
    return {
      type: 'put',
      key,
      value: detail === 'keys' ? nothing : version.value,
      created: version.created,
      ...previous,
    };
  }

  /** The newest version of a key, without waiting. */
  protected newestEntry(key: string): Entry | undefined {
    return this.#entryAt(key, this.#revision);
  }

  /** Drops what a reader at `revision` or later cannot see: versions replaced by then, and deletions up to then. */
  #compactTo(revision: Revision): void {
    if (revision <= this.#compacted) return;
    const kept = this.#log.findIndex((logged) => logged.revision > revision);
    const dropped = this.#log.splice(0, kept === -1 ? this.#log.length : kept);
    for (const key of new Set(dropped.flatMap((logged) => logged.keys))) {
      const history = this.#histories.get(key);
      if (!history) continue;
      const base = history.findLastIndex((version) => version.revision <= revision);
      history.splice(0, history[base]?.value === undefined ? base + 1 : base);
      if (history.length > 0) continue;
      this.#histories.delete(key);
      this.#sortedKeys.splice(lowerBound(this.#sortedKeys, key), 1);
    }
    this.#compacted = revision;
  }
}

function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
