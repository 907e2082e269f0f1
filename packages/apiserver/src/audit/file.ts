/** A file with mode 0600 that lines are appended to, and that is renamed to `.1`, `.2` … before it would be too large. */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { ApiError } from '@ecsm/runtime';

interface AuditFileOptions {
  readonly path: string;
  readonly fileBytesMax: number;
  readonly rotatedFilesMax: number;
}

export interface AuditFile {
  /** Appends whole lines. After a failure the file is opened again, and a line that was cut off is ended. */
  append(lines: string): Promise<void>;
  close(): Promise<void>;
}

interface Opened {
  readonly handle: FileHandle;
  sizeBytes: number;
}

export function openAuditFile({ path, fileBytesMax, rotatedFilesMax }: AuditFileOptions): AuditFile {
  if (!(fileBytesMax > 0) || !(rotatedFilesMax >= 0)) {
    throw new ApiError('BadRequest', {
      reason: 'an audit log needs a size, and a number of files that is not negative',
    });
  }
  let current: Opened | undefined;

  async function opened(): Promise<Opened> {
    current ??= await openOne(path);
    return current;
  }

  async function close(): Promise<void> {
    const closing = current;
    current = undefined;
    await closing?.handle.close();
  }

  async function rotate(): Promise<Opened> {
    await close();
    if (rotatedFilesMax === 0) await rm(path, { force: true });
    for (let index = rotatedFilesMax; index > 0; index--) {
      await renameIfExists(index === 1 ? path : `${path}.${index - 1}`, `${path}.${index}`);
    }
    return opened();
  }

  return {
    async append(lines) {
      const bytes = Buffer.from(lines, 'utf8');
      try {
        let file = await opened();
        if (file.sizeBytes > 0 && file.sizeBytes + bytes.length > fileBytesMax) file = await rotate();
        for (let offset = 0; offset < bytes.length; ) {
          const { bytesWritten } = await file.handle.write(bytes, offset);
          offset += bytesWritten;
          file.sizeBytes += bytesWritten;
        }
      } catch (error) {
        // The file may be gone with its disk: the next lines open it again.
        await close().catch(() => {});
        throw error;
      }
    },
    close,
  };
}

async function openOne(path: string): Promise<Opened> {
  // A symbolic link would have the log written, and its mode changed, somewhere else.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(path, flags, 0o600);
  try {
    const stats = await handle.stat();
    const { size } = stats;
    // The mode of an older file may be another one; that of a device is not ours to change.
    if (stats.isFile() && (stats.mode & 0o077) !== 0) await handle.chmod(0o600);
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    if (size === 0 || last.toString() === '\n') return { handle, sizeBytes: size };
    const { bytesWritten } = await handle.write('\n');
    return { handle, sizeBytes: size + bytesWritten };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function renameIfExists(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
