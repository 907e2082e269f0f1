/**
 * Writes a stream into a new file: under a temporary name in the same directory, flushed, and then published under its own
 * name, which never replaces a file. A process that is killed leaves at most a temporary file, which is not listed; a later
 * upload into the directory removes it.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '@ecsm/runtime';
import type { PutOptions } from '../contract.ts';
import { abortedCall, StorageError } from '../error.ts';
import { temporaryPrefix } from '../key.ts';
import type { Source } from '../source.ts';
import { errorCode } from './failure.ts';
import { FileWriter } from './file-writer.ts';

/** The disk works while the stream arrives, so that little is left to flush at its end. */
const flushBytes = 32 * 1024 * 1024;
/** A temporary file that was not written to for so long belongs to a process that was killed. */
export const leftoverAgeMsMin = 86_400_000;
/** Backups contain everything that is in etcd: only the owner may read them. */
const fileMode = 0o600;
const directoryMode = 0o750;

interface Uploaded {
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  readonly sha256: string;
}

interface UploadTarget {
  /** Exists; nothing is created outside of it. */
  readonly root: string;
  /** The file to create, below the root. */
  readonly file: string;
  readonly temporaryName: string;
}

export async function upload(
  { root, file, temporaryName }: UploadTarget,
  body: Source,
  clock: Clock,
  options: PutOptions,
): Promise<Uploaded> {
  if (await exists(file)) throw alreadyExists(file);
  const directory = dirname(file);
  await createDirectories(root, directory);
  await removeLeftovers(directory, clock);
  const temporary = join(directory, `${temporaryPrefix}${temporaryName}`);
  const handle = await open(temporary, 'wx', fileMode);
  try {
    const written = await write(handle, temporary, body, options);
    await publish(temporary, file);
    await flushDirectory(directory);
    return written;
  } finally {
    await handle.close();
    // After a link it is the second name of the file; after a failure it is what was written until then.
    await unlink(temporary).catch(() => {});
  }
}

async function write(
  handle: FileHandle,
  at: string,
  body: Source,
  { signal, onProgress, sha256, review }: PutOptions,
): Promise<Uploaded> {
  const hash = sha256 ? undefined : createHash('sha256');
  const writer = new FileWriter(handle, { flushBytes, ...(onProgress ? { onWritten: onProgress } : {}) });
  try {
    for await (const chunk of body) {
      if (signal?.aborted) throw abortedCall(at);
      hash?.update(chunk);
      await writer.write(chunk);
    }
    await writer.end();
  } finally {
    await writer.settle();
  }
  // The disk works during the review.
  const flushing = handle.sync();
  flushing.catch(() => {});
  try {
    if (review) await body.run(() => review(at));
  } finally {
    await flushing;
  }
  if (signal?.aborted) throw abortedCall(at);
  const { sizeBytes } = writer;
  const { size, mtimeMs } = await handle.stat();
  if (size !== sizeBytes) {
    throw new StorageError('Corrupt', `${at} has ${size} bytes after ${sizeBytes} were written: check the volume`);
  }
  return { sizeBytes, modifiedAtMs: Math.floor(mtimeMs), sha256: sha256?.() ?? hash?.digest('hex') ?? '' };
}

/** A link fails if the name exists. File systems without links get a check and a rename, which another writer can outrun. */
async function publish(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') throw alreadyExists(file);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
    if (await exists(file)) throw alreadyExists(file);
    await rename(temporary, file);
  }
}

/**
 * Creates missing directories between the root and the directory, and makes their names durable. One by one: Node.js reports
 * `ENOENT` if it creates several on a file system that is read-only.
 */
async function createDirectories(root: string, directory: string): Promise<void> {
  if (await exists(directory)) return;
  const parent = dirname(directory);
  if (parent !== root) await createDirectories(root, parent);
  await mkdir(directory, { mode: directoryMode }).catch((error: unknown) => {
    // Another upload has created it.
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  await flushDirectory(parent);
}

export async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems cannot flush a directory, and make names durable at once.
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EBADF'].includes(errorCode(error))) throw error;
  } finally {
    await handle.close();
  }
}

async function removeLeftovers(directory: string, clock: Clock): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(temporaryPrefix)) continue;
    const path = join(directory, name);
    try {
      const { mtimeMs } = await stat(path);
      if (clock.now() - mtimeMs >= leftoverAgeMsMin) await unlink(path);
    } catch {
      // Another upload has removed it, or it belongs to another user. It takes space but does no harm.
    }
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function alreadyExists(file: string): StorageError {
  return new StorageError('AlreadyExists', `${file} exists already, and is not overwritten`);
}
