/**
 * Private files that are complete or absent: written aside with mode 0600, flushed, and then linked (if there must be
 * none yet) or renamed into place.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ApiError } from '@ecsm/runtime';

const directoryMode = 0o700;
const fileMode = 0o600;

/** No file of ours is near this size; reading a foreign one must not fill the memory. */
const fileBytesMax = 1_048_576;

/**
 * Creates a directory and its parents, private to the user. Returns whether other users can access it: the mode of a
 * directory that exists is not changed, because it may be used for other things.
 */
export function createPrivateDirectory(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: directoryMode });
    return (statSync(path).mode & 0o077) !== 0;
  } catch (error) {
    throw new ApiError('ReadOnly', { what: path, reason: reasonOf(error) }, error);
  }
}

/** Returns undefined if there is no such file. Throws `Corrupt` for one that cannot be one of ours. */
export function readPrivateFile(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (!stats.isFile()) throw new ApiError('Corrupt', { what: path, reason: 'it is not a file' });
  if (stats.size > fileBytesMax) throw new ApiError('Corrupt', { what: path, reason: `it has ${stats.size} bytes` });
  return readFileSync(path, 'utf8');
}

/** Returns false, and changes nothing, if the file exists. */
export function createPrivateFile(path: string, text: string): boolean {
  return publish(path, text, (draft) => {
    try {
      linkSync(draft, path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  });
}

export function replacePrivateFile(path: string, text: string): void {
  publish(path, text, (draft) => renameSync(draft, path));
}

function publish<T>(path: string, text: string, put: (draft: string) => T): T {
  const directory = dirname(path);
  const draft = join(directory, `.new-${randomBytes(8).toString('hex')}`);
  try {
    writeFlushed(draft, text);
    const result = put(draft);
    flushDirectory(directory);
    return result;
  } catch (error) {
    if (codeOf(error) === 'ENOSPC') throw new ApiError('StorageFull', { what: path, reason: reasonOf(error) }, error);
    throw new ApiError('ReadOnly', { what: path, reason: reasonOf(error) }, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeFlushed(path: string, text: string): void {
  const descriptor = openSync(path, 'wx', fileMode);
  try {
    const bytes = Buffer.from(text, 'utf8');
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** After a power failure, a new file is only certain to exist if its directory was flushed too. */
function flushDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
