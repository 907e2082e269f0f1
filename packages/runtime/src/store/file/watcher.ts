/**
 * Watches the store's directories, so that an edit is taken in immediately. Events may be lost, duplicated or late; the
 * periodic scan makes up for that.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import { isHidden } from './names.ts';

/** A save is several events: they are reported together once there was no event for this long… */
const quietMs = 50;
/** …or when the first of them is this old, in case events never stop. */
const reportMsMax = 500;
/** Maximum directories watched; the kernel allows a few thousand per user. The scan covers the rest. */
const watchersMax = 4_096;
/** Maximum paths kept between two reports; when there are more, `everything` is reported. */
const pathsMax = 1_000;

export class Watcher {
  readonly #clock: Clock;
  readonly #onChange: (paths: ReadonlySet<string> | 'everything') => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #paths = new Set<string>();
  #cancelQuiet = () => {};
  #cancelReport = () => {};

  constructor(clock: Clock, onChange: (paths: ReadonlySet<string> | 'everything') => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  isWatched(directory: string): boolean {
    return this.#watchers.has(directory);
  }

  /** Watches these directories and no others. */
  update(directories: readonly string[]): void {
    const wanted = new Set(directories.slice(0, watchersMax));
    for (const directory of this.#watchers.keys()) if (!wanted.has(directory)) this.#stop(directory);
    for (const directory of wanted) if (!this.#watchers.has(directory)) this.#start(directory);
  }

  close(): void {
    this.#reset();
    for (const directory of this.#watchers.keys()) this.#stop(directory);
  }

  #start(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false }, (_, name) => this.#onEvent(directory, name));
      watcher.on('error', () => this.#stop(directory));
      this.#watchers.set(directory, watcher);
    } catch {
      // The kernel has no watch left, or the directory was removed: the scan finds edits instead.
    }
  }

  #stop(directory: string): void {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
  }

  #onEvent(directory: string, name: string | null): void {
    if (name !== null && isHidden(name)) return;
    if (this.#paths.size === 0) this.#cancelReport = this.#clock.after(reportMsMax, () => this.#report());
    if (this.#paths.size <= pathsMax) {
      if (name !== null) this.#paths.add(join(directory, name));
      // The directory itself was removed or moved, and its watch with it; the next scan watches the new one. Or it was a
      // file of the same name in it; the two events are equal.
      if (name === null || name === basename(directory)) this.#paths.add(directory);
    }
    if (name === basename(directory)) this.#stop(directory);
    this.#cancelQuiet();
    this.#cancelQuiet = this.#clock.after(quietMs, () => this.#report());
  }

  #report(): void {
    const paths = this.#paths;
    this.#reset();
    this.#onChange(paths.size > pathsMax ? 'everything' : paths);
  }

  #reset(): void {
    this.#cancelQuiet();
    this.#cancelReport();
    this.#paths = new Set();
  }
}
