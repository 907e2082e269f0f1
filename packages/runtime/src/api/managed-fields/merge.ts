/** Changes of a value by its schema: merging a configuration into it, and removing fields from it. */
import { type JsonValue, setOwn } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { emptySet, type FieldSet, isEmpty } from './field-set.ts';
import { isListedField, type Part, partsOf } from './parts.ts';

/**
 * The live value with the configuration merged in: fields, keyed items and members of sets are merged, atomic values
 * replaced. Items in both lists have the order of the configuration; items of only the live list stay before the item
 * that they preceded.
 */
export function merge(schema: Schema, live: JsonValue | undefined, configuration: JsonValue): JsonValue {
  if (live === undefined) return configuration;
  const old = partsOf(schema, live);
  const wanted = partsOf(schema, configuration);
  if (!old || !wanted || (old.form === 'list') !== (wanted.form === 'list')) return configuration;
  if (old.form === 'list') return mergeItems(old.items, wanted.items);
  const merged: Record<string, JsonValue> = {};
  for (const { name, value } of old.items.values()) setOwn(merged, name ?? '', value);
  for (const [element, { name, schema: inner, value }] of wanted.items) {
    setOwn(merged, name ?? '', merge(inner, old.items.get(element)?.value, value));
  }
  return merged;
}

type Items = ReadonlyMap<string, Part>;

/** As structured-merge-diff orders items, so that a server's order and ours are the same. */
function mergeItems(live: Items, wanted: Items): JsonValue[] {
  const merged: JsonValue[] = [];
  const taken = new Set<string>();
  const left = [...live.keys()];
  const right = [...wanted.keys()];
  const shared = right.filter((element) => live.has(element));
  let leftIndex = 0;
  let rightIndex = 0;
  let sharedIndex = 0;
  const take = (element: string) => {
    const item = wanted.get(element);
    if (item) merged.push(merge(item.schema, live.get(element)?.value, item.value));
    taken.add(element);
    rightIndex++;
    if (shared[sharedIndex] === element) sharedIndex++;
  };
  while (leftIndex < left.length || rightIndex < right.length) {
    const from = left[leftIndex];
    const to = right[rightIndex];
    if (from !== undefined && from === to) {
      take(from);
      leftIndex++;
    } else if (from !== undefined && !wanted.has(from)) {
      const item = live.get(from);
      if (item) merged.push(item.value);
      leftIndex++;
    } else if (from !== undefined && (taken.has(from) || from !== shared[sharedIndex])) {
      // The configuration places this item elsewhere.
      leftIndex++;
    } else if (to !== undefined) {
      take(to);
    } else {
      leftIndex++;
    }
  }
  return merged;
}

/**
 * The value without the paths of a set. What is inside of an atomic value is not removed separately. An object or list
 * that becomes empty is removed too, unless its field is required or the configuration has it: `health: {}` was asked for.
 */
export function remove(schema: Schema, value: JsonValue, set: FieldSet, configuration?: JsonValue): JsonValue {
  const parts = isEmpty(set) ? undefined : partsOf(schema, value);
  if (!parts) return value;
  const wanted = configuration === undefined ? undefined : partsOf(schema, configuration)?.items;
  const kept: { readonly name: string; readonly value: JsonValue }[] = [];
  for (const [element, part] of parts.items) {
    const removed = set.children.get(element) ?? emptySet;
    const applied = wanted?.get(element)?.value;
    // An empty list has no owner, but the configuration has it.
    if (removed.self && applied === undefined) continue;
    const rest = remove(part.schema, part.value, removed, applied);
    const isRequired = isListedField(schema, element) && part.schema.presence === undefined;
    const becameEmpty = sizeOf(rest) === 0 && sizeOf(part.value) > 0;
    if (!becameEmpty || isRequired || applied !== undefined || parts.form === 'list')
      kept.push({ name: part.name ?? '', value: rest });
  }
  if (parts.form === 'list') return kept.map((part) => part.value);
  const result: Record<string, JsonValue> = {};
  for (const part of kept) setOwn(result, part.name, part.value);
  return result;
}

function sizeOf(value: JsonValue): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 1;
}
