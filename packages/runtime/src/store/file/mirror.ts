/**
 * What the store knows of its files: one row for each key that has a file or is about to have one. A file that differs
 * from its row was edited by hand; a row that is pending has a value that its file does not show yet.
 */
import type { Database } from 'lmdb';
import type { Ledger } from '../lmdb/ledger.ts';
import type { Extension } from './names.ts';
import type { Sight } from './sight.ts';

export interface Row {
  readonly extension: Extension;
  /** SHA-256 of the file when it was last written or taken in; empty if there was none. */
  readonly hash: string;
  /** The fingerprint of that file; empty if there was none. */
  readonly stat: string;
  /** The newest value is not in the file yet (or the key is deleted, and its file is not). */
  readonly pending: boolean;
}

export class Mirror {
  readonly #table: Database<Row, string>;

  constructor(ledger: Ledger) {
    this.#table = ledger.openTable<Row>('mirror');
  }

  get(key: string): Row | undefined {
    return this.#table.get(key);
  }

  rows(): Iterable<{ key: string; value: Row }> {
    return this.#table.getRange();
  }

  /** Whether there should be files in a directory, given as the keys' first part. */
  hasBelow(directory: string): boolean {
    const prefix = `${directory}/`;
    for (const key of this.#table.getKeys({ start: prefix, limit: 1 })) return key.startsWith(prefix);
    return false;
  }

  /** Inside a write transaction. */
  set(key: string, row: Row | undefined): void {
    if (row === undefined) this.#table.removeSync(key);
    else this.#table.putSync(key, row);
  }
}

/** Whether a file is as its row says: nobody touched it. */
export function isUntouched(sight: Sight, row: Row | undefined): boolean {
  if (sight.is === 'absent') return row === undefined || row.stat === '';
  return sight.is === 'file' && sight.stat === row?.stat && sight.extension === row.extension;
}
