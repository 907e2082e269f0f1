import { timestampAt } from '../ports/clock.ts';

/** A timestamp in milliseconds: RFC 3339, in UTC. Objects have whole seconds; logs need more precision. */
export function preciseTimestampAt(timeMs: number): string {
  const milliseconds = Math.floor(timeMs) - Math.floor(timeMs / 1000) * 1000;
  return `${timestampAt(timeMs).slice(0, -1)}.${String(milliseconds).padStart(3, '0')}Z`;
}

/** The same in the format of the times of leases, which have microseconds. */
export function microTimestampAt(timeMs: number): string {
  return `${preciseTimestampAt(timeMs).slice(0, -1)}000Z`;
}
