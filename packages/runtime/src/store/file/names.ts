/**
 * Maps keys to file names: `group/version/plural/namespace/name` is the file
 * `group/version/plural/namespace/name.json` below the store's directory, or `.yaml` or `.yml` if a user created it so.
 */
import { isApiError } from '../../api/errors.ts';
import { checkKey } from '../validate.ts';

/** The store creates new files with the first one. */
export const extensions = ['json', 'yaml', 'yml'] as const;
export type Extension = (typeof extensions)[number];

/**
 * Appended to a directory that has one of our extensions, or the keys `a` and `a.json/b` would both use the path
 * `a.json`. No key has this character, so such directories are unambiguous.
 */
const directoryMark = '+';

type Name =
  | { readonly is: 'object'; readonly key: string; readonly extension: Extension }
  /** It has one of our extensions, but does not correspond to any key. */
  | { readonly is: 'misnamed'; readonly reason: string }
  /** Not an object: a read-me, an editor's backup or swap file. */
  | { readonly is: 'other' };

export function pathOf(key: string, extension: Extension): string {
  const segments = key.split('/');
  const name = segments.pop();
  return [...segments.map(directoryOf), `${name}.${extension}`].join('/');
}

/** Classifies a path below the store's directory. */
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

/** Names that start with a dot belong to editors, git and the store. */
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
