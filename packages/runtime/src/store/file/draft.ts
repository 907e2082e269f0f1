/** Writes a file atomically: a draft is written and flushed in a hidden directory, then moved into place. */
import { fchmodSync, fchownSync, linkSync, lstatSync, mkdirSync, renameSync, rmSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { directoryMode, fileMode } from '../sqlite/directories.ts';
import { fingerprint } from './observation.ts';

/**
 * A new file is backdated by more than the resolution of file times. So an edit immediately afterwards, with the same
 * number of bytes, changes the time of the file and is noticed.
 */
const backdateMs = 20;

/**
 * Writes and flushes a file; returns its fingerprint, which a rename does not change. `model` is the file that it will
 * replace: mode and owner are kept.
 */
export async function writeDraft(path: string, bytes: Uint8Array, model: Stats | undefined): Promise<string> {
  const handle = await open(path, 'wx', fileMode);
  try {
    await handle.writeFile(bytes);
    if (model !== undefined) copyModeAndOwner(handle.fd, model);
    const { mtimeMs, atimeMs } = await handle.stat();
    await handle.utimes(atimeMs / 1000, (mtimeMs - backdateMs) / 1000);
    await handle.sync();
    return fingerprint(await handle.stat({ bigint: true }));
  } catch (error) {
    // A partial draft would waste space on a full disk.
    rmSync(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

function copyModeAndOwner(descriptor: number, { mode, uid, gid }: Stats): void {
  try {
    fchownSync(descriptor, uid, gid);
  } catch {
    // Only root may change the owner; otherwise the file belongs to the user of the process.
  }
  fchmodSync(descriptor, mode & 0o777);
}

/** Creates the directory of a file. Returns the directories, up to `root`, to flush once the file is in place. */
export function createDirectory(root: string, file: string): string[] {
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
 * Moves a draft into place, where there is no file yet (`isNew`) or an unedited one. Returns false if there is a manual
 * edit to take in instead.
 *
 * A new file is linked, which fails if there is one already. Replacing is a check and then a rename, and a save between
 * the two is lost; Node cannot swap two files. A concurrent rename in the same directory would widen that window,
 * because the rename waits for it and the check does not. The attempt to link waits for it too, before the check, so the
 * window is a few microseconds.
 */
export function placeDraft(draft: string, file: string, isNew: boolean, isUntouched: () => boolean): boolean {
  const link = tryToLink(draft, file);
  if (isNew && link !== 'impossible') return link === 'done';
  if (link === 'done') {
    // The old file has just been removed manually.
    rmSync(file);
    return false;
  }
  if (!isUntouched()) return false;
  renameSync(draft, file);
  return true;
}

/** Removes the file if it has this fingerprint. Returns the same as `placeDraft`; `trash` is an unused path. */
export function removeFile(file: string, stat: string, trash: string): boolean {
  renameSync(file, trash);
  const isRight = fingerprint(lstatSync(trash, { bigint: true })) === stat;
  // A manual save came first, so it is restored, unless there is a newer save in its place.
  if (!isRight && tryToLink(trash, file) === 'impossible') renameSync(trash, file);
  rmSync(trash, { force: true });
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
