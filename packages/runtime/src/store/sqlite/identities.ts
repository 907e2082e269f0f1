/** Detects that open files were deleted or replaced. Data written to such a file is lost when the process ends. */
import { existsSync, statSync } from 'node:fs';
import { systemClock } from '../../ports/clock.ts';
import { identityOf } from './directories.ts';

/** The coarsest step in which a file system records modification times is two seconds. */
const timestampStepMs = 3_000;

export class Identities {
  readonly #directory: string;
  readonly #log: string;
  readonly #known: ReadonlyMap<string, string | undefined>;
  /** The directory as it was before the last check of its files, if its next change is certain to show. */
  #unchanged: string | undefined;

  constructor(directory: string, file: string) {
    this.#directory = directory;
    this.#log = `${file}-wal`;
    this.#known = new Map([file, this.#log, `${file}-shm`].map((path) => [path, identityOf(path)]));
  }

  /** Returns what happened to the first file that is not the one that was opened. */
  check(): string | undefined {
    for (const path of this.#known.keys()) {
      const changed = this.#checkOne(path);
      if (changed) return changed;
    }
    return undefined;
  }

  /**
   * As `check`, for every commit: one system call as long as no file is created, deleted or renamed in the directory.
   *
   * The attributes of the log are read only if it is missing: the kernel records a finer time with the next write to a
   * file whose attributes were read, and the flush of that write takes a third longer.
   */
  checkCommitted(): string | undefined {
    const stats = statSync(this.#directory, { throwIfNoEntry: false });
    const directory = stats && `${stats.dev}:${stats.ino}:${stats.mtimeMs}`;
    if (directory !== undefined && directory === this.#unchanged) return undefined;
    for (const path of this.#known.keys()) {
      const changed = path === this.#log && existsSync(path) ? undefined : this.#checkOne(path);
      if (changed) return changed;
    }
    // A change within the same step as the last one would leave the time as it is.
    const isSettled = stats && systemClock.now() - stats.mtimeMs > timestampStepMs;
    this.#unchanged = isSettled ? directory : undefined;
    return undefined;
  }

  #checkOne(path: string): string | undefined {
    const identity = identityOf(path);
    if (identity === this.#known.get(path)) return undefined;
    return `${path} was ${identity === undefined ? 'deleted' : 'replaced'} while it was open`;
  }
}
