/** Formats ages, as kubectl shows them. */

const invalid = '<invalid>';
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/**
 * As kubectl's HumanDuration: at most three digits, or two small units. Up to two seconds in the future are shown as 0s,
 * because clocks of two machines differ; more than that is `<invalid>`.
 */
export function formatAge(ms: number): string {
  if (!Number.isFinite(ms) || ms <= -2 * second) return invalid;
  if (ms < 2 * minute) return `${Math.max(0, Math.floor(ms / second))}s`;
  if (ms < 10 * minute) return units(ms, minute, 'm', second, 's');
  if (ms < 3 * hour) return `${Math.floor(ms / minute)}m`;
  if (ms < 8 * hour) return units(ms, hour, 'h', minute, 'm');
  if (ms < 2 * day) return `${Math.floor(ms / hour)}h`;
  if (ms < 8 * day) return units(ms, day, 'd', hour, 'h');
  if (ms < 2 * year) return `${Math.floor(ms / day)}d`;
  if (ms < 8 * year) return units(ms, year, 'y', day, 'd');
  return `${Math.floor(ms / year)}y`;
}

/** `3m5s`, or `3m` without a remainder. */
function units(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}
