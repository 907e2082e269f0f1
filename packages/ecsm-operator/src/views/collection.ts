/**
 * The objects of a view by key, with a version that increases by one with every change, and a bounded history of changes.
 * The history serves lists of earlier versions, and watches: a slow watcher costs no memory, it is `Expired`.
 *
 * Versions start at the time in milliseconds, so they also increase across restarts of the process, unless more than a
 * thousand objects change in every second of its life.
 */
import { ApiError, type ApiObject, type Clock, deepEqual } from '@ecsm/runtime';

export interface Change<T> {
  readonly version: number;
  readonly key: string;
  /** Undefined if the object did not exist. */
  readonly before: T | undefined;
  /** Undefined if the object was deleted. */
  readonly after: T | undefined;
}

/** Changes that are kept. Those of the newest replacement are all kept, even if there are more. */
export const changesMax = 1_024;

export class Collection<Spec, Status> {
  readonly #clock: Clock;
  #version: number;
  /** Changes after this version are in the history. */
  #historyStart: number;
  #history: Change<ApiObject<Spec, Status>>[] = [];
  #objects = new Map<string, ApiObject<Spec, Status>>();
  #sortedKeys: readonly string[] | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#version = clock.now();
    this.#historyStart = this.#version;
  }

  get version(): number {
    return this.#version;
  }

  get(key: string): ApiObject<Spec, Status> | undefined {
    return this.#objects.get(key);
  }

  /** Replaces all objects. Objects that are the same, except for their version, keep it. Returns whether any changed. */
  replace(wanted: ReadonlyMap<string, ApiObject<Spec, Status>>): boolean {
    const start = Math.max(this.#version, this.#clock.now());
    const changes: Change<ApiObject<Spec, Status>>[] = [];
    const objects = new Map<string, ApiObject<Spec, Status>>();
    const record = (key: string, object: ApiObject<Spec, Status> | undefined) => {
      const version = start + changes.length + 1;
      const after = object && withVersion(object, String(version));
      if (after) objects.set(key, after);
      changes.push({ version, key, before: this.#objects.get(key), after });
    };
    for (const key of this.#objects.keys()) if (!wanted.has(key)) record(key, undefined);
    for (const [key, object] of wanted) {
      const before = this.#objects.get(key);
      const isSame = before && deepEqual(before, withVersion(object, before.metadata.resourceVersion));
      if (isSame) objects.set(key, before);
      else record(key, object);
    }
    if (changes.length === 0) return false;
    if (changes.some(({ before, after }) => !before || !after)) this.#sortedKeys = undefined;
    this.#objects = objects;
    this.#version = start + changes.length;
    this.#append(changes);
    return true;
  }

  /** The objects as of a version, in the order of their keys. Throws `Expired`. */
  at(version: number): readonly (readonly [string, ApiObject<Spec, Status>])[] {
    if (version === this.#version) return this.#sorted().map((key) => [key, this.#existing(key)]);
    const objects = new Map(this.#objects);
    for (const { key, before } of this.changesAfter(version).toReversed()) {
      if (before) objects.set(key, before);
      else objects.delete(key);
    }
    return [...objects].sort(([left], [right]) => (left < right ? -1 : 1));
  }

  /** In the order of their versions. Throws `Expired` if they are not all known. */
  changesAfter(version: number): readonly Change<ApiObject<Spec, Status>>[] {
    if (version < this.#historyStart || version > this.#version) {
      const known = `${this.#historyStart} to ${this.#version}`;
      throw new ApiError('Expired', { reason: `version ${version} is not known any more (${known} are): list again` });
    }
    return this.#history.slice(firstAfter(this.#history, version));
  }

  #append(changes: readonly Change<ApiObject<Spec, Status>>[]): void {
    const kept = Math.max(0, changesMax - changes.length);
    const dropped = this.#history.length - kept;
    if (dropped > 0) this.#historyStart = this.#history[dropped - 1]?.version ?? this.#historyStart;
    this.#history = [...this.#history.slice(Math.max(0, dropped)), ...changes];
  }

  #sorted(): readonly string[] {
    this.#sortedKeys ??= [...this.#objects.keys()].sort();
    return this.#sortedKeys;
  }

  #existing(key: string): ApiObject<Spec, Status> {
    const object = this.#objects.get(key);
    if (object === undefined)
      throw new ApiError('Internal', { reason: `the order of a view has the unknown key ${key}` });
    return object;
  }
}

/** Index of the first change after a version. */
function firstAfter(history: readonly Change<unknown>[], version: number): number {
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((history[middle]?.version ?? 0) > version) high = middle;
    else low = middle + 1;
  }
  return low;
}

function withVersion<Spec, Status>(object: ApiObject<Spec, Status>, resourceVersion: string): ApiObject<Spec, Status> {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}
