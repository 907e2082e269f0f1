/**
 * LMDB's tables, and everything that reads or writes them:
 *
 *     index   key         → row that holds its newest value, revision that created it (0: it was deleted)
 *     log     row number  → the change: key, value, and the row before it (see row.ts)
 *     meta    name        → compacted revision
 *     (root)  'revision'  → newest revision, as the value and as lmdb's version of it
 *
 * A value is stored once, in the log; the index says which row is the newest, and each row points to the one it
 * replaced. So a list of versions touches the index alone, a watch is a walk along the log, and a read as of an older
 * revision follows the pointers back. Compaction removes rows that no reader can reach any more.
 *
 * The newest revision lies in the root, beside the tables' own records: that page is written with every commit anyway.
 *
 * Reads are synchronous and see one snapshot as long as they happen in one turn of the event loop. The writing functions
 * may only be called inside a write transaction or `ifUnchanged`.
 */
import type { Database, RootDatabase } from 'lmdb';
import { ApiError, isApiError } from '../../api/errors.ts';
import { Columns } from '../columns.ts';
import {
  type Change,
  type Commit,
  type Damage,
  type Entry,
  type EntryPage,
  type ListOptions,
  limits,
  type Revision,
  type VersionPage,
} from '../contract.ts';
import { checkReachable } from '../expired.ts';
import type { Detail, LogBatch } from '../follow.ts';
import type { Writes } from '../group-commit.ts';
import { type Plan, planCommits } from './plan.ts';
import { type Pointer, pointerEncoder, scanEncoder } from './pointer.ts';
import {
  decodeHead,
  decodeRow,
  decodeValue,
  encodeRow,
  type Row,
  type RowHead,
  revisionOf,
  rowNumber,
  sizeOf,
} from './row.ts';

/** A watcher reads this many rows at a time, so that one far behind does not stop the event loop. */
const batchRowsMax = 256;
const nothing = new Uint8Array(0);
/** Keys are ASCII without DEL, so this sorts behind every key that has the prefix. */
const lastCharacter = '\x7f';

/** lmdb's types know of these options for `putSync` alone. */
type Log = Database<Buffer, number> & {
  put(row: number, value: Buffer, options: { readonly append: true }): Promise<boolean>;
};

export class Tables {
  readonly #index: Database<Pointer, string>;
  /** The same table, for scans: each entry is good until the next is read. */
  readonly #scan: Database<Pointer, string>;
  readonly #log: Log;
  readonly #meta: Database<number, string>;
  readonly #root: RootDatabase<number, string>;

  constructor(root: RootDatabase<number, string>) {
    this.#root = root;
    this.#index = openIndex(root, pointerEncoder);
    this.#scan = openIndex(root, scanEncoder());
    this.#log = root.openDB<Buffer, number>({ name: 'log', encoding: 'binary' }) as Log;
    this.#meta = root.openDB<number, string>({ name: 'meta', encoding: 'ordered-binary' });
  }

  get revision(): Revision {
    // The table has it where nobody has written since the revision was kept there.
    return this.#root.get('revision') ?? this.#meta.get('revision') ?? 0;
  }

  get compacted(): Revision {
    return this.#meta.get('compacted') ?? 0;
  }

  get(key: string, at: Revision | undefined): Entry | undefined {
    const pointer = this.#index.get(key);
    if (at === undefined) return pointer && pointer.created > 0 ? this.#newest(key, pointer) : undefined;
    return pointer && this.#entry(key, pointer, this.#readRevision(at));
  }

