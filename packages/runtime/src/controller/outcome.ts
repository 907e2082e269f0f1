/** What a reconcile's end means for its key, as data. */
import { isApiError } from '../api/errors.ts';

/** What a reconcile may answer: nothing more to do, or look again after a while. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function that returns nothing has to fit.
export type ReconcileResult = { readonly requeueAfterMs?: number } | undefined | void;

export type Outcome =
  /** Done; the failures of the key are forgotten. */
  | { readonly is: 'success' }
  | { readonly is: 'requeue after'; readonly delayMs: number }
  /** Somebody else was faster. A normal thing: look again at once. */
  | { readonly is: 'conflict'; readonly error: unknown }
  /** It may work later: back off. */
  | { readonly is: 'error'; readonly error: unknown }
  /** Repeating cannot help until something changes, and that will wake us. */
  | { readonly is: 'terminal'; readonly error: unknown }
  /** Not an error of the catalogue, so a mistake in the program: back off, and say so loudly. */
  | { readonly is: 'panic'; readonly error: unknown };

export function outcomeOf(result: ReconcileResult): Outcome {
  const delayMs = result?.requeueAfterMs;
  return delayMs === undefined ? { is: 'success' } : { is: 'requeue after', delayMs: Math.max(0, delayMs) };
}

export function outcomeOfError(error: unknown): Outcome {
  if (!isApiError(error)) return { is: 'panic', error };
  // What is missing or in the way may be so for a moment only, and nobody promises to wake us when that is over.
  if (error.code === 'NotFound' || error.code === 'AlreadyExists') return { is: 'error', error };
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
