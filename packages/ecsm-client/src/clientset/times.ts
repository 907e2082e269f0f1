/**
 * Parses timestamps of the platform. It uses two forms: with a time zone, as `2024-06-03T23:28:20.123456789Z`, and
 * without one, as `2024-06-03 23:28:20`, whose zone depends on the installation. Does not use `Date`, which would apply
 * the local time zone.
 */

const written =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?\s?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/i;

const msPerMinute = 60_000;
const msPerDay = 86_400_000;

let lastText: string | undefined;
let lastZone = 0;
let lastTime: number | undefined;

/**
 * Returns milliseconds since the epoch, truncated, or undefined for an invalid text or an impossible date. The last result
 * is kept: most services were updated when they were created, and many at the same time.
 */
export function parseTime(text: string, zoneOffsetMinutes = 0): number | undefined {
  if (text !== lastText || zoneOffsetMinutes !== lastZone) {
    lastTime = parsed(text, zoneOffsetMinutes);
    lastText = text;
    lastZone = zoneOffsetMinutes;
  }
  return lastTime;
}

function parsed(text: string, zoneOffsetMinutes: number): number | undefined {
  const match = written.exec(text.trim());
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  if (!year || !month || !day || hour === undefined || minute === undefined || second === undefined) return undefined;
  if (month > 12 || day > daysInMonth(year, month) || hour > 23 || minute > 59 || second > 59) return undefined;
  const offsetMinutes = offsetOf(match, zoneOffsetMinutes);
  if (offsetMinutes === undefined) return undefined;
  const fractionMs = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const minutes = hour * 60 + minute - offsetMinutes;
  return daysSinceEpoch(year, month, day) * msPerDay + minutes * msPerMinute + second * 1000 + fractionMs;
}

function offsetOf(match: RegExpExecArray, zoneOffsetMinutes: number): number | undefined {
  if (match[8] !== undefined) return 0;
  if (match[9] === undefined) return zoneOffsetMinutes;
  const hours = Number(match[10]);
  const minutes = Number(match[11]);
  if (hours > 23 || minutes > 59) return undefined;
  return (match[9] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * Days since 1970-01-01 in the Gregorian calendar. The year starts in March here, so that the leap day is its last day
 * and one formula covers all months; the calendar repeats every 400 years, which are 146097 days.
 */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
