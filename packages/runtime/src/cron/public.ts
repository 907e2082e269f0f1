/**
 * `@ecsm/runtime/cron`: the times of cron expressions, with the rules of daylight saving time. In a module of its own,
 * because it loads a library that only operators need. The syntax is checked by `cronFormat`.
 */
import { Cron } from 'croner';
import { BoundedMap } from '../lib/bounded-map.ts';
import { timestampAt } from '../ports/clock.ts';

/** The next time after another one. Undefined if there is none, such as for February 30. */
export function nextTimeMs(expression: string, timeZone: string, afterMs: number): number | undefined {
  return parsed(expression, timeZone).nextRun(timestampAt(afterMs))?.getTime();
}

/** Expressions are evaluated in every sync, and parsing takes longer than that. */
const recent = new BoundedMap<string, Cron>(100);

function parsed(expression: string, timeZone: string): Cron {
  const key = `${timeZone} ${expression}`;
  const known = recent.get(key);
  if (known !== undefined) return known;
  // `paused`: the library starts no timer.
  const cron = new Cron(expression, { timezone: timeZone, mode: '5-part', paused: true });
  recent.set(key, cron);
  return cron;
}

/** Steps back from now until a time is found: an hour, then twice as long, up to the interval of a leap day. */
const lookBackMs = 3_600_000;

/** The last time that is after `afterMs` and not after `nowMs`. Undefined if there is none. */
export function lastTimeMs(expression: string, timeZone: string, afterMs: number, nowMs: number): number | undefined {
  for (let spanMs = lookBackMs; ; spanMs *= 2) {
    const fromMs = Math.max(afterMs, nowMs - spanMs);
    let found: number | undefined;
    let next = nextTimeMs(expression, timeZone, fromMs);
    while (next !== undefined && next <= nowMs) {
      found = next;
      next = nextTimeMs(expression, timeZone, next);
    }
    if (found !== undefined || fromMs === afterMs) return found;
  }
}
