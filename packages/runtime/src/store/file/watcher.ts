/**
 * Notices that something happens in the store's directories, so that an edit is taken in at once. Events may be lost,
 * doubled or late; the scan that comes round every now and then makes up for that.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import { isHidden } from './names.ts';

/** A save is several events: they are looked at together once there has been quiet for this long… */
const quietMs = 50;
/** …or when the first of them is this old, because where much is written there is never quiet. */
const patienceMs = 500;
/** Directories watched; the kernel gives each user a few thousand. Those beyond it have to wait for the scan. */
const watchersMax = 4_096;
/** Paths remembered between two looks; when there are more, everything is looked at. */
const pathsMax = 1_000;

export class Watcher {
  readonly #clock: Clock;
  readonly #look: (paths: ReadonlySet<string> | 'everything') => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #paths = new Set<string>();
  #cancelQuiet = () => {};
  #cancelPatience = () => {};

  constructor(clock: Clock, look: (paths: ReadonlySet<string> | 'everything') => void) {
    this.#clock = clock;
    this.#look = look;
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
    this.#rest();
    for (const directory of this.#watchers.keys()) this.#stop(directory);
  }

  #start(directory: string): void {
    try {
      const watcher = watch(directory, { persistent: false }, (_, name) => this.#noticed(directory, name));
      watcher.on('error', () => this.#stop(directory));
      this.#watchers.set(directory, watcher);
    } catch {
      // The kernel has no watch left, or the directory is gone: scanning has to do.
    }
  }

  #stop(directory: string): void {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
  }

  #noticed(directory: string, name: string | null): void {
    if (name !== null && isHidden(name)) return;
    if (this.#paths.size === 0) this.#cancelPatience = this.#clock.after(patienceMs, () => this.#report());
    if (this.#paths.size <= pathsMax) {
      if (name !== null) this.#paths.add(join(directory, name));
      // The directory itself was removed or moved, and its watch with it. The scan that follows watches what is there
      // now. Or it was a file in it that bears its name; nothing tells the two apart.
      if (name === null || name === basename(directory)) this.#paths.add(directory);
    }
    if (name === basename(directory)) this.#stop(directory);
    this.#cancelQuiet();
    this.#cancelQuiet = this.#clock.after(quietMs, () => this.#report());
  }

  #report(): void {
    const paths = this.#paths;
    this.#rest();
    this.#look(paths.size > pathsMax ? 'everything' : paths);
  }

  #rest(): void {
    this.#cancelQuiet();
    this.#cancelPatience();
    this.#paths = new Set();
  }
}
