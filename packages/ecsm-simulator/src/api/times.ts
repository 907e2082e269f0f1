/** Times in requests and responses. The platform uses several forms; which one where is set by the switch `times`. */
import { timestampAt } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';

type Timed = 'service' | 'container' | 'image';

/** Nodes, records and other database rows use the form of services. */
export function timeText(timeMs: number, of: Timed, { times }: Behaviour): string {
  const second = timestampAt(timeMs).slice(0, 19);
  if (times === 'plain' || (times === 'mixed' && of === 'service')) return second.replace('T', ' ');
  const milliseconds = String(Math.floor(timeMs) % 1000).padStart(3, '0');
  return `${second}.${milliseconds}${times === 'mixed' && of === 'image' ? '000000' : ''}Z`;
}

/** The maximum of a JavaScript `Date`. */
const timeMsMax = 8.64e15;
/** A smaller number is in seconds: in milliseconds it would be before 1973. */
const secondsMax = 1e11;

/**
 * Parses a time of a caller: seconds or milliseconds since the epoch, or one of the forms above. Returns undefined if
 * it is invalid.
 */
export function parseMoment(text: string): number | undefined {
  if (/^\d{1,16}$/.test(text)) {
    const number = Number(text);
    const timeMs = number < secondsMax ? number * 1000 : number;
    return timeMs <= timeMsMax ? timeMs : undefined;
  }
  const parts = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?Z?$/.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  const timeMs = (((daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000;
  // An impossible date, such as February 31, would be converted to another day.
  return timestampAt(timeMs).slice(0, 19) === text.slice(0, 19).replace(' ', 'T') ? timeMs : undefined;
}

/** In the Gregorian calendar. The year starts in March here, so that the leap day is its last day. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
