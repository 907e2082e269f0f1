/**
 * The recorded state of the files: one row for each key that has a file or is about to get one. A file that differs from
 * its row was edited manually; a pending row has a value that is not in its file yet.
 */
import type { SqlRow } from '../sqlite/binding.ts';
import type { Connection } from '../sqlite/connection.ts';
import { type Extension, extensions } from './names.ts';
import type { Observation } from './observation.ts';

export interface Row {
  readonly extension: Extension;
  /** SHA-256 of the file when it was last written or read; empty if there was none. */
  readonly hash: string;
  /** The fingerprint of that file; empty if there was none. */
  readonly stat: string;
  /** The newest value is not in the file yet (or the key is deleted, and its file is not). */
  readonly pending: boolean;
}

const columns = 'key, extension, hash, stat, pending';

/** The table `mirror` of the ledger's database: see schema.ts. */
export class Mirror {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get(key: string): Row | undefined {
    const found = this.#connection.sql(`SELECT ${columns} FROM mirror WHERE key = ?`).get(key);
    return found && rowOf(found);
  }

  rows(): { key: string; value: Row }[] {
    const found = this.#connection.sql(`SELECT ${columns} FROM mirror ORDER BY key`).all();
    return found.map((row) => ({ key: String(row['key']), value: rowOf(row) }));
  }

  /** Whether there should be files in a directory, given as a prefix of keys. */
  hasBelow(directory: string): boolean {
    const prefix = `${directory}/`;
    const first = this.#connection.sql('SELECT key FROM mirror WHERE key >= ? ORDER BY key LIMIT 1').get(prefix);
    return first !== undefined && String(first['key']).startsWith(prefix);
  }

  /** Inside a write transaction. */
  set(key: string, row: Row | undefined): void {
    if (row === undefined) {
      this.#connection.sql('DELETE FROM mirror WHERE key = ?').run(key);
      return;
    }
    const { extension, hash, stat, pending } = row;
    this.#connection
      .sql(`INSERT OR REPLACE INTO mirror (${columns}) VALUES (?, ?, ?, ?, ?)`)
      .run(key, extension, hash, stat, pending ? 1 : 0);
  }
}

function rowOf({ extension, hash, stat, pending }: SqlRow): Row {
  return {
    extension: extensions.find((known) => known === extension) ?? extensions[0],
    hash: String(hash),
    stat: String(stat),
    pending: pending === 1,
  };
}

/** Whether a file matches its row: it was not edited. */
export function isUntouched(observed: Observation, row: Row | undefined): boolean {
  if (observed.is === 'absent') return row === undefined || row.stat === '';
  return observed.is === 'file' && observed.stat === row?.stat && observed.extension === row.extension;
}
