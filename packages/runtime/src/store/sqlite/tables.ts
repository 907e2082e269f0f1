/**
 * Reads and writes the tables (schema.ts). Functions with several reads need one snapshot: call them inside
 * `Connection.snapshot` or a transaction. Functions that write need a transaction.
 */
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
import type { SqlRow, SqlValue, SqlValues } from './binding.ts';
import type { Connection } from './connection.ts';
import { isBusy } from './failures.ts';
import { type Plan, planCommits } from './plan.ts';
import { checkRow, checksumOf, type Pointer, type Row, revisionOf, rowNumber } from './row.ts';

/** Rows and bytes of the log that a watch reads at a time, so that one far behind does not block the event loop. */
const batchRowsMax = 256;
const batchBytesMax = 4 * 1024 * 1024;

/** Entries that a scan of keys reads at a time. */
const scanEntries = 1_000;

/** Values of a list that are read at a time: a few of unknown size at first, then as many as these bytes usually have. */
const listRowsMin = 32;
const listStepBytes = 256 * 1024;

function rowsWithin(sizeBytes: number, entries: number): number {
  if (entries === 0) return listRowsMin;
  return Math.max(1, Math.min(scanEntries, Math.floor((listStepBytes * entries) / (sizeBytes + 1))));
}

const nothing = new Uint8Array(0);

/** Keys are ASCII without DEL, so this sorts after every key that has the prefix. */
const lastCharacter = '\x7f';

interface KeyPointer extends Pointer {
  readonly key: string;
}

export class Tables {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get revision(): Revision {
    return this.#bounds().newest;
  }

  get compacted(): Revision {
    return this.#bounds().compacted;
  }

  get(key: string, at: Revision | undefined): Entry | undefined {
    if (at === undefined) return this.newest(key);
    const revision = this.#readRevision(at);
    const pointer = this.#pointer(key);
    return pointer && this.#entryAt(key, pointer, revision);
  }

