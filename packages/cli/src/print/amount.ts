/** Formats sizes and percentages. */

const invalid = '<invalid>';

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
