/** A failed call to a store of backups. */
import type { StorageErrorCode } from './contract.ts';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;

  /** The message says what to do, and contains no secret. */
  constructor(code: StorageErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function isStorageError(error: unknown, ...codes: readonly StorageErrorCode[]): error is StorageError {
  return error instanceof StorageError && (codes.length === 0 || codes.includes(error.code));
}

/** `what` names the store, such as `the bucket "backups"`. */
export function abortedCall(what: string): StorageError {
  return new StorageError('Unavailable', `${what}: the call was aborted`);
}

export function closedClient(what: string): StorageError {
  return new StorageError('Unavailable', `${what}: the client was closed`);
}
