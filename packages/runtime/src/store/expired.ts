import { ApiError } from '../api/errors.ts';
import type { Revision } from './contract.ts';

/**
 * Refuses a revision that the history does not reach. A revision of the future is `Expired` too: it comes from
 * before the store was restored or replaced, and waiting for it would be waiting in silence.
 */
export function checkReachable(revision: Revision, compacted: Revision, newest: Revision): void {
  if (revision < compacted) {
    throw new ApiError('Expired', {
      reason: `revision ${revision} has been compacted (the history starts at ${compacted}): list again and go on from there`,
    });
  }
  if (revision > newest) {
    throw new ApiError('Expired', {
      reason: `revision ${revision} is not reached yet (the newest is ${newest}): the store was replaced, list again`,
    });
  }
}

/** Refuses to compact what has not happened. */
export function checkCompactable(revision: Revision, newest: Revision): void {
  if (!Number.isSafeInteger(revision) || revision < 0 || revision > newest) {
    throw new ApiError('BadRequest', { reason: `cannot compact to revision ${revision}: the newest is ${newest}` });
  }
}
