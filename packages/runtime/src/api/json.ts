/**
 * Plain JSON data, the only thing that objects are made of. It is never changed in place: who wants another value
 * makes one, and shares the parts that stay the same.
 */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

/** Levels of objects and lists inside one document. Recursion in this folder relies on it, so nothing overflows. */
export const JSON_DEPTH_MAX = 64;

/** Whether a value is an object that came from JSON or an object literal: no list, no null, no class instance. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Reads a property as data: what an object inherits (`constructor`, `__proto__`) is not there. */
export function ownValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Writes a property as data. An assignment to `__proto__` would change the prototype and lose the value. */
export function setOwn<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** Why a value cannot be stored as JSON and read back the same, or undefined if it can. */
export function whyNotJson(value: unknown, depth = 0): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : 'must be a finite number';
    case 'object':
      break;
    default:
      return `must be JSON data, not a value of type ${typeof value}`;
  }
  if (value === null) return undefined;
  if (depth >= JSON_DEPTH_MAX) return `must not be nested deeper than ${JSON_DEPTH_MAX} levels`;
  if (!Array.isArray(value) && !isPlainObject(value)) return 'must be JSON data, not an instance of a class';
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    const reason = part === undefined && !Array.isArray(value) ? undefined : whyNotJson(part, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
