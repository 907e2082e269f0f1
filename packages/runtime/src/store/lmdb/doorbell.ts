/**
 * Tells other processes that there is a new revision: a writer touches a file, and whoever watches it looks.
 * A ring may be lost or come for nothing; a poll of the revision now and then makes up for a lost one.
 */
import { closeSync, constants, type FSWatcher, openSync, watch, writeSync } from 'node:fs';
import type { Clock } from '../../ports/clock.ts';

const mark = Buffer.from('.');

export class Doorbell {
  readonly #path: string;
  readonly #descriptor: number;

  constructor(path: string) {
    this.#path = path;
    // As it is: to empty it would be to ring, and whoever only reads has nothing to announce.
    this.#descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o644);
  }

  ring(): void {
    try {
      writeSync(this.#descriptor, mark, 0, 1, 0);
    } catch {
      // The write that it announces is safe; who waits for it finds it with the next poll.
    }
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
    closeSync(this.#descriptor);
  }
}
