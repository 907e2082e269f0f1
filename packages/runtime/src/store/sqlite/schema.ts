/**
 * The tables of the database:
 *
 *     entry   key         → the row of the log with its newest value, and the revision that created it (0: deleted)
 *     log     row number  → one change: key, value, and the row that it replaced (see row.ts)
 *     meta    name        → the compacted revision
 *     mirror  key         → the file of the key, in a registry of files (see store/file)
 *
 * A value is stored once, in the log. A list of versions reads `entry` alone, a watch reads the log in order, and a read
 * as of an older revision follows `previous`. The newest revision is that of the last row: no record of its own has to be
 * written with each commit.
 *
 * `value` is the last column, so that reading the others does not read it. A deletion has none.
 */

/** Distinguishes a registry from a database of another program: "ecsm" in ASCII. */
export const applicationId = 0x6563736d;
export const schemaVersion = 1;

/**
 * A commit writes whole pages, so small ones are kind to flash memory: one of a single object of 2 KB writes 18 KB, and 42 KB
 * with pages of 16 KB, which some databases have. Commits that share a flush, lists and processor time differ little.
 */
const pageBytes = 4 * 1024;

export const schema = `
  PRAGMA page_size = ${pageBytes};
  CREATE TABLE entry (
    key TEXT NOT NULL PRIMARY KEY,
    row INTEGER NOT NULL,
    created INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE log (
    number INTEGER NOT NULL PRIMARY KEY,
    key TEXT NOT NULL,
    created INTEGER NOT NULL,
    previous INTEGER NOT NULL,
    time INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    value BLOB
  ) STRICT;
  CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE mirror (
    key TEXT NOT NULL PRIMARY KEY,
    extension TEXT NOT NULL,
    hash TEXT NOT NULL,
    stat TEXT NOT NULL,
    pending INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${schemaVersion};
`;
