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

/** The smallest of several delays; undefined ones are ignored. */
export function earliest(...delaysMs: readonly (number | undefined)[]): number | undefined {
  const known = delaysMs.filter((delayMs) => delayMs !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
