/**
 * The newest commits of this process, in memory. Watches read them here instead of the log, which each of them would
 * otherwise read again after every flush.
 */
import type { Change, Commit, Entry, Revision } from '../contract.ts';
import { copyOf } from '../copy.ts';
import type { Detail, LogBatch } from '../follow.ts';
import type { Plan } from './plan.ts';
import { type Row, revisionOf } from './row.ts';

/** A watch that is further behind reads the log. */
const rowsMax = 256;
const bytesMax = 256 * 1024;

/** Entries that were read last: a write usually replaces one that its writer has just read. */
const entriesMax = 64;
const entryBytesMax = 4 * 1024;

const nothing = new Uint8Array(0);

interface RecentRow {
  readonly revision: Revision;
  readonly row: Row;
  /** The value that was replaced. Undefined: it was not looked for yet. */
  previous: { readonly value: Uint8Array | undefined } | undefined;
}

/** Returns the value of a row of the log, undefined if it was a deletion. Throws `Expired` if it may be compacted. */
type FindValue = (row: number) => Uint8Array | undefined;

export class RecentRows {
  /** Every row after `#from`, up to `#through`. */
  #rows: RecentRow[] = [];
  #sizeBytes = 0;
  #from: Revision = 0;
  #through: Revision = 0;
  readonly #entries = new Map<string, Entry>();

  /** Call it with entries as they are read. */
  remember(entry: Entry): void {
    if (entry.value.byteLength > entryBytesMax) return;
    if (this.#entries.size >= entriesMax) for (const key of this.#entries.keys()) if (this.#entries.delete(key)) break;
    this.#entries.set(entry.key, entry);
  }

  /** After the plan is durable. */
  add({ since, revision, rows }: Plan): void {
    if (revision === since) return;
    // Another process has written in between.
    if (since !== this.#through) this.clear(since);
    for (const row of rows) {
      // The caller may change its buffer.
      const own = row.value === undefined ? row : { ...row, value: copyOf(row.value) };
      this.#rows.push({ revision: revisionOf(row.number), row: own, previous: this.#replacedBy(row) });
      this.#sizeBytes += sizeOf(row);
    }
    this.#through = revision;
    this.#evict();
  }

  /** Without rows: a watch at an older revision reads the log. */
  clear(revision: Revision): void {
    this.#rows = [];
    this.#sizeBytes = 0;
    this.#from = revision;
    this.#through = revision;
  }

  /** Returns undefined if there may be commits after the revision that are not here. `newest` is known to exist. */
  read(after: Revision, prefix: string, detail: Detail, newest: Revision, find: FindValue): LogBatch | undefined {
    if (this.#through === 0 || after < this.#from || after > this.#through || newest > this.#through) return undefined;
    const commits: Commit[] = [];
    let changes: Change[] = [];
    let last = 0;
    for (const recent of this.#rows.slice(this.#firstAfter(after))) {
      if (!recent.row.key.startsWith(prefix)) continue;
      if (recent.revision !== last) {
        last = recent.revision;
        changes = [];
        commits.push({ revision: last, changes });
      }
      changes.push(changeOf(recent, detail, find));
    }
    return { commits, through: this.#through };
  }

  #replacedBy({ key, previous }: Row): RecentRow['previous'] {
    if (previous === 0) return { value: undefined };
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    return entry.revision === revisionOf(previous) ? { value: entry.value } : undefined;
  }

  #evict(): void {
    let count = 0;
    while (count < this.#rows.length && (this.#rows.length - count > rowsMax || this.#sizeBytes > bytesMax)) {
      const { row, revision } = this.#rows[count++] as RecentRow;
      this.#sizeBytes -= sizeOf(row);
      this.#from = revision;
    }
    if (count === 0) return;
    // The other rows of the last commit that is discarded.
    for (const first = this.#firstAfter(this.#from); count < first; count++) {
      this.#sizeBytes -= sizeOf((this.#rows[count] as RecentRow).row);
    }
    this.#rows = this.#rows.slice(count);
  }

  #firstAfter(revision: Revision): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#rows[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function changeOf(recent: RecentRow, detail: Detail, find: FindValue): Change {
  const { key, created, value, previous } = recent.row;
  const history = detail === 'history' ? historyOf(recent, previous, find) : {};
  if (value === undefined) return { type: 'delete', key, ...history };
  return { type: 'put', key, value: detail === 'keys' ? nothing : value, created, ...history };
}

/** Looked for once for all watches. */
function historyOf(recent: RecentRow, previous: number, find: FindValue): { readonly previous?: Uint8Array } {
  recent.previous ??= { value: find(previous) };
  const { value } = recent.previous;
  return value === undefined ? {} : { previous: value };
}

function sizeOf({ value }: Row): number {
  return value?.byteLength ?? 0;
}
