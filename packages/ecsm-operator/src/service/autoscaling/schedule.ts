/** Whether a schedule is active: its next end is nearer than its next start. */
import { timestampAt } from '@ecsm/runtime';
import { Cron } from 'croner';

export interface Schedule {
  readonly timezone: string;
  readonly start: string;
  readonly end: string;
}

/** Active from its start up to, and not at, its end. A schedule that never starts or never ends is not active. */
export function isActive({ timezone, start, end }: Schedule, nowMs: number): boolean {
  const startMs = nextMs(start, timezone, nowMs);
  const endMs = nextMs(end, timezone, nowMs);
  return startMs !== undefined && endMs !== undefined && endMs < startMs;
}

/** The next time after now. Undefined if there is none, such as for February 30. */
function nextMs(pattern: string, timezone: string, nowMs: number): number | undefined {
  // `paused`: the library starts no timer.
  const cron = new Cron(pattern, { timezone, mode: '5-part', paused: true });
  return cron.nextRun(timestampAt(nowMs))?.getTime();
}
