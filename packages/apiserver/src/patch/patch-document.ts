/** The document that a JSON patch is applied to: a copy, changed in place. */
import { isPlainObject, type JsonValue, setOwn } from '@ecsm/runtime';
import { indexOf } from './json-pointer.ts';

/** Creates the error for an operation that does not apply. */
type Fail = (reason: string) => Error;

type Container = JsonValue[] | Record<string, JsonValue>;

export class PatchDocument {
  #root: JsonValue;

  constructor(document: JsonValue) {
    this.#root = structuredClone(document);
  }

  get value(): JsonValue {
    return this.#root;
  }

  /** Returns undefined if there is no value. */
  find(path: readonly string[]): JsonValue | undefined {
    let current: JsonValue | undefined = this.#root;
    for (const key of path) {
      if (current === undefined) return undefined;
      current = child(current, key);
    }
    return current;
  }

  get(path: readonly string[], fail: Fail): JsonValue {
    const value = this.find(path);
    if (value === undefined) throw fail('there is no such value');
    return value;
  }

  /** Inserts into a list, or sets a field. */
  add(path: readonly string[], value: JsonValue, fail: Fail): void {
    const place = this.#placeOf(path, fail);
    if (place === undefined) this.#root = value;
    else if (Array.isArray(place.parent)) {
      const { length } = place.parent;
      const index = place.key === '-' ? length : indexOf(place.key, length + 1);
      if (index === undefined) throw fail('the index is out of range');
      place.parent.splice(index, 0, value);
    } else setOwn(place.parent, place.key, value);
  }

  replace(path: readonly string[], value: JsonValue, fail: Fail): void {
    const place = this.#placeOf(path, fail);
    this.get(path, fail);
    if (place === undefined) this.#root = value;
    else if (Array.isArray(place.parent)) place.parent[Number(place.key)] = value;
    else setOwn(place.parent, place.key, value);
  }

  /** Returns the removed value. */
  remove(path: readonly string[], fail: Fail): JsonValue {
    const place = this.#placeOf(path, fail);
    if (place === undefined) throw fail('the whole document cannot be removed');
    const value = this.get(path, fail);
    if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1);
    else delete place.parent[place.key];
    return value;
  }

  /** The container of a value and its key there; undefined for the whole document. */
  #placeOf(path: readonly string[], fail: Fail): { readonly parent: Container; readonly key: string } | undefined {
    const key = path.at(-1);
    if (key === undefined) return undefined;
    const parent = this.find(path.slice(0, -1));
    if (!isContainer(parent)) throw fail('the parent is not an object or a list');
    return { parent, key };
  }
}

function child(value: JsonValue, key: string): JsonValue | undefined {
  if (Array.isArray(value)) {
    const index = indexOf(key, value.length);
    return index === undefined ? undefined : value[index];
  }
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The document is this class's own copy, so its containers may be changed. */
function isContainer(value: JsonValue | undefined): value is Container {
  return Array.isArray(value) || isPlainObject(value);
}
