/** Observes the file of a key without reading it. Synchronous, because it is also used inside transactions. */
import { type BigIntStats, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Extension, extensions, pathOf } from './names.ts';

export type Observation =
  | { readonly is: 'absent' }
  | FileObservation
  /** There is something that is not a usable file. The store must not replace it. */
  | { readonly is: 'unusable'; readonly file: string; readonly reason: string };

export interface FileObservation {
  readonly is: 'file';
  readonly file: string;
  readonly extension: Extension;
  /** Changes whenever the content changes, so that a file is read only if it may have changed. */
  readonly stat: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

const absent: Observation = { is: 'absent' };

export function fingerprint({ mtimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs}:${size}:${ino}`;
}

/** Observes many files. It caches directories, so it must be short-lived. */
export class View {
  readonly #directory: string;
  readonly #directories = new Map<string, Observation | undefined>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Observes the file of a key; `known` is its last known extension. */
  at(key: string, known: Extension | undefined): Observation {
    const obstacle = this.#obstacle(dirname(pathOf(key, extensions[0])));
    if (obstacle !== undefined) return obstacle;
    if (known !== undefined) {
      const observed = this.#observe(key, known);
      if (observed.is !== 'absent') return observed;
    }
    const others = extensions.filter((extension) => extension !== known);
    const found = others.map((extension) => this.#observe(key, extension)).filter(({ is }) => is !== 'absent');
    const [first = absent, second] = found;
    if (first.is === 'absent' || second === undefined || second.is === 'absent') return first;
    return { is: 'unusable', file: second.file, reason: `${first.file} is for the same object: remove one of them` };
  }

  #observe(key: string, extension: Extension): Observation {
    const file = join(this.#directory, pathOf(key, extension));
    return guarded<Observation>(file, () => {
      const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) return absent;
      if (stats.isSymbolicLink()) return { is: 'unusable', file, reason: symbolicLink };
      if (!stats.isFile()) return { is: 'unusable', file, reason: 'it is not a regular file' };
      return {
        is: 'file',
        file,
        extension,
        stat: fingerprint(stats),
        sizeBytes: Number(stats.size),
        modifiedMs: Number(stats.mtimeNs / 1_000_000n),
      };
    });
  }

  /** Why files below a directory cannot be accessed, or undefined. The store's directory may be a symbolic link. */
  #obstacle(path: string): Observation | undefined {
    if (path === '.') return undefined;
    if (!this.#directories.has(path)) {
      this.#directories.set(path, this.#obstacle(dirname(path)) ?? this.#observeDirectory(path));
    }
    return this.#directories.get(path);
  }

  #observeDirectory(path: string): Observation | undefined {
    const file = join(this.#directory, path);
    return guarded<Observation | undefined>(file, () => {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined) return absent;
      if (stats.isSymbolicLink()) return { is: 'unusable', file, reason: symbolicLink };
      return stats.isDirectory() ? undefined : { is: 'unusable', file, reason: 'it is in the place of a directory' };
    });
  }
}

export const symbolicLink = 'it is a symbolic link, and links are not followed';

function guarded<T extends Observation | undefined>(file: string, observe: () => T): T | Observation {
  try {
    return observe();
  } catch (error) {
    return { is: 'unusable', file, reason: error instanceof Error ? error.message : String(error) };
  }
}
