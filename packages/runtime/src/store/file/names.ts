/**
 * Where the object under a key lives: `group/version/plural/namespace/name` is the file
 * `group/version/plural/namespace/name.json` below the store's directory, or `.yaml` or `.yml` if a person made it so.
 */
import { isApiError } from '../../api/errors.ts';
import { checkKey } from '../validate.ts';

/** The first is what the store itself chooses for a new file. */
export const extensions = ['json', 'yaml', 'yml'] as const;
export type Extension = (typeof extensions)[number];

/**
 * A directory may not look like a file of ours, or the keys `a` and `a.json/b` would fight for the path `a.json`. No key
 * has this character, so a directory that ends with it can be told from every other.
 */
const directoryMark = '+';

export type Name =
  | { readonly is: 'object'; readonly key: string; readonly extension: Extension }
  /** It has an extension of ours, but no key could have put it there. */
  | { readonly is: 'misnamed'; readonly reason: string }
  /** A read-me, an editor's backup or swap file: not ours. */
  | { readonly is: 'other' };

export function pathOf(key: string, extension: Extension): string {
  const segments = key.split('/');
  const name = segments.pop();
  return [...segments.map(directoryOf), `${name}.${extension}`].join('/');
}

/** What a path below the store's directory stands for. */
export function nameOf(path: string): Name {
  const extension = extensionOf(path);
  if (extension === undefined) return { is: 'other' };
  const segments = path.slice(0, -extension.length - 1).split('/');
  const last = segments.pop() ?? '';
  const directories = segments.map(segmentOf);
  const key = [...directories, last].join('/');
  try {
    if (directories.includes(undefined)) throw new Error('a directory of its path looks like a file');
    checkKey(key);
  } catch (error) {
    const reason = isApiError(error) ? error.message : String(error);
    return { is: 'misnamed', reason: `its name is not that of an object: ${reason}` };
  }
  return { is: 'object', key, extension };
}

/** Files whose names start with a dot are editors', git's and our own. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

export function extensionOf(path: string): Extension | undefined {
  return extensions.find((extension) => path.endsWith(`.${extension}`));
}

function directoryOf(segment: string): string {
  return extensionOf(segment) === undefined ? segment : segment + directoryMark;
}

function segmentOf(directory: string): string | undefined {
  const segment = directory.endsWith(directoryMark) ? directory.slice(0, -1) : directory;
  return directoryOf(segment) === directory ? segment : undefined;
}
