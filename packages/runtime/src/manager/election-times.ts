/** Which times make sense together, and the jitter that keeps candidates from trying all at once. */
import { ApiError } from '../api/errors.ts';
import type { Random } from '../ports/random.ts';
import { LEASE_SECONDS_MAX } from './lease.ts';

export const JITTER_FACTOR_MAX = 1.2;

export function jitter(delayMs: number, random: Random): number {
  return Math.round(delayMs * (1 + (JITTER_FACTOR_MAX - 1) * random.next()));
}

export interface ElectionTimes {
  readonly identity: string;
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

/** Throws `BadRequest`. */
export function checkTimes({ identity, leaseMs, renewDeadlineMs, retryMs }: ElectionTimes): void {
  if (identity === '') throw wrong('a candidate needs an identity: an empty one means that nobody leads');
  if (!(retryMs > 0)) throw wrong(`retryMs has to be more than 0, not ${retryMs}`);
  if (!(renewDeadlineMs > retryMs * JITTER_FACTOR_MAX)) {
    throw wrong(
      `renewDeadlineMs (${renewDeadlineMs}) has to be more than ${JITTER_FACTOR_MAX} times retryMs (${retryMs}), or a leader could not renew in time`,
    );
  }
  if (!(leaseMs > renewDeadlineMs)) {
    throw wrong(
      `leaseMs (${leaseMs}) has to be more than renewDeadlineMs (${renewDeadlineMs}), or two could lead at once`,
    );
  }
  if (leaseMs > LEASE_SECONDS_MAX * 1000) {
    throw wrong(`leaseMs has to be at most ${LEASE_SECONDS_MAX * 1000}, not ${leaseMs}`);
  }
}

/**
 * Work that goes on for `graceMs` after the term of its leader ended has to end before another process may take over.
 * Throws `BadRequest`.
 */
export function checkGrace(
  what: string,
  graceMs: number,
  { leaseMs, renewDeadlineMs }: Pick<ElectionTimes, 'leaseMs' | 'renewDeadlineMs'>,
): void {
  if (renewDeadlineMs + graceMs < leaseMs) return;
  throw wrong(
    `renewDeadlineMs (${renewDeadlineMs}) + graceMs of ${what} (${graceMs}) = ${renewDeadlineMs + graceMs} has to be less than leaseMs (${leaseMs}), or two leaders could act at once`,
  );
}

function wrong(reason: string): ApiError {
  return new ApiError('BadRequest', { reason: `leader election: ${reason}` });
}
