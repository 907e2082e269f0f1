import { ApiError } from '../api/errors.ts';
import type { Revision } from './contract.ts';

/**
 * Refuses a revision outside of the history. A future revision is `Expired` too: it is from before the store was
 * restored or replaced, and a watch would wait for it without an error.
 */
export function checkReachable(revision: Revision, compacted: Revision, newest: Revision): void {
  if (revision < compacted) {
    throw new ApiError('Expired', {
      reason: `revision ${revision} has been compacted (the history starts at ${compacted}): list again and continue from there`,
    });
  }
  if (revision > newest) {
    throw new ApiError('Expired', {
      reason: `revision ${revision} is not reached yet (the newest is ${newest}): the store was replaced, list again`,
    });
  }
}

/** Refuses to compact to a future revision. */
export function checkCompactable(revision: Revision, newest: Revision): void {
  if (!Number.isSafeInteger(revision) || revision < 0 || revision > newest) {
    throw new ApiError('BadRequest', { reason: `cannot compact to revision ${revision}: the newest is ${newest}` });
  }
}
