/** A failed call to etcd. */
import type { EtcdErrorCode } from './contract.ts';

export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: EtcdErrorCode;

  constructor(code: EtcdErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function isEtcdError(error: unknown, ...codes: readonly EtcdErrorCode[]): error is EtcdError {
  return error instanceof EtcdError && (codes.length === 0 || codes.includes(error.code));
}
