/** Which error a failed call to the file system is. */
import { StorageError } from '../error.ts';

const byCode: Readonly<Record<string, (at: string) => StorageError>> = {
  ENOSPC: (at) => full(`there is no space left for ${at}: delete old backups, or enlarge the volume`),
  EDQUOT: (at) => full(`the quota for ${at} is used up: delete old backups, or raise the quota`),
  EFBIG: (at) => new StorageError('Other', `${at} would be larger than its file system allows: use another volume`),
  EACCES: denied,
  EPERM: denied,
  EROFS: (at) =>
    new StorageError('Denied', `the file system of ${at} is read-only: mount the volume without "readOnly"`),
  ELOOP: (at) => new StorageError('Denied', `${at} is a symbolic link, and these are not followed`),
  ENOTDIR: notDirectory,
  EEXIST: notDirectory,
  EISDIR: (at) => new StorageError('Other', `${at} is a directory: use another key`),
  ENAMETOOLONG: (at) => new StorageError('Other', `the name ${at} is too long for its file system: use a shorter one`),
  EMFILE: (at) => new StorageError('Unavailable', `${at}: this process has too many open files`),
  ESTALE: (at) => new StorageError('Unavailable', `${at}: the network file system has lost it: mount the volume again`),
};

/** An error that is not of the file system is returned as it is. `at` is a path. */
export function fileFailure(error: unknown, at: string): unknown {
  const code = errorCode(error);
  if (code === '' || !(error instanceof Error)) return error;
  // Anything else, such as EIO, is a failure of the disk or of the network to it.
  return byCode[code]?.(at) ?? new StorageError('Unavailable', `${at}: ${code}: the file system reported an error`);
}

/** Such as `ENOENT`. Returns an empty string for other errors. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

export function missingDirectory(directory: string): StorageError {
  return new StorageError('NoBucket', `there is no directory ${directory}: create it, or mount the volume there`);
}

function notDirectory(at: string): StorageError {
  return new StorageError('Other', `a part of the path of ${at} is a file, not a directory: use another path`);
}

function full(message: string): StorageError {
  return new StorageError('Full', message);
}

function denied(at: string): StorageError {
  return new StorageError(
    'Denied',
    `no permission for ${at}: give this user access to the volume, in a pod with "fsGroup" in its security context`,
  );
}
