/** Validation of the election times, and the jitter that spreads the attempts of candidates. */
import { ApiError } from '../api/errors.ts';
import type { Random } from '../ports/random.ts';
import { LEASE_SECONDS_MAX } from './lease.ts';

const JITTER_FACTOR_MAX = 1.2;

export function jitter(delayMs: number, random: Random): number {
  return Math.round(delayMs * (1 + (JITTER_FACTOR_MAX - 1) * random.next()));
}

interface ElectionTimes {
  readonly identity: string;
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

/** Throws `BadRequest`. */
export function checkTimes({ identity, leaseMs, renewDeadlineMs, retryMs }: ElectionTimes): void {
  if (identity === '') throw invalidTimes('identity must not be empty: an empty holder means that there is no leader');
  if (!(retryMs > 0)) throw invalidTimes(`retryMs must be more than 0, not ${retryMs}`);
  if (!(renewDeadlineMs > retryMs * JITTER_FACTOR_MAX)) {
    throw invalidTimes(
      `renewDeadlineMs (${renewDeadlineMs}) must be more than ${JITTER_FACTOR_MAX} times retryMs (${retryMs}), or a leader could not renew in time`,
    );
  }
  if (!(leaseMs > renewDeadlineMs)) {
    throw invalidTimes(
      `leaseMs (${leaseMs}) must be more than renewDeadlineMs (${renewDeadlineMs}), or there could be two leaders`,
    );
  }
  if (leaseMs > LEASE_SECONDS_MAX * 1000) {
    throw invalidTimes(`leaseMs must be at most ${LEASE_SECONDS_MAX * 1000}, not ${leaseMs}`);
  }
}

/**
 * Work that continues for `graceMs` after the end of its leader's term must end before another process may take over.
 * Throws `BadRequest`.
 */
export function checkGrace(
  what: string,
  graceMs: number,
  { leaseMs, renewDeadlineMs }: Pick<ElectionTimes, 'leaseMs' | 'renewDeadlineMs'>,
): void {
  if (renewDeadlineMs + graceMs < leaseMs) return;
  throw invalidTimes(
    `renewDeadlineMs (${renewDeadlineMs}) + graceMs of ${what} (${graceMs}) = ${renewDeadlineMs + graceMs} must be less than leaseMs (${leaseMs}), or two leaders could act at the same time`,
  );
}

function invalidTimes(reason: string): ApiError {
  return new ApiError('BadRequest', { reason: `leader election: ${reason}` });
}
