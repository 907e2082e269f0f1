/** A file that is written and flushed out of sight, to be put into place in one step. */
import { mkdirSync, rmSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
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
  const handle = await open(path, 'wx', model === undefined ? 0o666 : 0o600);
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
  const created = mkdirSync(directory, { recursive: true });
  const changed = [directory];
  for (let parent = directory; created !== undefined && parent !== root; ) {
    parent = dirname(parent);
    changed.push(parent);
  }
  return changed;
}
