/** A snapshot or a stored backup that is not what it should be. */
type SnapshotErrorCode =
  /** It ends early. */
  | 'Truncated'
  /** Its bytes are not those that were written. */
  | 'Corrupt'
  /** It is something else than a snapshot of etcd. */
  | 'NotSnapshot'
  /** It is not the one that was asked for. */
  | 'Mismatch'
  /** It is encrypted, and there is no key or another one. */
  | 'WrongKey'
  /** The key itself is not valid. */
  | 'InvalidKey'
  /** It was written by a newer release, of etcd or of this program. */
  | 'NewerVersion'
  /** The description of a stored backup is not valid. */
  | 'InvalidManifest';

export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
  readonly code: SnapshotErrorCode;

  /** The message says what to do. */
  constructor(code: SnapshotErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function isSnapshotError(error: unknown, ...codes: readonly SnapshotErrorCode[]): error is SnapshotError {
  return error instanceof SnapshotError && (codes.length === 0 || codes.includes(error.code));
}
