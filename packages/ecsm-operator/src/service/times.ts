/** Moments in a status, and how long it is until something is due. */
import { parseTime } from '@ecsm/client';
import { timestampAt } from '@ecsm/runtime';

/** A status has whole seconds. Rounded up, so that a wait which is counted from there is never too short. */
export function momentText(timeMs: number): string {
  return timestampAt(Math.ceil(timeMs / 1000) * 1000);
}

/**
 * What is left of a wait that began at a moment of a status; 0 if it is over. A clock that was set back makes it begin
 * again rather than last for ever.
 */
export function leftMs(sinceText: string, waitMs: number, nowMs: number): number {
  const sinceMs = parseTime(sinceText) ?? nowMs;
  return Math.min(Math.max(sinceMs + waitMs - nowMs, 0), waitMs);
}

/** The first of several moments; those that never come are undefined. */
export function earliest(...delaysMs: readonly (number | undefined)[]): number | undefined {
  const known = delaysMs.filter((delayMs) => delayMs !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
