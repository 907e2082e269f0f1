/**
 * An open database file. SQLite orders the writers of all processes with locks that end with their process, and in WAL
 * mode readers neither wait for writers nor delay them.
 *
 * Nothing in this process may open the database file, or the `-shm` file, by other means while a connection exists:
 * closing any descriptor of a file drops all locks that the process has on it (POSIX).
 */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import {
  type Binding,
  checkVersion,
  type Database,
  type ListStatement,
  loadBinding,
  type Statement,
} from './binding.ts';
import { createDatabase } from './create.ts';
import { createDirectory, flush } from './directories.ts';
import { isBusy, isMalformed, translate } from './failures.ts';
import { Identities } from './identities.ts';
import { applicationId, schemaVersion } from './schema.ts';
import { type LogPosition, WriteAheadLog } from './write-ahead-log.ts';

/** The name of the database file in the registry's directory. SQLite keeps `-wal` and `-shm` beside it. */
export const databaseFile = 'registry.db';

/** How long opening and reading wait for a process that recovers or closes the database, which takes milliseconds. */
const busyTimeoutMs = 5_000;

/**
 * Size of the write-ahead log after which a commit copies it into the database. That takes several flushes, so it is
 * three times the default of SQLite, and usually done before, while nothing is written: see `checkpoint`.
 */
const logBytesMax = 12 * 1024 * 1024;

/** Limits the size to which the write-ahead log shrinks after it has grown. Growing again makes commits slower. */
const logFileBytes = 13 * 1024 * 1024;

/**
 * Pages of the database in the memory of this process, instead of 2 MiB. What is read again soon fits; the rest is in the
 * page cache of the system.
 */
const cacheKiB = 256;

const settings = [
  `PRAGMA registry.cache_size = -${cacheKiB}`,
  // A commit returns after its flush.
  'PRAGMA registry.synchronous = FULL',
  'PRAGMA fullfsync = ON',
  'PRAGMA checkpoint_fullfsync = ON',
  `PRAGMA registry.journal_size_limit = ${logFileBytes}`,
  'PRAGMA cell_size_check = ON',
  'PRAGMA trusted_schema = OFF',
].join(';');

const logLost =
  'the write-ahead log was truncated or overwritten while it was open, and commits are lost. End all processes that use the registry; opening it then says what is missing';

export class Connection {
  readonly what: string;
  readonly directory: string;
  readonly #file: string;
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();
  readonly #lists = new Map<string, ListStatement>();
  readonly #identities: Identities;
  readonly #log: WriteAheadLog;
  #writtenBytes = 0;
  #inTransaction = false;

  /** Creates the directory and the database if they do not exist. Throws an error of the catalogue. */
  static async open(directory: string): Promise<Connection> {
    const what = `the registry at ${directory}`;
    const binding = await loadBinding();
    try {
      createDirectory(directory);
      accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
      createDatabase(binding, directory, databaseFile);
      return twiceIfMalformed(() => new Connection(what, directory, binding));
    } catch (error) {
      throw translate(error, what, directory);
    }
  }

