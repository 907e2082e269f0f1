/** The files below a directory whose key starts with a prefix. Directories that cannot contain one are not read. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredObject } from '../contract.ts';
import { temporaryPrefix } from '../key.ts';
import { errorCode } from './failure.ts';

/** File systems keep repaired files there, which only the administrator may read. */
const ignoredAtTop = 'lost+found';

export async function* walk(directory: string, prefix: string, parent = ''): AsyncGenerator<StoredObject> {
  for (const entry of await entriesOf(directory)) {
    const key = parent + entry.name;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      const isWithin = `${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`);
      if (isWithin && !(parent === '' && entry.name === ignoredAtTop)) yield* walk(path, prefix, `${key}/`);
    } else if (entry.isFile() && key.startsWith(prefix) && !entry.name.startsWith(temporaryPrefix)) {
      const object = await objectAt(path, key);
      if (object) yield object;
    }
  }
}

/** Returns undefined if it is not a file, or was deleted meanwhile. */
export async function objectAt(path: string, key: string): Promise<StoredObject | undefined> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile()) return undefined;
    return { key, sizeBytes: stats.size, modifiedAtMs: Math.floor(stats.mtimeMs) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  // A file in the place of a directory: the key cannot exist.
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error));
}

async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
