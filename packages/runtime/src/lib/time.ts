/** Parses times of objects and platforms without `Date`. */

/** Fraction and zone are optional; the default zone is UTC. */
const time = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?(Z|[+-]\d\d:?\d\d)?$/iu;

/** Milliseconds since 1970. Returns undefined if the text is not a time. */
export function timeMsOf(text: string): number | undefined {
  const [, year, month, day, hours, minutes, seconds = '0', zone = 'Z'] = time.exec(text) ?? [];
  if (year === undefined) return undefined;
  const days = daysBefore(Number(year), Number(month)) + Number(day);
  const [, sign, zoneHours, zoneMinutes] = /^([+-])(\d\d):?(\d\d)$/u.exec(zone) ?? [];
  const offset = sign === undefined ? 0 : Number(`${sign}1`) * (Number(zoneHours) * 60 + Number(zoneMinutes));
  const wholeMinutes = (days * 24 + Number(hours)) * 60 + Number(minutes) - offset;
  return wholeMinutes * 60_000 + Math.round(Number(seconds) * 1_000);
}

/** Days before a month since 1970. Years are counted from March, so that a leap day is the last day of its year. */
function daysBefore(year: number, month: number): number {
  const march = (month + 9) % 12;
  const years = month < 3 ? year - 1 : year;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + Math.floor((march * 153 + 2) / 5) - 719_469;
}