  private constructor(what: string, directory: string, binding: Binding) {
    this.what = what;
    this.directory = directory;
    this.#file = join(directory, databaseFile);
    // SQLite takes an empty file for a new database. Here it is one that has lost its content: see create.ts.
    if (statSync(this.#file).size === 0) throw this.#corrupt('the file is empty');
    // The file is attached to an empty database: detaching releases it immediately, whereas closing a connection releases
    // its own file only after the garbage collector has found all prepared statements. The timeout comes first, because
    // even opening can meet the lock of another process.
    this.#database = new binding.DatabaseSync(':memory:', { timeout: busyTimeoutMs });
    try {
      this.#database.prepare('ATTACH ? AS registry').run(this.#file);
      this.#database.exec(settings);
      this.#checkContent();
      const pageBytes = Number(this.#pragma('page_size'));
      this.#database.exec(`PRAGMA wal_autocheckpoint = ${Math.floor(logBytesMax / pageBytes)}`);
      this.#flushLog();
      this.#log = new WriteAheadLog(`${this.#file}-wal`, pageBytes, () => {
        const found = this.sql('PRAGMA registry.wal_checkpoint(NOOP)').get();
        return { frames: Number(found?.['log']), copied: Number(found?.['checkpointed']) };
      });
      // From here on a writer waits for its turn without blocking the thread: see `tryTransaction`.
      this.#database.exec('PRAGMA busy_timeout = 0');
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#identities = new Identities(directory, this.#file);
  }

  /** The statement for this text, prepared once. */
  sql(text: string): Statement {
    const known = this.#statements.get(text);
    if (known) return known;
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  /** As `sql`, for reads of many rows: each is a list of values. */
  lists(text: string): ListStatement {
    const known = this.#lists.get(text);
    if (known) return known;
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(true);
    const lists = statement as unknown as ListStatement;
    this.#lists.set(text, lists);
    return lists;
  }

  /** Runs several reads on one snapshot. */
  snapshot<T>(read: () => T): T {
    return this.#inTransaction ? read() : this.statement(() => this.#between('BEGIN', read));
  }

  /** Runs one statement that reads, a second time if the first finds damage. */
  statement<T>(read: () => T): T {
    try {
      return twiceIfMalformed(read);
    } catch (error) {
      if (!isBusy(error)) throw translate(error, this.what, this.directory);
    }
    // Another process is recovering or closing the database.
    try {
      this.#database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      return read();
    } catch (error) {
      throw translate(error, this.what, this.directory);
    } finally {
      this.#database.exec('PRAGMA busy_timeout = 0');
    }
  }

  /**
   * Runs `work` as the only writer of all processes, and returns when its changes are on the disk. Returns undefined,
   * without having run it, while another process writes. If `work` throws, nothing is changed; it may be called again.
   */
  tryTransaction<T>(work: () => T): { readonly value: T } | undefined {
    try {
      const position = this.statement(() => this.#log.position());
      if (!this.#log.has(position)) throw this.#corrupt(logLost);
      let isRunning = false;
      try {
        const value = twiceIfMalformed(() =>
          this.#between('BEGIN IMMEDIATE', () => {
            isRunning = true;
            return work();
          }),
        );
        // After the commit, so that none is missed.
        this.#require(this.#identities.checkCommitted());
        this.#require(this.#checkLog(position));
        this.#count(position);
        return { value };
      } catch (error) {
        if (!isRunning && isBusy(error)) return undefined;
        throw error;
      }
    } catch (error) {
      throw translate(error, this.what, this.directory);
    }
  }

  /** Bytes that this process has written to the database and its log. Commits of others at the same time may count. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  #count(before: LogPosition): void {
    this.#writtenBytes += this.#log.writtenBetween(before, this.#log.position());
  }

  #checkLog(before: LogPosition): string | undefined {
    return this.statement(() => this.#log.has(before)) ? undefined : `${this.#file}: ${logLost}`;
  }

  #between<T>(begin: string, work: () => T): T {
    this.sql(begin).run();
    this.#inTransaction = true;
    try {
      const value = work();
      this.sql('COMMIT').run();
      this.#inTransaction = false;
      return value;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** SQLite has rolled back by itself after some errors, such as a full disk. */
  #rollBack(): void {
    this.#inTransaction = false;
    try {
      this.sql('ROLLBACK').run();
    } catch {}
  }

  /** Copies the write-ahead log into the database, as far as no other process reads it. A later one makes up for a failure. */
  checkpoint(): void {
    try {
      const before = this.#log.position();
      this.sql('PRAGMA registry.wal_checkpoint(PASSIVE)').get();
      this.#count(before);
    } catch {}
  }

  /** Throws `Unavailable` if a file was deleted or replaced: what is read from it then is out of date. */
  check(): void {
    this.#require(this.#identities.check());
  }

  close(): void {
    try {
      this.#log.close();
      this.#database.exec('DETACH registry');
    } finally {
      this.#database.close();
    }
  }

  #checkContent(): void {
    checkVersion(String(this.#pragma('sqlite_version', 'SELECT sqlite_version() AS sqlite_version')));
    const application = this.#pragma('application_id');
    const version = Number(this.#pragma('user_version'));
    if (application !== applicationId) throw this.#corrupt('it is a database of another program');
    if (version !== schemaVersion) {
      const reason = `${this.#file} has format ${version}, and this program reads format ${schemaVersion}: use the version of the program that wrote it`;
      throw new ApiError('BadRequest', { reason });
    }
    if (this.#pragma('journal_mode', 'PRAGMA registry.journal_mode = WAL') !== 'wal') {
      throw new ApiError('Unavailable', { what: this.what, reason: 'its file system does not support shared memory' });
    }
  }

  /**
   * The log can hold the commit of a process that was killed before its flush. Opening has taken it for a commit like any
   * other, so it has to be on the disk before it is read. SQLite has no locks on this file that closing it could drop.
   */
  #flushLog(): void {
    const log = `${this.#file}-wal`;
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (size > 0) flush(log);
  }

  #pragma(name: string, text = `PRAGMA registry.${name}`): unknown {
    return this.#database.prepare(text).get()?.[name];
  }

  #corrupt(reason: string): ApiError {
    return new ApiError('Corrupt', { what: this.#file, reason });
  }

  #require(changed: string | undefined): void {
    if (changed !== undefined) throw new ApiError('Unavailable', { what: this.what, reason: changed });
  }
}

/**
 * Runs it again if it finds the database malformed: SQLite reports that for a read that the disk has refused once, too.
 */
function twiceIfMalformed<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!isMalformed(error)) throw error;
    return run();
  }
}