  /** One statement. */
  newest(key: string): Entry | undefined {
    const found = this.#connection
      .lists(
        `SELECT entry.row, entry.created, previous, time, checksum, value
           FROM entry LEFT JOIN log ON log.number = entry.row WHERE entry.key = ?`,
      )
      .get(key);
    if (!found) return undefined;
    const [row, created, ...values] = found;
    const pointer = { key, row: integer(row), created: integer(created) };
    if (pointer.created === 0) return undefined;
    // The whole row tells what is wrong with it.
    return newestEntry(pointer, values) ?? entryOf(key, pointer.created, this.#row(pointer.row));
  }

  list(prefix: string, options: ListOptions): EntryPage {
    const revision = this.#readRevision(options.at);
    const limit = options.limit ?? limits.pageEntries;
    const entries: Entry[] = [];
    const damaged: Damage[] = [];
    let sizeBytes = 0;
    let last: string | undefined;
    let next: string | undefined;
    // One more than the page has, to know whether there is another page.
    const remaining = () => Math.min(limit - entries.length + 1, rowsWithin(sizeBytes, entries.length));
    for (const { found, ...pointer } of this.#scanRows(prefix, { after: options.after, at: revision }, remaining)) {
      const { key } = pointer;
      if (entries.length >= limit || sizeBytes >= limits.pageBytesMax) {
        if (!this.#pointerAt(pointer, revision)) continue;
        next = last;
        break;
      }
      last = key;
      const entry =
        (revisionOf(pointer.row) > revision ? undefined : newestEntry(pointer, found)) ??
        this.#entryOrDamage(key, pointer, revision, damaged);
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
    for (const newest of this.#scan(prefix, options.after)) {
      const pointer = this.#pointerAt(newest, revision);
      if (!pointer) continue;
      if (keys.length >= limit) {
        next = keys.at(-1);
        break;
      }
      keys.push(newest.key);
      columns.push(revisionOf(pointer.row), pointer.created);
    }
    return { keys, ...columns.finish(), revision, ...(next === undefined ? {} : { next }) };
  }

  /** The log after a revision, in whole commits. */
  read(after: Revision, prefix: string, detail: Detail): LogBatch {
    const { newest, compacted } = this.#bounds();
    checkReachable(after, compacted, newest);
    const commits: Commit[] = [];
    let through = after;
    let rows = 0;
    let sizeBytes = 0;
    let changes: Change[] = [];
    for (const { number, key } of this.#logFrom(rowNumber(after + 1, 0))) {
      const revision = revisionOf(number);
      if (revision !== through) {
        if (rows >= batchRowsMax || sizeBytes >= batchBytesMax) return { commits, through };
        changes = [];
        through = revision;
      }
      rows++;
      if (!key.startsWith(prefix)) continue;
      const change = this.#change(number, key, detail);
      sizeBytes += change.type === 'put' ? change.value.byteLength : 0;
      changes.push(change);
      if (changes.length === 1) commits.push({ revision, changes });
    }
    return { commits, through: newest };
  }

  /** The value that a change after a revision replaced. Returns undefined if it was a deletion. Throws `Expired`. */
  valueOf(row: number, after: Revision): Uint8Array | undefined {
    const { newest, compacted } = this.#bounds();
    checkReachable(after, compacted, newest);
    return this.#findRow(row)?.value;
  }

  /** Only reads. */
  plan(commits: readonly Writes[], timeMs: number): Plan {
    return planCommits(commits, this.revision, (key) => this.#pointer(key), timeMs);
  }

  write({ rows, pointers }: Plan): void {
    const insert = this.#connection.sql(
      'INSERT INTO log (number, key, created, previous, time, checksum, value) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    for (const row of rows) {
      const { number, key, created, previous, timeMs, value = null } = row;
      insert.run(number, key, created, previous, timeMs, checksumOf(row), value);
    }
    const point = this.#connection.sql('INSERT OR REPLACE INTO entry (key, row, created) VALUES (?, ?, ?)');
    for (const [key, { row, created }] of pointers) point.run(key, row, created);
  }

  /** The last of at most `revisionsMax` revisions after the compacted one that are older than `beforeMs`. */
  lastOlderThan(beforeMs: number, revisionsMax: number): Revision {
    const compacted = this.compacted;
    const start = rowNumber(compacted + 1, 0);
    const end = rowNumber(compacted + 1 + revisionsMax, 0);
    const young = this.#connection
      .sql('SELECT number FROM log WHERE number >= ? AND number < ? AND time >= ? ORDER BY number LIMIT 1')
      .get(start, end, beforeMs)?.['number'];
    const last = this.#connection
      .sql('SELECT max(number) AS number FROM log WHERE number >= ? AND number < ?')
      .get(start, typeof young === 'number' ? young : end)?.['number'];
    return typeof last === 'number' ? revisionOf(last) : compacted;
  }

  /** Removes what no reader at `target` or later, and no watcher after it, can reach. */
  compact(target: Revision): void {
    const compacted = this.compacted;
    if (target <= compacted) return;
    const range = [rowNumber(compacted + 1, 0), rowNumber(target + 1, 0) - 1] as const;
    const run = (text: string, ...parameters: SqlValue[]) => this.#connection.sql(text).run(...parameters);
    // Values that were replaced up to the target. Before deletions are removed: they replaced something too.
    run('DELETE FROM log WHERE number IN (SELECT previous FROM log WHERE number BETWEEN ? AND ?)', ...range);
    // Keys that are still deleted. One that was created again points to a later row.
    run(
      `DELETE FROM entry WHERE created = 0 AND row BETWEEN ? AND ?
         AND key IN (SELECT key FROM log WHERE number BETWEEN ? AND ? AND value IS NULL)`,
      ...range,
      ...range,
    );
    run('DELETE FROM log WHERE number BETWEEN ? AND ? AND value IS NULL', ...range);
    run("INSERT OR REPLACE INTO meta (name, value) VALUES ('compacted', ?)", target);
  }

  #bounds(): { readonly newest: Revision; readonly compacted: Revision } {
    const found = this.#connection
      .sql(
        `SELECT coalesce((SELECT max(number) FROM log), 0) AS last,
           coalesce((SELECT value FROM meta WHERE name = 'compacted'), 0) AS compacted`,
      )
      .get();
    const compacted = integer(found?.['compacted']);
    // Compaction may have removed the last row, if that was a deletion.
    return { newest: Math.max(revisionOf(integer(found?.['last'])), compacted), compacted };
  }

  #readRevision(at: Revision | undefined): Revision {
    const { newest, compacted } = this.#bounds();
    if (at === undefined) return newest;
    checkReachable(at, compacted, newest);
    return at;
  }

  #pointer(key: string): Pointer | undefined {
    const found = this.#connection.sql('SELECT row, created FROM entry WHERE key = ?').get(key);
    return found && { row: integer(found['row']), created: integer(found['created']) };
  }

