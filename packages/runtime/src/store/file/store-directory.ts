/**
 * The store's directory. It has the files of the objects, for users to edit. `.registry` below it has the ledger and
 * the drafts of files; it is internal, and git ignores it.
 */
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import { databaseFile } from '../sqlite/connection.ts';
import { createDirectory, directoryMode, fileMode, identityOf } from '../sqlite/directories.ts';
import { translateFileError } from '../sqlite/failures.ts';

/** The process id in the name of a directory of drafts. */
const draftsPattern = /^(\d+)-/u;

export class StoreDirectory {
  readonly path: string;
  /** The directory of the ledger. */
  readonly ledgerDirectory: string;
  #identity = '';
  #drafts = '';
  #draftCount = 0;

  /** Throws `ReadOnly` if the directory cannot be written. */
  constructor(directory: string) {
    // Absolute, so that a later chdir of the program does not change it.
    this.path = resolve(directory);
    this.ledgerDirectory = join(this.path, '.registry');
    try {
      createDirectory(this.path);
      accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw translateFileError(error, `the registry at ${directory}`);
    }
  }

  /** Creates the internal directories. Call it once the ledger exists. */
  prepare(): void {
    try {
      this.#identity = identityOf(this.#database) ?? '';
      const ignore = join(this.ledgerDirectory, '.gitignore');
      if (!existsSync(ignore)) writeFileSync(ignore, '*\n', { mode: fileMode });
      const parent = join(this.ledgerDirectory, 'tmp');
      mkdirSync(parent, { recursive: true, mode: directoryMode });
      removeAbandoned(parent);
      // Unique also among processes that cannot see each other, such as two containers with a process 1 each.
      this.#drafts = mkdtempSync(join(parent, `${process.pid}-`));
    } catch (error) {
      throw translateFileError(error, `the registry at ${this.path}`);
    }
  }

  cleanUp(): void {
    if (this.#drafts !== '') rmSync(this.#drafts, { recursive: true, force: true });
  }

  /** Returns a path on the same file system for a draft. */
  newDraft(): string {
    mkdirSync(this.#drafts, { recursive: true, mode: directoryMode });
    return join(this.#drafts, String(++this.#draftCount));
  }

  /**
   * Why the directory cannot be trusted, or undefined if it can. When a disk is unmounted or the directory is moved, all
   * files are missing, which must not delete every object.
   */
  get problem(): string | undefined {
    const identity = identityOf(this.#database);
    if (identity === this.#identity) return undefined;
    return `${this.#database} ${identity === undefined ? 'was removed' : 'was replaced'}: files are neither read nor written until it is restored`;
  }

  check(): void {
    const reason = this.problem;
    if (reason !== undefined) throw new ApiError('Unavailable', { what: `the registry at ${this.path}`, reason });
  }

  get #database(): string {
    return join(this.ledgerDirectory, databaseFile);
  }
}

/** Removes the drafts of processes that died. A running process retries if its drafts are removed. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const processId = Number(draftsPattern.exec(name)?.[1]);
    if (Number.isInteger(processId) && !isAlive(processId))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
