/**
 * Whether a call that failed is made again, and after how long. Only a call that may be repeated without harm is: a read,
 * or one that its caller declared safe. A write whose answer was lost may have happened, and only its caller can tell.
 */
import { backoffMs, isApiError, type Random } from '@ecsm/runtime';
import { platformAnswer } from './errors.ts';

/** The first wait is up to this long; each one after it up to twice the one before. */
const backoffMsMin = 200;
const backoffMsMax = 2_000;

export interface FailedAttempt {
  readonly error: unknown;
  /** Counts from 1. */
  readonly attempt: number;
  readonly attemptsMax: number;
  /** Whether repeating it is harmless. */
  readonly isSafe: boolean;
  /** Until the deadline of the whole call. */
  readonly remainingMs: number;
}

/** How long to wait before the next attempt; undefined if there is none. */
export function retryDelayMs(failed: FailedAttempt, random: Random): number | undefined {
  const { error, attempt, attemptsMax, isSafe, remainingMs } = failed;
  if (!isSafe || attempt >= attemptsMax || !mayPass(error)) return undefined;
  const askedMs = platformAnswer(error)?.retryAfterMs ?? 0;
  const delayMs = Math.max(askedMs, backoffMs(attempt - 1, backoffMsMin, backoffMsMax, random));
  // An attempt that starts at the deadline could not end.
  return delayMs < remainingMs ? delayMs : undefined;
}

/** Whether the same call may succeed in a moment. */
function mayPass(error: unknown): boolean {
  if (!isApiError(error) || error.retry !== 'retry') return false;
  // The platform understood and refused: asking again at once is noise on the link.
  if (error.code === 'Rejected') return false;
  // A whole envelope whose data is not what we expect will not be another one next time.
  return !(error.code === 'BadAnswer' && platformAnswer(error)?.code !== undefined);
}
