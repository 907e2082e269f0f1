/** Whether a schedule is active: its next end is nearer than its next start. */
import { nextTimeMs } from '@ecsm/runtime/cron';

export interface Schedule {
  readonly timezone: string;
  readonly start: string;
  readonly end: string;
}

/** Active from its start up to, and not at, its end. A schedule that never starts or never ends is not active. */
export function isActive({ timezone, start, end }: Schedule, nowMs: number): boolean {
  const startMs = nextTimeMs(start, timezone, nowMs);
  const endMs = nextTimeMs(end, timezone, nowMs);
  return startMs !== undefined && endMs !== undefined && endMs < startMs;
}
