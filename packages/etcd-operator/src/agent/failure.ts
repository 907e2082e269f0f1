/** Errors of an agent, as its result reports them. */
import { isEtcdError } from '../client/etcd/error.ts';
import type { StorageErrorCode } from '../client/storage/contract.ts';
import { isStorageError } from '../client/storage/error.ts';
import { isSnapshotError } from '../snapshot/error.ts';
import type { AgentFailure } from './job.ts';
import { InvalidJob } from './parse.ts';

export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly code: string;
  readonly isRetriable: boolean;

  constructor(code: string, message: string, options: { readonly isRetriable?: boolean } = {}) {
    super(message);
    this.code = code;
    this.isRetriable = options.isRetriable ?? false;
  }
}

/** Time alone may help: a credential is renewed, a connection comes back. */
const retriableStorage: readonly StorageErrorCode[] = ['Unavailable', 'Timeout', 'Corrupt', 'Expired', 'Full'];

export function failureOf(error: unknown): AgentFailure {
  const { code, isRetriable } = kindOf(error);
  return { ok: false, code, message: error instanceof Error ? error.message : String(error), isRetriable };
}

function kindOf(error: unknown): { readonly code: string; readonly isRetriable: boolean } {
  if (error instanceof AgentError) return error;
  if (isStorageError(error))
    return { code: `Storage${error.code}`, isRetriable: retriableStorage.includes(error.code) };
  if (isSnapshotError(error)) return { code: `Snapshot${error.code}`, isRetriable: false };
  if (isEtcdError(error)) return { code: `Etcd${error.code}`, isRetriable: error.code !== 'Denied' };
  if (error instanceof InvalidJob) return { code: 'InvalidJob', isRetriable: false };
  if (systemCode(error) === 'ENOSPC') return { code: 'ScratchFull', isRetriable: false };
  return { code: 'Internal', isRetriable: true };
}

export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