  list(prefix: string, options: ListOptions): EntryPage {
    const revision = this.#readRevision(options.at);
    const limit = options.limit ?? limits.pageEntries;
    const entries: Entry[] = [];
    const damaged: Damage[] = [];
    let sizeBytes = 0;
    let last: string | undefined;
    let next: string | undefined;
    for (const { key, value: pointer } of this.#range(prefix, options.after)) {
      if (entries.length >= limit || sizeBytes >= limits.pageBytesMax) {
        if (!this.#pointerAt(pointer, revision)) continue;
        next = last;
        break;
      }
      last = key;
      const entry = this.#entryOrDamage(key, pointer, revision, damaged);
      if (!entry) continue;
      entries.push(entry);
      sizeBytes += entry.value.byteLength;
    }
    return { entries, revision, ...(next === undefined ? {} : { next }), ...(damaged.length === 0 ? {} : { damaged }) };
  }

  versions(prefix: string, options: ListOptions): VersionPage {
    const revision = this.#readRevision(options.at);
    const limit = options.limit ?? Number.POSITIVE_INFINITY;
    const keys: string[] = [];
    const columns = new Columns();
    let next: string | undefined;
    for (const { key, value: newest } of this.#range(prefix, options.after)) {
      const pointer = this.#pointerAt(newest, revision);
      if (!pointer) continue;
      if (keys.length >= limit) {
        next = keys.at(-1);
        break;
      }
      keys.push(key);
      columns.push(revisionOf(pointer.row), pointer.created);
    }
    return { keys, ...columns.finish(), revision, ...(next === undefined ? {} : { next }) };
  }

  /** The log after a revision, in whole commits. */
  read(after: Revision, prefix: string, detail: Detail): LogBatch {
    const newest = this.revision;
    checkReachable(after, this.compacted, newest);
    const commits: Commit[] = [];
    let through = after;
    let rows = 0;
    let changes: Change[] = [];
    for (const number of this.#log.getKeys({ start: rowNumber(after + 1, 0) })) {
      const revision = revisionOf(number);
      if (revision !== through) {
        if (rows >= batchRowsMax) return { commits, through };
        changes = [];
        through = revision;
      }
      rows++;
      const change = this.#change(this.#row(number), prefix, detail);
      if (!change) continue;
      changes.push(change);
      if (changes.length === 1) commits.push({ revision, changes });
    }
    return { commits, through: newest };
  }

  /** What commits come to. Only reads. */
  plan(commits: readonly Writes[], timeMs: number): Plan {
    return planCommits(commits, this.revision, (key) => this.#index.get(key), timeMs);
  }

  /** Carries out a plan. The rows lie in `bytes`, which has to stay as it is until the flush. */
  write({ rows, pointers, revision }: Plan, bytes: Buffer): void {
    let start = 0;
    for (const row of rows) {
      const encoded = bytes.subarray(start, start + sizeOf(row));
      encodeRow(row, encoded);
      // Rows only ever come at the end: LMDB fills page after page then, instead of leaving each half empty. If the commit
      // fails, all of it does, and whoever waits for it is told; lmdb's word for each row is not needed.
      this.#log.put(row.number, encoded, { append: true }).catch(() => {});
      start += encoded.length;
    }
    for (const [key, pointer] of pointers) void this.#index.put(key, pointer);
    void this.#root.put('revision', revision, revision);
  }

  /**
   * Writes on lmdb's own thread, and only if there has been no commit since the given revision; the answer says which.
   * So what was read from a snapshot of that revision holds, and a turn of this thread in the middle is spared.
   */
  ifUnchanged(since: Revision, write: () => void): Promise<boolean> {
    const isThere = this.#root.doesExist('revision');
    return isThere ? this.#root.ifVersion('revision', since, write) : this.#root.ifNoExists('revision', write);
  }

  /** The last of at most `revisionsMax` revisions after the compacted one that are older than `beforeMs`. */
  lastOlderThan(beforeMs: number, revisionsMax: number): Revision {
    const compacted = this.compacted;
    let last = compacted;
    const range = { start: rowNumber(compacted + 1, 0), end: rowNumber(compacted + 1 + revisionsMax, 0) };
    for (const number of this.#log.getKeys(range)) {
      if (this.#head(number).timeMs >= beforeMs) break;
      last = revisionOf(number);
    }
    return last;
  }

  /** Inside a write transaction. A reader at `target` or later, and a watcher after it, notice nothing. */
  compact(target: Revision): void {
    const compacted = this.compacted;
    if (target <= compacted) return;
    const range = { start: rowNumber(compacted + 1, 0), end: rowNumber(target + 1, 0) };
    for (const number of [...this.#log.getKeys(range)]) {
      const row = this.#head(number);
      if (row.previous !== 0) this.#log.removeSync(row.previous);
      if (!row.deleted) continue;
      this.#log.removeSync(number);
      if (this.#index.get(row.key)?.row === number) this.#index.removeSync(row.key);
    }
    this.#meta.putSync('compacted', target);
  }

  #readRevision(at: Revision | undefined): Revision {
    const newest = this.revision;
    if (at === undefined) return newest;
    checkReachable(at, this.compacted, newest);
    return at;
  }

  #range(prefix: string, after: string | undefined) {
    const start = after !== undefined && after >= prefix ? { start: after, exclusiveStart: true } : { start: prefix };
    return this.#scan.getRange({
      ...(prefix === '' && after === undefined ? {} : start),
      end: prefix + lastCharacter,
    });
  }

  #row(number: number): Row {
    return decodeRow(this.#log.getBinary(number) ?? missing(number), number);
  }

  /** Without a copy of the value. */
  #head(number: number): RowHead {
    return decodeHead(this.#log.getBinaryFast(number) ?? missing(number));
  }

  /** Follows the pointers back to what was the newest at a revision. */
  #pointerAt(newest: Pointer, at: Revision): Pointer | undefined {
    let number = newest.row;
    if (revisionOf(number) <= at) return newest.created > 0 ? newest : undefined;
    while (revisionOf(number) > at) {
      number = this.#row(number).previous;
      // A row that is gone was a deletion, compacted: rows that a reader at `at` can see are kept.
      if (number === 0 || !this.#log.doesExist(number)) return undefined;
    }
    const row = this.#row(number);
    return row.deleted ? undefined : { row: number, created: row.created };
  }

  #entry(key: string, newest: Pointer, at: Revision): Entry | undefined {
    const pointer = this.#pointerAt(newest, at);
    return pointer && this.#newest(key, pointer);
  }

