/** A bar that shows a fraction, for `top` and for progress. */

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

interface BarOptions {
  /** `#` in place of block characters, for terminals without them. Default false. */
  readonly ascii?: boolean;
}

/** Padded to `columns`. A fraction above 0 is never empty, and one below 1 is never full. */
export function bar(fraction: number, columns: number, { ascii = false }: BarOptions = {}): string {
  const share = fraction > 0 ? Math.min(fraction, 1) : 0;
  const steps = ascii ? 1 : eighths.length;
  const total = Math.max(0, Math.floor(columns)) * steps;
  const filled = share === 0 || share === 1 ? share * total : clamp(Math.round(share * total), 1, total - 1);
  const whole = (ascii ? '#' : '█').repeat(Math.floor(filled / steps));
  const partial = eighths[filled % steps] ?? '';
  return (whole + partial).padEnd(total / steps, ' ');
}

function clamp(number: number, least: number, most: number): number {
  return Math.max(0, Math.min(most, Math.max(least, number)));
}