  /** In order of the key, in bounded steps: a statement that stays open would keep the log from being reused. */
  *#scan(prefix: string, after: string | undefined): Generator<KeyPointer, void> {
    const end = prefix + lastCharacter;
    const select = (comparison: '>' | '>=') =>
      this.#connection.sql(
        `SELECT key, row, created FROM entry WHERE key ${comparison} ? AND key < ? ORDER BY key LIMIT ${scanEntries}`,
      );
    const isAfter = after !== undefined && after >= prefix;
    let found = select(isAfter ? '>' : '>=').all(isAfter ? after : prefix, end);
    for (;;) {
      let key = '';
      for (const row of found) {
        key = text(row['key']);
        yield { key, row: integer(row['row']), created: integer(row['created']) };
      }
      if (found.length < scanEntries) return;
      found = select('>').all(key, end);
    }
  }

  /**
   * As `#scan`, together with the columns of the newest row of each key, and without keys that were deleted up to `at`.
   * `count` returns how many are read in the next step. The columns are undefined if any row of the step cannot be read:
   * one damaged page does not hide the other rows.
   */
  *#scanRows(
    prefix: string,
    { after, at }: { readonly after: string | undefined; readonly at: Revision },
    count: () => number,
  ): Generator<KeyPointer & { readonly found: SqlValues | undefined }, void> {
    const end = prefix + lastCharacter;
    let from = after !== undefined && after >= prefix ? after : undefined;
    for (;;) {
      const select = `SELECT entry.key AS key, entry.row AS row, entry.created AS created, previous, time, checksum, value
         FROM entry LEFT JOIN log ON log.number = entry.row
         WHERE entry.key ${from === undefined ? '>=' : '>'} ? AND entry.key < ?
           AND (entry.created > 0 OR entry.row >= ?) ORDER BY entry.key LIMIT ?`;
      const limit = count();
      let rows: SqlValues[];
      try {
        rows = this.#connection.lists(select).all(from ?? prefix, end, rowNumber(at + 1, 0), limit);
      } catch (error) {
        if (isBusy(error)) throw error;
        for (const pointer of this.#scan(prefix, from)) yield { ...pointer, found: undefined };
        return;
      }
      for (const [key, row, created, ...found] of rows) {
        from = text(key);
        yield { key: from, row: integer(row), created: integer(created), found };
      }
      if (rows.length < limit) return;
    }
  }

  /** Enough rows for a batch that ends with a whole commit. */
  #logFrom(start: number): { readonly number: number; readonly key: string }[] {
    const select = 'SELECT number, key FROM log WHERE number >= ? ORDER BY number LIMIT ?';
    return this.#connection
      .sql(select)
      .all(start, batchRowsMax + limits.commitWritesMax)
      .map((row) => ({ number: integer(row['number']), key: text(row['key']) }));
  }

  #findRow(number: number): Row | undefined {
    const select = 'SELECT key, created, previous, time, checksum, value FROM log WHERE number = ?';
    const found = this.#connection.sql(select).get(number);
    return found && rowOf(number, found);
  }

  #row(number: number): Row {
    return this.#findRow(number) ?? missing(number);
  }

  /** The creation and the previous row of a row, without its value. */
  #head(number: number): (Pointer & { readonly previous: number }) | undefined {
    const select = 'SELECT created, previous, value IS NULL AS deleted FROM log WHERE number = ?';
    const found = this.#connection.sql(select).get(number);
    if (!found) return undefined;
    const created = found['deleted'] === 1 ? 0 : integer(found['created']);
    return { row: number, created, previous: integer(found['previous']) };
  }

  /** Follows the rows back to the newest one at a revision. */
  #pointerAt(newest: Pointer, at: Revision): Pointer | undefined {
    let pointer: Pointer = newest;
    while (revisionOf(pointer.row) > at) {
      const { previous } = this.#head(pointer.row) ?? missing(pointer.row);
      // A missing row was a compacted deletion: rows that a reader at `at` can see are kept.
      const before = previous === 0 ? undefined : this.#head(previous);
      if (before === undefined) return undefined;
      pointer = before;
    }
    return pointer.created > 0 ? pointer : undefined;
  }

  #entryAt(key: string, newest: Pointer, at: Revision): Entry | undefined {
    const pointer = this.#pointerAt(newest, at);
    return pointer && entryOf(key, pointer.created, this.#row(pointer.row));
  }

  /** One damaged record is reported and does not hide the others. */
  #entryOrDamage(key: string, newest: Pointer, at: Revision, damaged: Damage[]): Entry | undefined {
    try {
      return this.#entryAt(key, newest, at);
    } catch (error) {
      if (!isApiError(error, 'Corrupt')) throw error;
      damaged.push({ key, revision: revisionOf(newest.row), reason: error.message });
      return undefined;
    }
  }

  #change(number: number, key: string, detail: Detail): Change {
    if (detail === 'keys') {
      const { created } = this.#head(number) ?? missing(number);
      return created === 0 ? { type: 'delete', key } : { type: 'put', key, value: nothing, created };
    }
    const { created, previous, value } = this.#row(number);
    const before = detail === 'history' && previous !== 0 ? this.#findRow(previous)?.value : undefined;
    const history = before === undefined ? {} : { previous: before };
    return value === undefined ? { type: 'delete', key, ...history } : { type: 'put', key, value, created, ...history };
  }
}

