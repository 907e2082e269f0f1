/**
 * The store's directory. The objects' files lie in it for everybody to see; `.registry` below it holds the ledger and
 * the drafts of files, and is nobody else's business: git ignores it.
 */
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import { databaseFile } from '../sqlite/connection.ts';
import { directoryMode, fileMode, identityOf, makeDirectory } from '../sqlite/directories.ts';
import { translateFileError } from '../sqlite/failures.ts';

/** Found behind the process id in the name of a directory of drafts. */
const draftsPattern = /^(\d+)-/u;

export class Home {
  readonly directory: string;
  /** Where the ledger lives. */
  readonly ledgerDirectory: string;
  #identity = '';
  #drafts = '';
  #draftCount = 0;

  /** Throws `ReadOnly` if the directory cannot be written. */
  constructor(directory: string) {
    // A program that goes to another directory later must not take its registry along.
    this.directory = resolve(directory);
    this.ledgerDirectory = join(this.directory, '.registry');
    try {
      makeDirectory(this.directory);
      accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw translateFileError(error, `the registry at ${directory}`);
    }
  }

  /** To be called once the ledger is there. */
  moveIn(): void {
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
      throw translateFileError(error, `the registry at ${this.directory}`);
    }
  }

  moveOut(): void {
    if (this.#drafts !== '') rmSync(this.#drafts, { recursive: true, force: true });
  }

  /** A path on the same file system for a file that is not ready to be seen. */
  newDraft(): string {
    mkdirSync(this.#drafts, { recursive: true, mode: directoryMode });
    return join(this.#drafts, String(++this.#draftCount));
  }

  /**
   * Why what is found at the path says nothing about the objects, if so. When a disk is unmounted or the directory moved
   * away, all files are missing at once, and that must not be taken for a wish to delete every object.
   */
  get problem(): string | undefined {
    const identity = identityOf(this.#database);
    if (identity === this.#identity) return undefined;
    return `${this.#database} ${identity === undefined ? 'is gone' : 'was replaced'}: files are neither read nor written until it is back`;
  }

  check(): void {
    const reason = this.problem;
    if (reason !== undefined) throw new ApiError('Unavailable', { what: `the registry at ${this.directory}`, reason });
  }

  get #database(): string {
    return join(this.ledgerDirectory, databaseFile);
  }
}

/** Drafts of processes that died. Removing those of a living one would only make it try again. */
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
