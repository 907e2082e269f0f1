/** Amounts in targets of metrics, written as in Kubernetes: `100`, `0.5`, `250m`, `512Mi`. */
import { quantityFactors } from './quantity.ts';

const factors: Readonly<Record<string, number>> = { ...quantityFactors, m: 1e-3 };

/** The exact number, which may have a fraction. Returns undefined if the text is not a quantity. */
export function parseMetricQuantity(text: string): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,9})?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/u.exec(text);
  return match ? Number(match[1]) * (factors[match[2] ?? ''] ?? Number.NaN) : undefined;
}

/** `100`, or in thousandths if it has a fraction: `1500m`. At most three digits are kept. */
export function formatMetricQuantity(value: number): string {
  const thousandths = Math.round(value * 1_000);
  return thousandths % 1_000 === 0 ? String(thousandths / 1_000) : `${thousandths}m`;
}

const byteUnits = ['Ki', 'Mi', 'Gi', 'Ti'];

/** Whole units of 1,024, rounded down, as far as three digits stay: `1536Mi`, `900`. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [Math.floor(bytes), ''];
  for (const next of byteUnits) {
    if (value < 10 * 1_024) break;
    [value, unit] = [Math.floor(value / 1_024), next];
  }
  return `${value}${unit}`;
}

const format = (hint: string, isValid: (value: number) => boolean) => ({
  name: 'quantity',
  check: (text: string): string | undefined => {
    const value = parseMetricQuantity(text);
    if (value === undefined) return 'must be a quantity such as 100, 0.5, 250m or 512Mi';
    return isValid(value) ? undefined : hint;
  },
});

export const positiveQuantityFormat = format('must be greater than 0', (value) => value > 0);
export const toleranceFormat = format('must be less than 1', (value) => value < 1);
