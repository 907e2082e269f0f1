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
  if (createOne(path)) return;
  createDirectory(dirname(path));
  // Another process may have created it in the meantime.
  if (!createOne(path)) throw Object.assign(new Error(`${path} cannot be created`), { code: 'ENOENT' });
}

/** Returns whether the directory exists; false if its parent does not. */
function createOne(path: string): boolean {
  try {
    mkdirSync(path, { mode: directoryMode });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && dirname(path) !== path) return false;
    if (code !== 'EEXIST') throw error;
    if (statSync(path).isDirectory()) return true;
    throw Object.assign(new Error(`${path} is a file, not a directory`), { code: 'ENOTDIR' });
  }
  // The mode of mkdir is subject to the umask.
  chmodSync(path, directoryMode);
  syncDirectory(dirname(path));
  return true;
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
