/** Times in a status, and the rest of waits. */
import { parseTime } from '@ecsm/client';
import { timestampAt } from '@ecsm/runtime';

/** A status has whole seconds. Rounded up, so that a wait from this time is never too short. */
export function statusTime(timeMs: number): string {
  return timestampAt(Math.ceil(timeMs / 1000) * 1000);
}

/**
 * The rest of a wait since a time of a status; 0 if it has ended. A clock that was set back restarts the wait instead of
 * extending it without limit.
 */
export function remainingMs(sinceText: string, waitMs: number, nowMs: number): number {
  const sinceMs = parseTime(sinceText) ?? nowMs;
  return Math.min(Math.max(sinceMs + waitMs - nowMs, 0), waitMs);
}

/** The time of a deletion has whole seconds, rounded down. */
const resolutionMs = 1_000;

/**
 * Rest of the time in which a deletion has no effect on services that depend on the deleted one, nor on itself if there are
 * such services: those that are deleted together are marked one after another, and the dependents may be next.
 */
export function togetherMs(deletionTime: string | undefined, pollMs: number, nowMs: number): number {
  return deletionTime === undefined ? 0 : remainingMs(deletionTime, pollMs + resolutionMs, nowMs);
}

/** The smallest of several delays; undefined ones are ignored. */
export function earliest(...delaysMs: readonly (number | undefined)[]): number | undefined {
  const known = delaysMs.filter((delayMs) => delayMs !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
