/**
 * Plain JSON data, which all objects consist of. It is never changed in place: a changed value is a copy that shares
 * the unchanged parts.
 */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

/** Maximum nesting of objects and lists in one document. It bounds the recursion in this folder. */
export const JSON_DEPTH_MAX = 64;

/** Whether a value is an object from JSON or an object literal: not a list, null or a class instance. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Reads an own property; inherited ones (`constructor`, `__proto__`) are undefined. */
export function ownValue(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Writes an own property. An assignment to `__proto__` would change the prototype and lose the value. */
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

/** Returns why a value does not survive a round trip through JSON, or undefined if it does. */
export function jsonProblem(value: unknown, depth = 0): string | undefined {
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
    const reason = part === undefined && !Array.isArray(value) ? undefined : jsonProblem(part, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
