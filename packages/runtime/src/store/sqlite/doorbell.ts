/**
 * Tells other processes that there is a new revision: a writer writes it into a file that the watchers watch. A ring may
 * be lost or needless; a poll of the revision now and then makes up for a lost one.
 *
 * The file has a second use. It is written after the commit is durable, so it never holds a revision that the database
 * does not have. If it does, acknowledged commits were lost: see `checkNothingLost`.
 */
import { closeSync, constants, type FSWatcher, openSync, readFileSync, watch, writeSync } from 'node:fs';
import { ApiError } from '../../api/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Revision } from '../contract.ts';
import { fileMode } from './directories.ts';

/** The digits of the largest safe integer. */
const digits = 16;

/** Revisions that follow within this time are announced together, by the newest of them. */
const ringIntervalMs = 2;

export class Doorbell {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #descriptor: number;
  #newest: Revision = 0;
  #written: Revision = 0;
  #cancelNext: (() => void) | undefined;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    // Not emptied: that would be a ring.
    this.#descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT, fileMode);
  }

  ring(revision: Revision): void {
    this.#newest = revision;
    if (this.#cancelNext === undefined) this.#announce();
  }

  #announce(): void {
    this.#write();
    this.#cancelNext = this.#clock.after(ringIntervalMs, () => {
      this.#cancelNext = undefined;
      if (this.#written !== this.#newest) this.#announce();
    });
  }

  #write(): void {
    this.#written = this.#newest;
    try {
      writeSync(this.#descriptor, String(this.#newest).padStart(digits, '0'), 0);
    } catch {
      // The commit that it announces is durable; watchers find it with the next poll.
    }
  }

  /** The revision that was rung last, 0 if there is none. */
  get last(): Revision {
    const text = readFileSync(this.#path, 'latin1');
    return /^\d{16}$/.test(text) ? Number(text) : 0;
  }

  /** Calls `look` at each ring and at least every `pollMs`. The returned function stops that. */
  listen(clock: Clock, pollMs: number, look: () => void): () => void {
    let watcher: FSWatcher | undefined;
    let cancelPoll = () => {};
    const poll = () => {
      cancelPoll = clock.after(pollMs, poll);
      look();
    };
    try {
      watcher = watch(this.#path, look);
      // Where watching is refused (no inotify left), polling has to do.
      watcher.on('error', () => watcher?.close());
    } catch {}
    cancelPoll = clock.after(pollMs, poll);
    return () => {
      cancelPoll();
      watcher?.close();
    };
  }

  close(): void {
    this.#cancelNext?.();
    if (this.#written !== this.#newest) this.#write();
    closeSync(this.#descriptor);
  }
}

/**
 * Throws `Corrupt` if the database does not have a revision that was announced. SQLite ignores a damaged or missing end
 * of its write-ahead log without an error, because a write that a power cut interrupted looks the same.
 *
 * `announced` has to be read before `newest`.
 */
export function checkNothingLost(what: string, path: string, announced: Revision, newest: Revision): void {
  if (announced <= newest) return;
  throw new ApiError('Corrupt', {
    what,
    reason: `its newest revision is ${newest}, but ${announced} was written before: registry.db was replaced by an older copy, or registry.db-wal is damaged or was removed. Restore a backup, or remove ${path} to go on without the lost changes`,
  });
}
