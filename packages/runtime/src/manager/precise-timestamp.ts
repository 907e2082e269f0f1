import { timestampAt } from '../ports/clock.ts';

/** A timestamp in milliseconds: RFC 3339, in UTC. Objects have whole seconds; leases and logs need more precision. */
export function preciseTimestampAt(timeMs: number): string {
  const milliseconds = Math.floor(timeMs) - Math.floor(timeMs / 1000) * 1000;
  return `${timestampAt(timeMs).slice(0, -1)}.${String(milliseconds).padStart(3, '0')}Z`;
}
