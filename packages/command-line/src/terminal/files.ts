/** Files on disk. Every error of the operating system becomes a message that names the file. */
import { type FileHandle, link, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { Failure } from '../command/errors.ts';
import type { Files } from '../command/terminal.ts';

/** Of a file that is read as a whole. */
const fileBytesMax = 64 * 1024 * 1024;
const chunkBytes = 256 * 1024;
/** Of one directory with its subdirectories: more is a mistake, such as `-R -f /`. */
const listedMax = 100_000;

interface FilesOptions {
  readonly here: string;
  readonly home: string;
  readonly fileBytesMax?: number;
}

export function nodeFiles({ here, home, fileBytesMax: bytesMax = fileBytesMax }: FilesOptions): Files {
  const at = (path: string) => resolve(here, path);
  return {
    here,
    home,
    read: (path) =>
      unlessMissing(path, 'read', async () => {
        const file = await open(at(path));
        try {
          return await readAll(file, path, bytesMax);
        } finally {
          await file.close();
        }
      }),
    async list(path, { recursive = false } = {}) {
      const found: string[] = [];
      const isDirectory = await unlessMissing(path, 'listed', async () => (await stat(at(path))).isDirectory());
      if (!isDirectory) return undefined;
      await withErrorsExplained(path, 'listed', () => collect(at(path), path, recursive, found));
      return found.sort();
    },
    write: (path, content, { exclusive = false, secret = false } = {}) =>
      withErrorsExplained(path, 'written', () => writeAtomically(at(path), content, exclusive, secret ? 0o600 : 0o666)),
    open: (path) =>
      unlessMissing(path, 'read', async () => {
        const file = await open(at(path));
        const { size, isDirectory } = await file
          .stat()
          .then((one) => ({ size: one.size, isDirectory: one.isDirectory() }));
        if (!isDirectory) return { sizeBytes: size, chunks: chunksOf(file, path) };
        await file.close();
        throw new Failure(`${path} is a directory`);
      }),
  };
}

async function readAll(file: FileHandle, path: string, bytesMax: number): Promise<Uint8Array> {
  // The size of a pipe or of a file in /proc is unknown before it is read.
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
    if (bytesRead === 0) return Buffer.concat(chunks);
    bytes += bytesRead;
    if (bytes > bytesMax) throw new Failure(`${path} is larger than the limit of ${mebibytes(bytesMax)}`);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

export function mebibytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024 / 1024)} MiB`;
}

async function* chunksOf(file: FileHandle, path: string): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const { bytesRead, buffer } = await withErrorsExplained(path, 'read', () =>
        file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes),
      );
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Links to directories are not followed, because they may form a cycle. */
async function collect(directory: string, shown: string, recursive: boolean, found: string[]): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    const name = join(shown, entry.name);
    if (entry.isDirectory() && recursive) await collect(path, name, recursive, found);
    else if (entry.isFile() || (entry.isSymbolicLink() && (await isLinkToFile(path)))) found.push(name);
    if (found.length > listedMax) throw new Failure(`there are more than ${listedMax} files in ${shown}`);
  }
}

async function isLinkToFile(path: string): Promise<boolean> {
  // A broken link is not a file.
  return stat(path).then(
    (one) => one.isFile(),
    () => false,
  );
}

let written = 0;

async function writeAtomically(
  path: string,
  content: AsyncIterable<Uint8Array> | Uint8Array,
  exclusive: boolean,
  mode: number,
): Promise<void> {
  const temporary = join(dirname(path), `.${process.pid}-${++written}.part`);
  // Fails before a long write, not only after it.
  const present = await stat(path).catch(() => undefined);
  if (exclusive && present) throw failed('EEXIST');
  // A pipe or a device would be replaced by a file: its reader would wait forever, and others would lose /dev/null.
  if (present && !present.isFile() && !present.isDirectory()) throw failed('EFTYPE');
  const file = await open(temporary, 'wx', mode);
  try {
    try {
      if (content instanceof Uint8Array) await file.writeFile(content);
      else for await (const chunk of content) await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    // link() fails if the file exists, where rename() would replace it.
    if (exclusive) await link(temporary, path);
    else await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  if (exclusive) await unlink(temporary);
}

/** Makes the directory entry durable. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** As the operating system reports it. */
function failed(code: string): Error {
  return Object.assign(new Error(code), { code });
}

async function unlessMissing<T>(path: string, verb: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw explained(path, verb, error);
  }
}

async function withErrorsExplained<T>(path: string, verb: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(path, verb, error);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EROFS: 'the file system is read-only',
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'a part of its path is not a directory',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'there are too many levels of symbolic links',
  EMFILE: 'too many files are open',
  EFTYPE: 'it is a device or a pipe',
};

function explained(path: string, verb: string, error: unknown): unknown {
  const code = codeOf(error);
  // Other errors are not from the file system, such as those of the content source.
  if (code === undefined || error instanceof Failure) return error;
  if (code === 'EISDIR') return new Failure(`${path} is a directory`, { cause: error });
  if (code === 'EEXIST') return new Failure(`${path} already exists and is not overwritten`, { cause: error });
  const reason = reasons[code] ?? (error instanceof Error ? error.message : code);
  return new Failure(`${path} cannot be ${verb}: ${reason}`, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code)
    ? error.code
    : undefined;
}
