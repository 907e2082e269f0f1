/** Formats ages, sizes and percentages. */

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

const byteUnits = ['B', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** `512B`, `1.5Ki`, `12Mi`: with the units of quantities, and one decimal below 10. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return invalid;
  let amount = bytes;
  let unit = 0;
  // A value that rounds to 1024 is shown in the next unit.
  while (Math.round(amount) >= 1024 && unit < byteUnits.length - 1) {
    amount /= 1024;
    unit++;
  }
  const shown = unit > 0 && amount < 9.95 ? amount.toFixed(1).replace(/\.0$/, '') : String(Math.round(amount));
  return `${shown}${byteUnits[unit]}`;
}

/** 0.42 is `42%`. Only 0 is `0%`, and only 1 or more is `100%`: otherwise `<1%` and `99%`. */
export function formatPercent(fraction: number): string {
  if (!Number.isFinite(fraction) || fraction < 0) return invalid;
  if (fraction > 0 && fraction < 0.005) return '<1%';
  const percent = Math.round(fraction * 100);
  return `${fraction < 1 ? Math.min(percent, 99) : percent}%`;
}
