/**
 * Comparing and merging JSON data: equality, and RFC 7386 merge patches.
 *
 * Nothing here changes its arguments, and a result shares every part that stayed the same: `result === target` means
 * that nothing changed. A property whose value is undefined counts as absent, as in JSON.stringify. Keys such as
 * `__proto__` are ordinary data. Recursion follows the depth of the data, which validation bounds.
 */
import { isPlainObject, type JsonObject, type JsonValue, ownValue, setOwn } from './json.ts';

export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => deepEqual(item, right[index]));
  }
  if (!isPlainObject(left) || !isPlainObject(right)) return false;
  for (const key of Object.keys(left)) {
    if (!deepEqual(left[key], ownValue(right, key))) return false;
  }
  return Object.keys(right).every((key) => Object.hasOwn(left, key) || right[key] === undefined);
}

/** Applies an RFC 7386 merge patch: null removes a field, objects merge, anything else replaces. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isPlainObject(patch)) return deepEqual(target, patch) && target !== undefined ? target : patch;
  const draft = new Draft(target);
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === undefined) continue;
    if (value === null) draft.remove(key);
    else draft.set(key, mergePatch(draft.original(key), value));
  }
  return draft.finish();
}

/**
 * The smallest merge patch that turns `from` into `to`. A merge patch cannot set a field to null, so a null field in
 * `to` is removed. Lists are replaced as a whole.
 */
export function createMergePatch(from: JsonValue | undefined, to: JsonValue): JsonValue {
  if (!isPlainObject(to) || !isPlainObject(from)) return to;
  const patch: Record<string, JsonValue> = {};
  for (const key of Object.keys(from)) {
    const before = from[key];
    const after = own(to, key);
    if (before === undefined) continue;
    if (after === undefined) setOwn(patch, key, null);
    else if (!deepEqual(before, after)) setOwn(patch, key, createMergePatch(before, after));
  }
  for (const key of Object.keys(to)) {
    const after = to[key];
    if (after !== undefined && own(from, key) === undefined) setOwn(patch, key, after);
  }
  return patch;
}

/** A copy-on-write object. A value that is not an object counts as an empty one. */
class Draft {
  readonly #original: JsonObject | undefined;
  #copy: Record<string, JsonValue> | undefined;

  constructor(value: JsonValue | undefined) {
    if (isPlainObject(value)) this.#original = value;
    else this.#copy = {};
  }

  /** The value before any change. */
  original(key: string): JsonValue | undefined {
    return this.#original && own(this.#original, key);
  }

  set(key: string, value: JsonValue): void {
    if (this.original(key) !== value) setOwn(this.#writable(), key, value);
  }

  remove(key: string): void {
    if (this.original(key) !== undefined) delete this.#writable()[key];
  }

  finish(): JsonValue {
    return this.#copy ?? this.#original ?? {};
  }

  #writable(): Record<string, JsonValue> {
    this.#copy ??= { ...this.#original };
    return this.#copy;
  }
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
