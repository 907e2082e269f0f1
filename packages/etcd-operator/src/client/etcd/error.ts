/** A failed call to etcd. */
import type { EtcdErrorCode } from './contract.ts';

export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: EtcdErrorCode;
  /** Whether TLS failed: a process answers, and either side refuses the certificate of the other. */
  readonly isTlsFailure: boolean;

  constructor(code: EtcdErrorCode, message: string, { isTlsFailure = false } = {}) {
    // OpenSSL ends its text with a line break, and conditions have one line.
    super(message.replaceAll(/\s+/gu, ' ').trim());
    this.code = code;
    this.isTlsFailure = isTlsFailure;
  }
}

export function isEtcdError(error: unknown, ...codes: readonly EtcdErrorCode[]): error is EtcdError {
  return error instanceof EtcdError && (codes.length === 0 || codes.includes(error.code));
}
