/** Whether an object of a server is as it was written. */
import { deepEqual, isPlainObject } from '@ecsm/runtime';

/**
 * Whether everything that is wanted is there. A server adds fields of its own, which are not compared, and Kubernetes
 * drops maps and lists that are empty.
 */
export function covers(live: unknown, wanted: unknown): boolean {
  if (live === undefined && isEmpty(wanted)) return true;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(live) && live.length === wanted.length && wanted.every((item, index) => covers(live[index], item))
    );
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

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isPlainObject(value) && Object.keys(value).length === 0;
}

function fieldOf(object: object, field: string): unknown {
  return Object.entries(object).find(([key]) => key === field)?.[1];
}
