/**
 * An open LMDB environment with its tables. A process has one for a directory, however many stores it opens there:
 * LMDB forbids a second one, and opening a table takes the write lock at once, which would wait for ever for a
 * transaction whose turn on this very thread can then never come.
 */
import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { translateNow } from './failures.ts';
import { inspect } from './inspect.ts';
import { makeDirectory } from './make-directory.ts';
import { Tables } from './tables.ts';

/**
 * Address space, not memory or disk: the file grows only as it is used. A generous map is never resized under other
 * processes.
 */
const mapBytes = 4 * 1024 ** 3;

/** By device and inode, so that a directory that was removed and made again is another one. */
const opened = new Map<string, Environment>();

export class Environment {
  readonly root: RootDatabase<number, string>;
  readonly tables: Tables;
  readonly #identity: string;
  readonly #others = new Map<string, Database<unknown, string>>();
  #holders = 1;

  /** Throws an error of the catalogue that says why it cannot be opened. */
  static open(directory: string): Environment {
    try {
      makeDirectory(directory);
      accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
      const { dev, ino } = statSync(directory);
      const identity = `${dev}:${ino}`;
      const existing = opened.get(identity);
      if (existing) {
        existing.#holders++;
        return existing;
      }
      const environment = new Environment(identity, directory);
      opened.set(identity, environment);
      return environment;
    } catch (error) {
      throw translateNow(error, `the registry at ${directory}`);
    }
  }

  private constructor(identity: string, directory: string) {
    this.#identity = identity;
    const file = join(directory, 'data.mdb');
    const isNew = !existsSync(file);
    inspect(file);
    this.root = open({
      path: directory,
      // Otherwise another process could read a commit that is not on the disk yet.
      overlappingSync: false,
      // Otherwise a failed commit leaves a rejected promise behind that nobody holds. We batch ourselves.
      eventTurnBatching: false,
      mapSize: mapBytes,
      maxDbs: 8,
      noMemInit: true,
      // Of the root alone; see tables.ts.
      useVersions: true,
    });
    this.tables = new Tables(this.root);
    if (isNew) for (const path of [directory, dirname(directory)]) syncDirectory(path);
  }

  /** A table beside the three, of JSON values. It takes part in the same transactions. */
  table<V>(name: string): Database<V, string> {
    const table = this.#others.get(name) ?? this.root.openDB<unknown, string>({ name, encoding: 'json' });
    this.#others.set(name, table);
    return table as Database<V, string>;
  }

  /** Closes it when nobody else holds it. */
  async release(): Promise<void> {
    if (--this.#holders > 0) return;
    if (opened.get(this.#identity) === this) opened.delete(this.#identity);
    await this.root.close();
  }
}

/** A new file is only sure to be found after a power cut once its directory is flushed too. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
