/** Times on the wire. The platform writes them in more than one way, and which one where is a guess: the switch `times`. */
import { timestampAt } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';

export type Timed = 'service' | 'container' | 'image';

/** Nodes, records and whatever else lies in the platform's database look like services. */
export function timeText(timeMs: number, of: Timed, { times }: Behaviour): string {
  const second = timestampAt(timeMs).slice(0, 19);
  if (times === 'plain' || (times === 'mixed' && of === 'service')) return second.replace('T', ' ');
  const milliseconds = String(Math.floor(timeMs) % 1000).padStart(3, '0');
  return `${second}.${milliseconds}${times === 'mixed' && of === 'image' ? '000000' : ''}Z`;
}

/** The largest moment that a date can hold. */
const timeMsMax = 8.64e15;
/** Any number below this is seconds: as milliseconds it would be before 1973. */
const secondsMax = 1e11;

/**
 * A moment that a caller names: seconds or milliseconds since the epoch, or either of the texts above. Undefined if it
 * is none of them.
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
  // The 31st of February would come out as a day in March.
  return timestampAt(timeMs).slice(0, 19) === text.slice(0, 19).replace(' ', 'T') ? timeMs : undefined;
}

/** Of the Gregorian calendar, whose years begin in March here, so that the leap day is the last one. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
