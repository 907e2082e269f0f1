/** A file that is written and flushed out of sight, to be put into place in one step. */
import { linkSync, lstatSync, mkdirSync, renameSync, rmSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { directoryMode, fileMode } from '../sqlite/directories.ts';
import { fingerprint } from './sight.ts';

/**
 * A new file claims to be this much older than it is: more than the grain of a file's time. So a person who overwrites
 * it in the very next moment, with as many bytes, gives it another time, and the edit is noticed.
 */
const backdateMs = 20;

/**
 * Writes and flushes a file; the answer is its fingerprint, which it keeps when it is renamed. `model` is the file that
 * it will replace: what a person has made private, or handed to somebody, stays so.
 */
export async function writeDraft(path: string, bytes: Uint8Array, model: Stats | undefined): Promise<string> {
  const handle = await open(path, 'wx', fileMode);
  try {
    await handle.writeFile(bytes);
    if (model !== undefined) await resemble(handle, model);
    const { mtimeMs, atimeMs } = await handle.stat();
    await handle.utimes(atimeMs / 1000, (mtimeMs - backdateMs) / 1000);
    await handle.sync();
    return fingerprint(await handle.stat({ bigint: true }));
  } catch (error) {
    // Half a draft on a full disk would only make things worse.
    rmSync(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

async function resemble(handle: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const own = await handle.stat();
  // Only root may give a file away; for everybody else the file becomes the process's own.
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => {});
  await handle.chmod(mode & 0o777);
}

/** Makes the directory of a file. The answer is the directories, up to `root`, to flush once the file is in place. */
export function makeDirectory(root: string, file: string): string[] {
  const directory = dirname(file);
  const created = mkdirSync(directory, { recursive: true, mode: directoryMode });
  const changed = [directory];
  for (let parent = directory; created !== undefined && parent !== root; ) {
    parent = dirname(parent);
    changed.push(parent);
  }
  return changed;
}

/**
 * Puts a draft into place, where no file is to be yet (`isNew`) or one that nobody has touched. The answer is whether
 * it did; if not, there is an edit by hand to take in.
 *
 * A new file is linked, which fails if there is one already. Replacing takes a look and then a rename, and a save that
 * comes between the two is lost; Node cannot swap two files. What would make that moment long is another rename under
 * way in the same directory, which the look does not see but the rename waits for. The attempt to link waits for it too,
 * before the look, and so the moment is a few microseconds.
 */
export function placeDraft(draft: string, file: string, isNew: boolean, isUntouched: () => boolean): boolean {
  const link = tryToLink(draft, file);
  if (isNew && link !== 'impossible') return link === 'done';
  if (link === 'done') {
    // The old file was removed by hand just now.
    rmSync(file);
    return false;
  }
  if (!isUntouched()) return false;
  renameSync(draft, file);
  return true;
}

/** Removes the file with this fingerprint and no other. The answer is as for `placeDraft`; `grave` is a free path. */
export function removeFile(file: string, stat: string, grave: string): boolean {
  renameSync(file, grave);
  const isRight = fingerprint(lstatSync(grave, { bigint: true })) === stat;
  // A save by hand came first, so back it goes; unless there is another save in its place, which is newer.
  if (!isRight && tryToLink(grave, file) === 'impossible') renameSync(grave, file);
  rmSync(grave, { force: true });
  return isRight;
}

function tryToLink(from: string, to: string): 'done' | 'exists' | 'impossible' {
  try {
    linkSync(from, to);
    return 'done';
  } catch (error) {
    // Some file systems have no links.
    return error instanceof Error && 'code' in error && error.code === 'EEXIST' ? 'exists' : 'impossible';
  }
}
