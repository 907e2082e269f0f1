/**
 * Shapes for fields whose form differs between sources, and their normalization. A field that is not needed may be
 * absent or null, so that it never causes a page to be rejected.
 */
import { type Shape, type Shaped, shape } from '@ecsm/runtime';

/** A field that may be absent or null. */
export function maybe<T>(inner: Shape<T>): Shape<T | null> & { readonly isOptional: true } {
  return shape.optional(shape.nullable(inner));
}

export const maybeText = maybe(shape.string());
export const maybeTexts = maybe(shape.list(shape.nullable(shape.string())));
/** Any value, not validated. */
export const maybeAnything = maybe(shape.anything());

/** A number that some responses contain as text, such as a percentage. */
export const numeric = shape.either(shape.number(), shape.string());
export const maybeNumber = maybe(numeric);

/** A boolean that database rows contain as 0 or 1. */
export const flag = shape.either(shape.boolean(), shape.number());
export const maybeFlag = maybe(flag);

/** Live CPU usage: an object, or a plain number for an offline node. */
export const cpuUsage = shape.either(
  numeric,
  shape.object({ total: maybeNumber, cores: maybe(shape.list(shape.nullable(numeric))) }),
);
export type CpuUsage = Shaped<typeof cpuUsage>;

/** Returns the number, or undefined if the value is not one. */
export function numberOf(value: number | string | null | undefined): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().replace(/%$/, '');
  const number = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

export function isOn(value: Shaped<typeof flag> | null | undefined): boolean {
  return value === true || (typeof value === 'number' && value !== 0);
}

/** Percent of all cores together; undefined if unknown. */
export function cpuPercentOf(usage: CpuUsage | null | undefined): number | undefined {
  return typeof usage === 'object' ? numberOf(usage?.total) : numberOf(usage);
}

/** The strings of a list that may be absent or contain null. */
export function textsOf(list: readonly (string | null)[] | null | undefined): readonly string[] {
  return (list ?? []).filter((text) => text !== null);
}
