/**
 * Decides whether a failed call is retried, and after which delay. Only reads, and calls that were declared safe, are
 * retried: a write whose response was lost may have been executed.
 */
import { backoffMs, isApiError, type Random } from '@ecsm/runtime';
import { platformResponse } from './errors.ts';

/** Maximum of the first delay; it doubles with each retry. */
const backoffMsMin = 200;
const backoffMsMax = 2_000;

interface FailedAttempt {
  readonly error: unknown;
  /** Counts from 1. */
  readonly attempt: number;
  readonly attemptsMax: number;
  /** Whether it may be repeated. */
  readonly isSafe: boolean;
  /** Time until the deadline of the whole call. */
  readonly remainingMs: number;
}

/** Returns the delay before the next attempt, or undefined if the call is not retried. */
export function retryDelayMs(failed: FailedAttempt, random: Random): number | undefined {
  const { error, attempt, attemptsMax, isSafe, remainingMs } = failed;
  if (!isSafe || attempt >= attemptsMax || !isRetryable(error)) return undefined;
  const retryAfterMs = platformResponse(error)?.retryAfterMs ?? 0;
  const delayMs = Math.max(retryAfterMs, backoffMs(attempt - 1, backoffMsMin, backoffMsMax, random));
  // An attempt at the deadline could not complete.
  return delayMs < remainingMs ? delayMs : undefined;
}

/** Whether the same call may succeed if it is repeated soon. */
function isRetryable(error: unknown): boolean {
  if (!isApiError(error) || error.retry !== 'retry') return false;
  // The platform rejected the request; repeating it immediately wastes the link.
  if (error.code === 'Rejected') return false;
  // A complete envelope with unexpected data will not change.
  return !(error.code === 'BadAnswer' && platformResponse(error)?.code !== undefined);
}
