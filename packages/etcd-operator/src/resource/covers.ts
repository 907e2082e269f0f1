/** Whether an object of a server is as it was written. */
import { deepEqual, isPlainObject, type JsonObject } from '@ecsm/runtime';

/**
 * Whether everything that is wanted is there. A server adds fields of its own, and users add items to lists, such as ports:
 * they are not compared, because an apply keeps them. Kubernetes drops maps and lists that are empty.
 */
export function covers(live: unknown, wanted: unknown): boolean {
  if (live === undefined && isEmpty(wanted)) return true;
  if (Array.isArray(wanted)) {
    return Array.isArray(live) && wanted.every((item) => live.some((one) => covers(one, item)));
  }
  if (!isPlainObject(wanted)) return live === wanted;
  return (
    isPlainObject(live) &&
    Object.entries(wanted).every(([key, value]) => value === undefined || covers(live[key], value))
  );
}

/** Whether a field is as wanted, with everything in it: a key that is not wanted has to go. */
export function isSameField(live: object, wanted: object, field: string): boolean {
  return deepEqual(fieldOf(live, field) ?? {}, fieldOf(wanted, field) ?? {});
}

/** A merge patch that removes the keys of these fields that are not wanted; undefined if there are none. */
export function withoutOthers(live: object, wanted: object, fields: readonly string[]): JsonObject | undefined {
  const patches = fields.flatMap((field) => {
    const kept = Object.keys(fieldOf(wanted, field) ?? {});
    const others = Object.keys(fieldOf(live, field) ?? {}).filter((key) => !kept.includes(key));
    return others.length === 0 ? [] : [[field, Object.fromEntries(others.map((key) => [key, null]))] as const];
  });
  return patches.length === 0 ? undefined : Object.fromEntries(patches);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isPlainObject(value) && Object.keys(value).length === 0;
}

function fieldOf(object: object, field: string): unknown {
  return Object.entries(object).find(([key]) => key === field)?.[1];
}
