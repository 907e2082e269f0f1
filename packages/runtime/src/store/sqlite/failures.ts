/** Translates errors of SQLite and of the file system into errors of the catalogue. */
import { statfsSync } from 'node:fs';
import { ApiError, isApiError } from '../../api/errors.ts';

type Translation = (what: string, reason: string, cause: unknown) => ApiError;

const full: Translation = (what, reason, cause) => new ApiError('StorageFull', { what, reason }, cause);
const readOnly: Translation = (what, reason, cause) => new ApiError('ReadOnly', { what, reason }, cause);
const corrupt: Translation = (what, reason, cause) => new ApiError('Corrupt', { what, reason }, cause);
const unavailable: Translation = (what, reason, cause) => new ApiError('Unavailable', { what, reason }, cause);

/** By the name of a Node error. */
const byName: ReadonlyMap<string, Translation> = new Map([
  ['ENOSPC', full],
  ['EDQUOT', full],
  ['EFBIG', full],
  ['EROFS', readOnly],
  ['EACCES', readOnly],
  ['EPERM', readOnly],
  ['ENOTDIR', readOnly],
  ['ENOENT', readOnly],
  ['ENAMETOOLONG', readOnly],
  ['ELOOP', readOnly],
  ['EEXIST', readOnly],
]);

/** SQLite's primary result codes. */
const busy = 5;
const inputOutput = 10;
const malformed = 11;
const cannotOpen = 14;
const byCode: ReadonlyMap<number, readonly [Translation, reason: string]> = new Map([
  [3, [readOnly, 'access is denied']], // SQLITE_PERM
  [busy, [unavailable, 'another process holds its lock']],
  [8, [readOnly, 'it cannot be written']], // SQLITE_READONLY
  [inputOutput, [unavailable, 'reading or writing the disk failed']],
  [malformed, [corrupt, 'the database is malformed']],
  [13, [full, 'the disk is full']], // SQLITE_FULL
  [cannotOpen, [unavailable, 'one of its files cannot be opened']],
  [15, [unavailable, 'another process holds its lock']], // SQLITE_PROTOCOL
  [26, [corrupt, 'it is not an SQLite database']], // SQLITE_NOTADB
]);

/** SQLITE_IOERR_FSYNC: the disk may or may not have the commit, even if the disk is full. */
const flushFailed = 1034;
const freeBytesMin = 2 * 1024 * 1024;

/** The catalogue's error for a failure of the store at `what`, whose files are in `directory`. */
export function translate(error: unknown, what: string, directory: string): ApiError {
  if (isApiError(error)) return error;
  const code = sqliteCode(error);
  if (code === undefined) return translateFileError(error, what);
  if (code === flushFailed) return unavailable(what, 'flushing the disk failed', error);
  const primary = code & 0xff;
  // SQLite reports a full disk in several ways.
  if ((primary === inputOutput || primary === cannotOpen) && !hasFreeSpace(directory)) {
    return full(what, 'the disk is full', error);
  }
  const [translation, reason] = byCode.get(primary) ?? [unavailable, error instanceof Error ? error.message : ''];
  return translation(what, reason, error);
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busy;
}

/** Also after a read that the disk has refused (EIO), which may succeed the next time. */
export function isMalformed(error: unknown): boolean {
  return primaryCode(error) === malformed;
}

function primaryCode(error: unknown): number | undefined {
  const code = sqliteCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** The extended result code, if it is an error of SQLite. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  // The built-in module has the extended code in `errcode`, the package in a field of its own.
  const code = 'sqliteExtendedCode' in error ? error.sqliteExtendedCode : error.errcode;
  return typeof code === 'number' ? code : undefined;
}

function hasFreeSpace(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize > freeBytesMin;
  } catch {
    return true;
  }
}

export function translateFileError(error: unknown, what: string): ApiError {
  if (isApiError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const name = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (byName.get(name) ?? unavailable)(what, reason, error);
}
