/** A measurement, and the table of measurements. */

export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Baseline of the same run: a peer, or the physical limit. */
  readonly beside?: { readonly name: string; readonly value: number };
  /** The target, and whether it was met. */
  readonly bar?: { readonly text: string; readonly met: boolean };
}

export function formatTable(measurements: readonly Measurement[]): string {
  const rows = measurements.map(({ name, value, unit, beside, bar }) => [
    name,
    `${formatNumber(value)} ${unit}`,
    beside ? `${beside.name} ${formatNumber(beside.value)}` : '',
    beside ? `${(value / beside.value).toFixed(2)}` : '',
    bar ? `${bar.met ? 'met' : 'MISSED'}: ${bar.text}` : '',
  ]);
  const table = [['measurement', 'value', 'baseline', 'ratio', 'target'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) =>
      row
        .map((cell, column) => (column < 4 ? cell.padEnd(widths[column] ?? 0) : cell))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function formatNumber(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** Passes the measurements of a section to the main process. */
export function deliver(measurements: readonly Measurement[]): void {
  process.stdout.write(`${JSON.stringify(measurements)}\n`);
}
