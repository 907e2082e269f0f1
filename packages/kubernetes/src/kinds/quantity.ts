/** Kubernetes' quantities: `10Gi`, `500m`, `1e9`, 3. */
import { schema } from '@ecsm/runtime';

const quantityExpression = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([EPTGMK]i|[numkMGTPE]))?$/u;

/** The schema of a field with a quantity. */
export function quantity(description?: string) {
  const pattern = { expression: quantityExpression, hint: 'must be a quantity, such as 10Gi or 500m' };
  return schema.integerOrString({ pattern, ...(description === undefined ? {} : { description }) });
}

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * The amount as a number, in bytes for memory and storage, in cores for `cpu`; undefined if it is not a quantity. Exact up
 * to 2^53.
 */
export function parseQuantity(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const [, digits, exponent, suffix] = quantityExpression.exec(value) ?? [];
  if (digits === undefined) return undefined;
  if (exponent !== undefined) return Number(`${digits}${exponent}`);
  return suffix === undefined ? Number(digits) : Number(digits) * (factors[suffix] ?? Number.NaN);
}
