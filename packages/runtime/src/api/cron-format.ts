/**
 * Syntax of cron expressions and time zones in specs. It is checked here without the cron library, which only the
 * operator loads. What it accepts, the library accepts too.
 */
import { BoundedMap } from '../lib/bounded-map.ts';

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values from `min` on. */
  readonly names?: readonly string[];
}

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const fields: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: monthNames },
  { name: 'day of the week', min: 0, max: 7, names: dayNames },
];

export const cronFormat = { name: 'cron', check: checkCron };

/** Time zones that were found. Every object that names one is validated often, and the search is slow. */
const knownZones = new BoundedMap<string, true>(100);

/** A name of the IANA database, such as `UTC` or `Europe/Berlin`. */
export const timeZoneFormat = {
  name: 'time-zone',
  check: (text: string): string | undefined => {
    // The default of every program that defines such a kind: the time zones of ICU take 5 MB of memory.
    if (text === 'UTC' || knownZones.has(text)) return undefined;
    try {
      new Intl.DateTimeFormat('en', { timeZone: text });
      knownZones.set(text, true);
      return undefined;
    } catch {
      return 'must be the name of a time zone such as UTC or Europe/Berlin';
    }
  },
};

function checkCron(text: string): string | undefined {
  const parts = text.trim().split(/\s+/u);
  if (parts.length !== fields.length) {
    return 'must have five fields: minute, hour, day of the month, month, day of the week (e.g. "0 6 * * MON-FRI")';
  }
  const wrong = fields.find((field, index) => !isField(parts[index] ?? '', field));
  return wrong && `its ${wrong.name} must be "*", or numbers from ${wrong.min} to ${wrong.max} with "," "-" and "/"`;
}

/** A list of `*`, values and ranges; ranges and `*` may have a step. */
function isField(text: string, field: Field): boolean {
  return text.split(',').every((item) => {
    const [range = '', step, ...more] = item.split('/');
    const isRange = range === '*' || isSpan(range, field);
    if (step === undefined) return range === '*' || isSpan(range, field) || numberAt(range, field) !== undefined;
    return more.length === 0 && isRange && /^[1-9]\d?$/u.test(step) && Number(step) <= field.max;
  });
}

function isSpan(text: string, field: Field): boolean {
  const [first = '', last, ...more] = text.split('-');
  if (last === undefined || more.length > 0) return false;
  const [from, to] = [numberAt(first, field), numberAt(last, field)];
  return from !== undefined && to !== undefined && from <= to;
}

function numberAt(text: string, { min, max, names = [] }: Field): number | undefined {
  // The upper case of some other letters is one of these: that of `\u017f` is `S`. The library does not know them.
  const named = /^[A-Za-z]+$/u.test(text) ? names.indexOf(text.toUpperCase()) : -1;
  if (named !== -1) return named + min;
  const value = /^\d{1,2}$/u.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
