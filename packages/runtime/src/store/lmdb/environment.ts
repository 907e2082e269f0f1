/** Opens the LMDB environment in a directory, or says clearly why it cannot be opened. */
import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { translateNow } from './failures.ts';
import { inspect } from './inspect.ts';

/** Address space, not memory or disk: the file grows only as it is used. Growing the map under other processes is
 * what this avoids. */
const mapBytes = 4 * 1024 ** 3;

export function openEnvironment(directory: string): RootDatabase {
  try {
    const isNew = !existsSync(join(directory, 'data.mdb'));
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    inspect(join(directory, 'data.mdb'));
    const root = open({
      path: directory,
      // Otherwise another process could read a commit that is not on the disk yet.
      overlappingSync: false,
      // Otherwise a failed commit leaves a rejected promise behind that nobody holds. We batch ourselves.
      eventTurnBatching: false,
      mapSize: mapBytes,
      maxDbs: 8,
      noMemInit: true,
    });
    if (isNew) for (const path of [directory, dirname(directory)]) syncDirectory(path);
    return root;
  } catch (error) {
    throw translateNow(error, `the registry at ${directory}`);
  }
}

/** A new file is only sure to be found after a power cut once its directory is flushed too. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
