/** Lists in strategic merge patches: merged by key, merged as sets, or replaced. */
import type { JsonObject, JsonValue, Schema } from '@ecsm/runtime';
import { cleanedFields, cleanedItems, directiveOf, isObject, malformed } from './strategic-values.ts';

interface ListPatch {
  /** Undefined: no item is added or changed. */
  readonly items: readonly JsonValue[] | undefined;
  /** Scalars to remove. */
  readonly deleted: readonly JsonValue[] | undefined;
  /** The order of the items that the client knows; the others keep their place as far as possible. */
  readonly order: readonly JsonValue[] | undefined;
}

type MergeObject = (schema: Schema, original: JsonObject, patch: JsonObject) => JsonObject;

/** The identity of an item in its list. */
type Identify = (item: JsonValue) => JsonValue | undefined;

export function mergeList(
  schema: Schema | undefined,
  original: readonly JsonValue[],
  { items, deleted = [], order }: ListPatch,
  mergeObject: MergeObject,
): readonly JsonValue[] {
  const removed = new Set(deleted);
  const kept = removed.size === 0 ? original : original.filter((item) => !removed.has(item));
  const { uniqueBy: key, uniqueItems = false } = schema?.type === 'list' ? schema : {};
  if (schema?.type === 'list' && key !== undefined) {
    const identify: Identify = (item) => (isObject(item) ? item[key] : undefined);
    const changes = (items ?? []).map((item) => itemWithKey(item, key));
    const merged = mergeByKey(kept, changes, key, (before, item) => mergeObject(schema.items, before, item));
    return ordered(merged, kept, order ?? changes, identify);
  }
  if (uniqueItems) {
    const merged = [...new Set([...kept, ...(items ?? [])])];
    return ordered(merged, kept, order ?? items ?? [], (item) => item);
  }
  return items === undefined ? kept : cleanedItems(items);
}

function itemWithKey(item: JsonValue, key: string): JsonObject {
  if (!isObject(item)) throw malformed(`the items of a list with the key ${JSON.stringify(key)} must be objects`);
  if (directiveOf(item) !== 'replace' && item[key] === undefined) {
    throw malformed(`an item of a list does not have its key ${JSON.stringify(key)}`);
  }
  return item;
}

function mergeByKey(
  original: readonly JsonValue[],
  items: readonly JsonObject[],
  key: string,
  merge: (before: JsonObject, item: JsonObject) => JsonObject,
): readonly JsonValue[] {
  // An item `{ "$patch": "replace" }` replaces the list by the other items of the patch.
  const isReplaced = items.some((item) => directiveOf(item) === 'replace');
  const merged = new Map<JsonValue, JsonValue>();
  for (const item of isReplaced ? [] : original) merged.set((isObject(item) ? item[key] : undefined) ?? item, item);
  for (const item of items) {
    const identity = item[key];
    const directive = directiveOf(item);
    if (identity === undefined || directive === 'replace') continue;
    const before = merged.get(identity);
    if (directive === 'delete') merged.delete(identity);
    else merged.set(identity, isObject(before) ? merge(before, item) : cleanedFields(item));
  }
  return [...merged.values()];
}

/** Merges two orders: that of the client for the items that it knows, and that of the server for the others. */
function ordered(
  merged: readonly JsonValue[],
  original: readonly JsonValue[],
  order: readonly JsonValue[],
  identify: Identify,
): readonly JsonValue[] {
  const clientPlaces = placesOf(order, identify);
  const serverPlaces = placesOf(original, identify);
  const clientPlace = (item: JsonValue) => clientPlaces.get(identify(item));
  const serverPlace = (item: JsonValue) => serverPlaces.get(identify(item));
  const known = merged.filter((item) => clientPlace(item) !== undefined);
  known.sort((a, b) => (clientPlace(a) ?? 0) - (clientPlace(b) ?? 0));
  const others = merged.filter((item) => clientPlace(item) === undefined);
  const result: JsonValue[] = [];
  let next = 0;
  for (const item of known) {
    const place = serverPlace(item) ?? -1;
    for (; next < others.length; next++) {
      const other = others[next] ?? null;
      if ((serverPlace(other) ?? place) >= place) break;
      result.push(other);
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

function placesOf(items: readonly JsonValue[], identify: Identify): ReadonlyMap<JsonValue | undefined, number> {
  const places = new Map<JsonValue | undefined, number>();
  for (const [index, item] of items.entries()) {
    const identity = identify(item);
    if (identity !== undefined) places.set(identity, index);
  }
  return places;
}
