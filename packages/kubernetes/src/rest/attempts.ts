/**
 * Decides whether a failed attempt is repeated, and when. Repeated are requests that the server refused because it was
 * busy (429) or that never reached it, and reads that failed otherwise (5xx, lost connections): a write whose response
 * was lost may have happened. A request whose credentials were rejected (401) is repeated once if there may be newer
 * ones.
 */
import { type ApiError, backoffMs, type Clock, isApiError, type Log, type Random, sleep } from '@ecsm/runtime';
import type { Credentials } from '../config/credentials.ts';
import { isUnsent } from './connection-errors.ts';
import { type ErrorContext, errorOf, retryAfterMs } from './status.ts';

const attemptsMax = 10;
const backoffMsMin = 100;
const backoffMsMax = 5_000;

type Repeat = 'always' | 'if read' | 'with new credentials' | 'never';

/** A response that is an error, and under which condition the request may be repeated. */
export class AttemptFailed extends Error {
  readonly error: ApiError;
  readonly repeat: Repeat;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: unknown, retryAfter: string | undefined, context: ErrorContext) {
    super('the attempt failed');
    this.error = errorOf(status, body, context);
    this.repeat = repeatOf(status, this.error);
    this.retryAfterMs = retryAfterMs(retryAfter, body);
  }
}

interface Attempts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly credentials: Credentials;
  readonly isRead: boolean;
  readonly what: string;
  /** Of the whole request. */
  readonly timeoutMs: number;
  /** Aborts at the deadline, or when the caller aborts. */
  readonly signal: AbortSignal;
}

/** Rejects with the error of the last attempt, or with the reason of the signal if it aborted an attempt. */
export async function repeated<T>(options: Attempts, attempt: () => Promise<T>): Promise<T> {
  const { clock, random, log, credentials, isRead, what, timeoutMs, signal } = options;
  const startMs = clock.monotonicMs();
  let hasNewCredentials = false;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (thrown) {
      const error = thrown instanceof AttemptFailed ? thrown.error : thrown;
      const repeat = thrown instanceof AttemptFailed ? thrown.repeat : repeatAfterLoss(thrown);
      if (signal.aborted || attempts === attemptsMax) throw error;
      if (repeat === 'with new credentials') {
        if (hasNewCredentials || !credentials.discard()) throw error;
        hasNewCredentials = true;
        continue;
      }
      if (repeat === 'never' || (repeat === 'if read' && !isRead)) throw error;
      const named = thrown instanceof AttemptFailed ? thrown.retryAfterMs : undefined;
      const delayMs = named ?? backoffMs(attempts - 1, backoffMsMin, backoffMsMax, random);
      // A delay beyond the deadline would only postpone the error.
      if (clock.monotonicMs() - startMs + delayMs >= timeoutMs) throw error;
      log.write('debug', 'request to the API server failed; retrying', { what, delayMs, error: String(error) });
      await sleep(clock, delayMs, signal);
      signal.throwIfAborted();
    }
  }
}

function repeatOf(status: number, error: ApiError): Repeat {
  if (status === 429) return 'always';
  if (status === 401) return 'with new credentials';
  return status >= 500 && (error.code === 'Unavailable' || error.code === 'Timeout') ? 'if read' : 'never';
}

function repeatAfterLoss(thrown: unknown): Repeat {
  if (!isApiError(thrown, 'Unavailable')) return 'never';
  return thrown.cause instanceof Error && isUnsent(thrown.cause) ? 'always' : 'if read';
}
