/**
 * The state file. It is written to a temporary file and renamed, so a crash leaves the old or the new file. An invalid
 * file is never overwritten.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ApiError } from '@ecsm/runtime';
import { checkState } from '../control/state.ts';
import type { State } from '../platform/model.ts';

/** Maximum size of a state file; 30,000 containers need about 40 MB. */
const bytesMax = 1024 ** 3;

/** Returns undefined if the file does not exist. Throws `Corrupt` or `Unavailable`. */
export function readStateFile(path: string): State | undefined {
  if (!existsSync(path)) {
    if (existsSync(dirname(resolve(path)))) return undefined;
    throw new ApiError('Unavailable', { what: path, reason: `the directory ${dirname(resolve(path))} does not exist` });
  }
  const check = checkState(parsed(path, textOf(path)));
  if ('problem' in check) throw damaged(path, check.problem);
  return check.state;
}

function textOf(path: string): string {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) throw damaged(path, 'it is not a file');
    if (stat.size > bytesMax) throw damaged(path, `it is ${stat.size} bytes long, over the limit of ${bytesMax}`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('Unavailable', { what: path, reason: reasonOf(error) }, error);
  }
}

function parsed(path: string, text: string): unknown {
  if (text.trim() === '') throw damaged(path, 'it is empty');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(path, reasonOf(error));
  }
}

function damaged(path: string, reason: string): ApiError {
  return new ApiError('Corrupt', { what: path, reason: `${reason}. Fix or move the file, or use another one` });
}

/** Throws `Unavailable` with the error of the file system, and keeps the old file. */
export function writeStateFile(path: string, state: State): void {
  const temporary = `${path}.new`;
  try {
    // It contains the passwords of the nodes.
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeFileSync(file, `${JSON.stringify(state)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new ApiError('Unavailable', { what: path, reason: reasonOf(error) }, error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