/** Throws `Corrupt` if the checksum of the row does not match. */
function rowOf(number: number, found: SqlRow): Row {
  const { value } = found;
  const row: Row = {
    number,
    key: text(found['key']),
    created: integer(found['created']),
    previous: integer(found['previous']),
    timeMs: integer(found['time']),
    value: value instanceof Uint8Array ? value : undefined,
  };
  checkRow(row, integer(found['checksum']));
  return row;
}

/**
 * The entry of a key from the columns `previous`, `time`, `checksum` and `value` of its newest row, if that is as it was
 * written. The key and the creation in the row are not read: with others than these the checksum would not match.
 */
function newestEntry({ key, row: number, created }: KeyPointer, found: SqlValues | undefined): Entry | undefined {
  const revision = revisionOf(number);
  if (found === undefined || created === 0) return undefined;
  const [previous, timeMs, checksum, value] = found;
  if (typeof previous !== 'number' || typeof timeMs !== 'number' || !(value instanceof Uint8Array)) return undefined;
  const isIntact = checksumOf({ number, key, created, previous, timeMs, value }) === checksum;
  return isIntact ? { key, value, revision, created } : undefined;
}

function entryOf(key: string, created: Revision, { number, key: found, value }: Row): Entry {
  if (found !== key || value === undefined) throw damagedIndex(key);
  return { key, value, revision: revisionOf(number), created };
}

function integer(value: SqlRow[string] | undefined): number {
  if (typeof value === 'number') return value;
  throw new ApiError('Corrupt', { what: "the registry's database", reason: `${typeof value} instead of a number` });
}

function text(value: SqlRow[string] | undefined): string {
  if (typeof value === 'string') return value;
  throw new ApiError('Corrupt', { what: "the registry's database", reason: `${typeof value} instead of a string` });
}

function missing(number: number): never {
  throw new ApiError('Corrupt', { what: `row ${number} of the registry's log`, reason: 'it is missing' });
}

function damagedIndex(key: string): ApiError {
  return new ApiError('Corrupt', { what: `the record ${key}`, reason: 'its entry points to another row' });
}
