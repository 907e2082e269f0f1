import { timestampAt } from '../ports/clock.ts';

/** A moment to the millisecond: RFC 3339, in UTC. Objects write whole seconds; leases and logs need more. */
export function preciseTimestampAt(timeMs: number): string {
  const milliseconds = Math.floor(timeMs) - Math.floor(timeMs / 1000) * 1000;
  return `${timestampAt(timeMs).slice(0, -1)}.${String(milliseconds).padStart(3, '0')}Z`;
}
