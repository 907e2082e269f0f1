/**
 * Creates a new database atomically: it is written and flushed in a directory of its own and then linked into place. So
 * a crash or a power failure leaves a complete database or none; and of two processes that create one at the same time,
 * one creates it and the other opens it.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Binding } from './binding.ts';
import { fileMode, flush, syncDirectory } from './directories.ts';
import { schema } from './schema.ts';

/** Does nothing if there is a file of that name. */
export function createDatabase({ DatabaseSync }: Binding, directory: string, name: string): void {
  const file = join(directory, name);
  if (existsSync(file)) return;
  const scratch = mkdtempSync(join(directory, '.new-'));
  try {
    const draft = join(scratch, name);
    // SQLite gives its other files the mode of this one.
    closeSync(openSync(draft, 'wx', fileMode));
    chmodSync(draft, fileMode);
    const database = new DatabaseSync(draft);
    try {
      // Without a flush for each table: the file is flushed as a whole before it is linked into place.
      database.exec(`PRAGMA synchronous = OFF; ${schema}; PRAGMA journal_mode = WAL`);
    } finally {
      database.close();
    }
    flush(draft);
    publish(draft, file);
    syncDirectory(directory);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function publish(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (isExisting(error)) return;
    copyExclusively(draft, file);
  }
}

/** For file systems without hard links. Not atomic: a power failure during the copy leaves a damaged file. */
function copyExclusively(draft: string, file: string): void {
  try {
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
    chmodSync(file, fileMode);
    flush(file);
  } catch (error) {
    if (!isExisting(error)) throw error;
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