  #newest(key: string, { row, created }: Pointer): Entry {
    // lmdb reads every value into the same buffer, so this is the one copy that is made of it.
    const value = Buffer.from(decodeValue(this.#log.getBinaryFast(row) ?? missing(row), row));
    return { key, value, revision: revisionOf(row), created };
  }

  /** One damaged record is reported and does not hide the others. */
  #entryOrDamage(key: string, newest: Pointer, at: Revision, damaged: Damage[]): Entry | undefined {
    try {
      return this.#entry(key, newest, at);
    } catch (error) {
      if (!isApiError(error, 'Corrupt')) throw error;
      damaged.push({ key, revision: revisionOf(newest.row), reason: error.message });
      return undefined;
    }
  }

  #change(row: Row, prefix: string, detail: Detail): Change | undefined {
    const { key, deleted, created } = row;
    if (!key.startsWith(prefix)) return undefined;
    const before =
      detail === 'history' && row.previous !== 0 && this.#log.doesExist(row.previous)
        ? this.#row(row.previous)
        : undefined;
    const previous = before && !before.deleted ? { previous: before.value } : {};
    if (deleted) return { type: 'delete', key, ...previous };
    return { type: 'put', key, value: detail === 'keys' ? nothing : row.value, created, ...previous };
  }
}

function missing(number: number): never {
  throw new ApiError('Corrupt', { what: `row ${number} of the registry's log`, reason: 'it is missing' });
}

function openIndex(root: RootDatabase, encoder: typeof pointerEncoder): Database<Pointer, string> {
  // lmdb's types leave out `encoder`, so it must not stand in the call itself.
  const options = { name: 'index', encoder };
  return root.openDB<Pointer, string>(options);
}
