/** The outcome of a reconcile, which decides when its key is enqueued again. */
import { type ErrorCode, isApiError } from '../api/errors.ts';

/** The result of a reconcile: done, or requeue after a delay. `reason` is for logs; default `requeued`. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function that returns nothing has to fit.
export type ReconcileResult = { readonly requeueAfterMs?: number; readonly reason?: string } | undefined | void;

export type Outcome =
  /** Done; the failure count of the key is reset. */
  | { readonly is: 'success' }
  | { readonly is: 'requeue after'; readonly delayMs: number; readonly reason?: string }
  /** Another writer committed first, which is normal: requeue without a delay. */
  | { readonly is: 'conflict'; readonly error: unknown }
  /** A later attempt may succeed: retry with backoff. */
  | { readonly is: 'error'; readonly error: unknown }
  /** A retry cannot succeed until something changes, and that change enqueues the key. */
  | { readonly is: 'terminal'; readonly error: unknown }
  /** Not an error of the catalogue, so a bug: retry with backoff, and log an error. */
  | { readonly is: 'panic'; readonly error: unknown };

export function outcomeOf(result: ReconcileResult): Outcome {
  const delayMs = result?.requeueAfterMs;
  if (delayMs === undefined) return { is: 'success' };
  const reason = result?.reason;
  if (Number.isFinite(delayMs)) {
    return { is: 'requeue after', delayMs: Math.max(0, delayMs), ...(reason === undefined ? {} : { reason }) };
  }
  return { is: 'panic', error: new RangeError(`requeueAfterMs must be a finite number, not ${delayMs}`) };
}

/**
 * Errors whose cause may be temporary, and whose end need not enqueue this key: a missing or conflicting object,
 * credentials that are renewed, a role that is corrected or that a server has not read yet, a disk that is mounted again.
 */
const temporary: ReadonlySet<ErrorCode> = new Set([
  'NotFound',
  'AlreadyExists',
  'Unauthorized',
  'Forbidden',
  'ReadOnly',
] satisfies ErrorCode[]);

export function outcomeOfError(error: unknown): Outcome {
  if (!isApiError(error)) return { is: 'panic', error };
  if (temporary.has(error.code)) return { is: 'error', error };
  switch (error.retry) {
    case 'refetch':
      return { is: 'conflict', error };
    case 'retry':
      return { is: 'error', error };
    case 'terminal':
      return { is: 'terminal', error };
    case 'bug':
      return { is: 'panic', error };
  }
}
