/**
 * The job that puts restored data into its place. It never touches data that is already there, and can be repeated after a
 * crash at any point: a note with the uid of the restore is written before the data is moved.
 */
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { AgentError, systemCode } from './failure.ts';
import type { CommitJob, CommitResult } from './job.ts';
import { flushDirectoryOf } from './scratch.ts';

const noteName = '.etcd-operator-restore';

export async function commit({ from, to, remove, marker }: CommitJob): Promise<CommitResult> {
  const volume = dirname(resolve(to));
  const note = join(volume, noteName);
  for (const path of remove) requireRemovable(resolve(path), resolve(to), volume);
  const [hasNote, hasData, hasRestored] = [(await noteIn(note)) === marker, await exists(to), await exists(from)];
  // The note is written only while there is no data: both mean that it was moved, also if it was restored once more since.
  const isDone = hasNote && hasData;
  if (!isDone) {
    if (hasData) {
      throw new AgentError(
        'DataExists',
        `there is data in ${to} that this restore did not write; restore into an empty volume`,
      );
    }
    if (!hasRestored) throw new AgentError('NothingRestored', `there is no restored data in ${from}`);
    await writeNote(note, marker);
    await rename(from, to);
    await flushDirectoryOf(to);
  }
  for (const path of remove) await rm(path, { recursive: true, force: true });
  return { ok: true, do: 'commit', isNew: !isDone };
}

function requireRemovable(path: string, to: string, volume: string): void {
  const isInside = path.startsWith(volume + sep);
  const isData = path === to || to.startsWith(path + sep) || path.startsWith(to + sep);
  if (!isInside || isData) throw new AgentError('InvalidJob', `${path} cannot be removed after the restore into ${to}`);
}

async function noteIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeNote(path: string, marker: string): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(marker);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await flushDirectoryOf(path);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
