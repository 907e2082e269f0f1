/**
 * Shapes for what the sources on the platform disagree about, and the one value that each variant stands for. A field
 * that nothing here relies on may be absent or null: a whole page is never refused for it.
 */
import { type Shape, type Shaped, shape } from '@ecsm/runtime';

/** A field that may be absent or null. */
export function maybe<T>(inner: Shape<T>): Shape<T | null> & { readonly isOptional: true } {
  return shape.optional(shape.nullable(inner));
}

export const maybeText = maybe(shape.string());
export const maybeTexts = maybe(shape.list(shape.nullable(shape.string())));
/** Anything at all, or nothing: kept, and not looked at. */
export const maybeAnything = maybe(shape.anything());

/** A number that some answers carry as text, such as a percentage. */
export const numeric = shape.either(shape.number(), shape.string());
export const maybeNumber = maybe(numeric);

/** A truth that the rows of a database carry as 0 and 1. */
export const flag = shape.either(shape.boolean(), shape.number());
export const maybeFlag = maybe(flag);

/** Live CPU usage: an object, but a plain number for a node that is offline. */
export const cpuUsage = shape.either(
  numeric,
  shape.object({ total: maybeNumber, cores: maybe(shape.list(shape.nullable(numeric))) }),
);
export type CpuUsage = Shaped<typeof cpuUsage>;

/** The number, or undefined where there is none. */
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

/** Percent of all cores together; undefined where the platform does not know. */
export function cpuPercentOf(usage: CpuUsage | null | undefined): number | undefined {
  return typeof usage === 'object' ? numberOf(usage?.total) : numberOf(usage);
}

/** The strings of a list that may be missing or have holes. */
export function textsOf(list: readonly (string | null)[] | null | undefined): readonly string[] {
  return (list ?? []).filter((text) => text !== null);
}
