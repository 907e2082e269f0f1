/** What LMDB and the operating system say, in the words of the catalogue. */
import { statfsSync } from 'node:fs';
import { ApiError, isApiError } from '../../api/errors.ts';

type Translation = (what: string, reason: string, cause: unknown) => ApiError;

const full: Translation = (what, reason, cause) => new ApiError('StorageFull', { what, reason }, cause);
const readOnly: Translation = (what, reason, cause) => new ApiError('ReadOnly', { what, reason }, cause);
const corrupt: Translation = (what, reason, cause) => new ApiError('Corrupt', { what, reason }, cause);
const unavailable: Translation = (what, reason, cause) => new ApiError('Unavailable', { what, reason }, cause);

/** By error name (Node) or number (LMDB passes errno on as it is, and has negative numbers of its own). */
const translations: ReadonlyMap<string | number, Translation> = new Map<string | number, Translation>([
  ['ENOSPC', full],
  ['EDQUOT', full],
  ['EFBIG', full],
  [28, full],
  [122, full],
  [27, full],
  [-30792, full], // MDB_MAP_FULL
  ['EROFS', readOnly],
  ['EACCES', readOnly],
  ['EPERM', readOnly],
  [30, readOnly],
  [13, readOnly],
  [1, readOnly],
  ['ENOTDIR', readOnly],
  ['ENOENT', readOnly],
  ['ENAMETOOLONG', readOnly],
  ['ELOOP', readOnly],
  ['EEXIST', readOnly],
  [-30797, corrupt], // MDB_PAGE_NOTFOUND
  [-30796, corrupt], // MDB_CORRUPTED
  [-30794, corrupt], // MDB_VERSION_MISMATCH
  [-30793, corrupt], // MDB_INVALID
]);

/** LMDB reports a disk that filled up in the middle of a write as an input/output error. */
const inputOutputError = 5;
const roomBytesMin = 2 * 1024 * 1024;

/** The catalogue's error for a commit that failed in the store at `what`, in this directory. */
export async function translate(error: unknown, what: string, directory: string): Promise<ApiError> {
  if (isApiError(error)) return error;
  // lmdb rejects a commit with a stand-in whose `commitError` is a promise of the real reason; left alone, that
  // promise would end the process as an unhandled rejection.
  const inner =
    error instanceof Error && 'commitError' in error
      ? await Promise.resolve(error.commitError).catch((reason) => reason)
      : error;
  if (codeOf(inner) === inputOutputError && !hasRoom(directory)) return full(what, 'the disk is full', inner);
  return translateNow(inner, what);
}

function hasRoom(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize > roomBytesMin;
}

function codeOf(error: unknown): string | number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}

export function translateNow(error: unknown, what: string): ApiError {
  if (isApiError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  const translation = code === undefined ? undefined : translations.get(code);
  return (translation ?? unavailable)(what, reason, error);
}
