import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A registry holds secrets of services, so other users may neither list nor read it. */
export const directoryMode = 0o700;
export const fileMode = 0o600;

/**
 * Creates a directory and its parents, private to the user, and flushes the parent of each. Node's own recursive mkdir
 * never returns if a file system reports ENOENT for a path whose parent exists, as /proc does.
 */
export function createDirectory(path: string): void {
  if (createOne(path) === undefined) return;
  createDirectory(dirname(path));
  // Another process may have created it in the meantime.
  const error = createOne(path);
  if (error) throw error;
}

/** Returns an error if the parent of the directory does not exist. Throws other errors, except that it exists. */
function createOne(path: string): Error | undefined {
  try {
    mkdirSync(path, { mode: directoryMode });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ENOENT' && dirname(path) !== path) return error;
    if (error.code !== 'EEXIST') throw error;
    if (statSync(path).isDirectory()) return undefined;
    throw Object.assign(new Error(`${path} is a file, not a directory`), { code: 'ENOTDIR' });
  }
  // The mode of mkdir is subject to the umask.
  chmodSync(path, directoryMode);
  syncDirectory(dirname(path));
  return undefined;
}

/** After a power failure, a new file is only certain to exist if its directory was flushed too. */
export function syncDirectory(path: string): void {
  flush(path, 'r');
}

/** Flushes a file. */
export function flush(path: string, flags: 'r' | 'r+' = 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Identifies the file or directory at a path: another one of the same name has another identity. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
