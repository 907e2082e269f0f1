/** Looks at the file of a key without reading it. Synchronous, because it is also done inside transactions. */
import { type BigIntStats, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Extension, extensions, pathOf } from './names.ts';

export type Sight =
  | { readonly is: 'absent' }
  | FileSight
  /** Something stands there that is not a file of ours, and that nobody may replace but the person who put it there. */
  | { readonly is: 'odd'; readonly file: string; readonly reason: string };

export interface FileSight {
  readonly is: 'file';
  readonly file: string;
  readonly extension: Extension;
  /** Changes whenever the content does, so that a file is read only when it may have changed. */
  readonly stat: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

const absent: Sight = { is: 'absent' };

export function fingerprint({ mtimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs}:${size}:${ino}`;
}

/** One look at many files. It remembers directories, so it must not live longer than a moment. */
export class View {
  readonly #directory: string;
  readonly #directories = new Map<string, Sight | undefined>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The file of a key; `known` is the extension it had when it was last seen. */
  at(key: string, known: Extension | undefined): Sight {
    const obstacle = this.#obstacle(dirname(pathOf(key, extensions[0])));
    if (obstacle !== undefined) return obstacle;
    if (known !== undefined) {
      const sight = this.#look(key, known);
      if (sight.is !== 'absent') return sight;
    }
    const others = extensions.filter((extension) => extension !== known);
    const found = others.map((extension) => this.#look(key, extension)).filter(({ is }) => is !== 'absent');
    const [first = absent, second] = found;
    if (first.is === 'absent' || second === undefined || second.is === 'absent') return first;
    return { is: 'odd', file: second.file, reason: `${first.file} is for the same object: remove one of them` };
  }

  #look(key: string, extension: Extension): Sight {
    const file = join(this.#directory, pathOf(key, extension));
    return guarded<Sight>(file, () => {
      const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) return absent;
      if (stats.isSymbolicLink()) return { is: 'odd', file, reason: symbolicLink };
      if (!stats.isFile()) return { is: 'odd', file, reason: 'it is not a regular file' };
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

  /** Why nothing below a directory can be seen or written, if so. The store's own directory may be a symbolic link. */
  #obstacle(path: string): Sight | undefined {
    if (path === '.') return undefined;
    if (!this.#directories.has(path)) {
      this.#directories.set(path, this.#obstacle(dirname(path)) ?? this.#lookAtDirectory(path));
    }
    return this.#directories.get(path);
  }

  #lookAtDirectory(path: string): Sight | undefined {
    const file = join(this.#directory, path);
    return guarded<Sight | undefined>(file, () => {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined) return absent;
      if (stats.isSymbolicLink()) return { is: 'odd', file, reason: symbolicLink };
      return stats.isDirectory() ? undefined : { is: 'odd', file, reason: 'it stands where a directory should be' };
    });
  }
}

export const symbolicLink = 'it is a symbolic link, and links are not followed';

function guarded<T extends Sight | undefined>(file: string, look: () => T): T | Sight {
  try {
    return look();
  } catch (error) {
    return { is: 'odd', file, reason: error instanceof Error ? error.message : String(error) };
  }
}
