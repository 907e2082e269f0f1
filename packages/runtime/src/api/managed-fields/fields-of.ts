/** The field sets of values: what an applied configuration owns, everything in a value, and what two values differ in. */
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts';
import { deepEqual } from '../merge.ts';
import type { Schema } from '../schema/schema.ts';
import { emptySet, type FieldSet, isEmpty, leafSet, nodeOf, withSelf, withSource } from './field-set.ts';
import { fieldSchema, isAtomic, isListedField, type Parts, partsOf, schemaBelow } from './parts.ts';
import { fieldElement } from './path-element.ts';

/**
 * The fields that a configuration owns: its atomic values, its items of lists and maps, and its empty objects. An object
 * with listed fields is not owned itself, only its fields are.
 */
export function fieldsOf(schema: Schema, value: JsonValue): FieldSet {
  const parts = partsOf(schema, value);
  if (parts === undefined) return leafSet;
  const children: [string, FieldSet][] = [];
  for (const [element, part] of parts.items) {
    const inner = fieldsOf(part.schema, part.value);
    const isOwned = parts.form !== 'struct' || isEmptyObject(part.value);
    children.push([element, isOwned ? withSelf(inner) : inner]);
  }
  return nodeOf(false, children);
}

/** Every path in a value, with that of the value itself. */
export function everyField(schema: Schema, value: JsonValue): FieldSet {
  if (typeof value !== 'object') return leafSet;
  const last = lastFlat.get(schema);
  if (last && isPlainObject(value) && hasFields(value, last.names)) return last.set;
  const parts = partsOf(schema, value);
  if (parts === undefined || parts.items.size === 0) return leafSet;
  const children = new Map<string, FieldSet>();
  let isFlat = parts.form !== 'list' && parts.items.size <= flatFieldsMax;
  for (const [element, part] of parts.items) {
    const child = everyField(part.schema, part.value);
    children.set(element, child);
    if (typeof part.value === 'object') isFlat = false;
  }
  const set: FieldSet = { self: true, children };
  if (!isFlat || !isPlainObject(value)) return set;
  const known = withSource(set);
  lastFlat.set(schema, { names: Object.keys(value), set: known });
  return known;
}

/** Larger values are not remembered: few objects have so many fields, and each schema remembers one value. */
const flatFieldsMax = 256;

/**
 * The set of the last value of a schema whose fields are neither objects nor lists. The items of a list usually have the
 * same fields, and a list of 100 is the most expensive part of an object that is created. Objects that are created one
 * after the other often have maps with the same names, too.
 */
const lastFlat = new WeakMap<Schema, { readonly names: readonly string[]; readonly set: FieldSet }>();

/** Whether a value has exactly these fields, in this order, and nothing below them. */
function hasFields(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  let count = 0;
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (name !== names[count++] || field === undefined || typeof field === 'object') return false;
  }
  return count === names.length;
}

/** The set, with the path of every listed field that it has paths below. */
export function withListedFields(schema: Schema, set: FieldSet): FieldSet {
  const children: [string, FieldSet][] = [];
  for (const [element, child] of set.children) {
    const inner = withListedFields(schemaBelow(schema, element), child);
    children.push([element, isListedField(schema, element) ? withSelf(inner) : inner]);
  }
  return nodeOf(set.self, children);
}

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const noDifference: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

export function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmpty(added) && isEmpty(modified) && isEmpty(removed);
}

/** A part that exists on one side only counts with everything in it. */
export function compare(schema: Schema, before: JsonValue | undefined, after: JsonValue | undefined): Comparison {
  if (before === after) return noDifference;
  if (before === undefined)
    return { ...noDifference, added: after === undefined ? emptySet : everyField(schema, after) };
  if (after === undefined) return { ...noDifference, removed: everyField(schema, before) };
  // Matching the items of lists by their keys costs far more than a comparison.
  if (Array.isArray(before) && deepEqual(before, after)) return noDifference;
  if (isPlainObject(before) && isPlainObject(after) && !isAtomic(schema)) return compareFields(schema, before, after);
  const old = partsOf(schema, before);
  const next = partsOf(schema, after);
  if (old && next && isList(old) === isList(next)) return compareParts(old, next);
  if (old || next) return { ...noDifference, added: everyField(schema, after), removed: everyField(schema, before) };
  return deepEqual(before, after) ? noDifference : { ...noDifference, modified: leafSet };
}

/** Most writes change few fields, so the others are not divided into parts. */
function compareFields(schema: Schema, old: JsonObject, next: JsonObject): Comparison {
  const differences = new Differences();
  for (const name of Object.keys(next)) {
    const [before, after] = [Object.hasOwn(old, name) ? old[name] : undefined, next[name]];
    if (before !== after) differences.add(fieldElement(name), compare(fieldSchema(schema, name), before, after));
  }
  for (const name of Object.keys(old)) {
    if (Object.hasOwn(next, name)) continue;
    differences.add(fieldElement(name), compare(fieldSchema(schema, name), old[name], undefined));
  }
  return differences.comparison();
}

function compareParts(old: Parts, next: Parts): Comparison {
  const differences = new Differences();
  for (const [element, { schema, value }] of next.items) {
    differences.add(element, compare(schema, old.items.get(element)?.value, value));
  }
  for (const [element, { schema, value }] of old.items) {
    if (!next.items.has(element)) differences.add(element, compare(schema, value, undefined));
  }
  return differences.comparison();
}

/** Of the parts of a value. */
class Differences {
  readonly #added: [string, FieldSet][] = [];
  readonly #modified: [string, FieldSet][] = [];
  readonly #removed: [string, FieldSet][] = [];

  add(element: string, inner: Comparison): void {
    if (inner === noDifference) return;
    this.#added.push([element, inner.added]);
    this.#modified.push([element, inner.modified]);
    this.#removed.push([element, inner.removed]);
  }

  comparison(): Comparison {
    if (this.#added.length === 0) return noDifference;
    return {
      added: nodeOf(false, this.#added),
      modified: nodeOf(false, this.#modified),
      removed: nodeOf(false, this.#removed),
    };
  }
}

function isList({ form }: Parts): boolean {
  return form === 'list';
}

function isEmptyObject(value: JsonValue): boolean {
  return isPlainObject(value) && Object.keys(value).length === 0;
}
