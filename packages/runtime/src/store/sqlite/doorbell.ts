/**
 * Notifies other processes of a new revision: a writer writes it into a file that the watchers watch. A notification may
 * be lost or redundant; periodic polling of the revision makes up for a lost one.
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
const notifyIntervalMs = 2;

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
    // Not truncated: that would be a notification.
    this.#descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT, fileMode);
  }

  notify(revision: Revision): void {
    this.#newest = revision;
    if (this.#cancelNext === undefined) this.#announce();
  }

  #announce(): void {
    this.#write();
    this.#cancelNext = this.#clock.after(notifyIntervalMs, () => {
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

  /** The last revision in the file, 0 if there is none. */
  get last(): Revision {
    const text = readFileSync(this.#path, 'latin1');
    return /^\d{16}$/.test(text) ? Number(text) : 0;
  }

  /** Calls `poll` at each notification and at least every `pollMs`. The returned function stops that. */
  listen(clock: Clock, pollMs: number, poll: () => void): () => void {
    let watcher: FSWatcher | undefined;
    let cancelPoll = () => {};
    const pollRegularly = () => {
      cancelPoll = clock.after(pollMs, pollRegularly);
      poll();
    };
    try {
      watcher = watch(this.#path, poll);
      // If watching fails (no inotify watch left), polling is enough.
      watcher.on('error', () => watcher?.close());
    } catch {}
    cancelPoll = clock.after(pollMs, pollRegularly);
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
 * of its write-ahead log without an error, because a write that a power failure interrupted looks the same.
 *
 * `announced` has to be read before `newest`.
 */
export function checkNothingLost(what: string, path: string, announced: Revision, newest: Revision): void {
  if (announced <= newest) return;
  throw new ApiError('Corrupt', {
    what,
    reason: `its newest revision is ${newest}, but ${announced} was written before: registry.db was replaced by an older copy, or registry.db-wal is damaged or was removed. Restore a backup, or remove ${path} to continue without the lost changes`,
  });
}
