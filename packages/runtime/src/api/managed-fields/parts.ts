/**
 * How a value is divided into separately owned parts, by its schema:
 * - an object and a map: their fields;
 * - a list with `uniqueBy`: its items, by their key;
 * - a list with `uniqueItems`: its members;
 * - a map inside of `anything`: its fields, as `anything`, down to a maximum depth;
 * - everything else is atomic: it is owned and replaced as a whole.
 */
import { isPlainObject, type JsonValue } from '../json.ts';
import { anything } from '../schema/build.ts';
import type { ListSchema, Schema } from '../schema/schema.ts';
import { fieldElement, keyElements, valueElement } from './path-element.ts';

export interface Part {
  readonly schema: Schema;
  readonly value: JsonValue;
  /** The name of a field; undefined for an item of a list. */
  readonly name?: string;
}

export interface Parts {
  /** `struct`: the schema lists the fields. `fields`: any names. */
  readonly form: 'struct' | 'fields' | 'list';
  /** By path element, in the order of the value. */
  readonly items: ReadonlyMap<string, Part>;
}

/**
 * Levels inside of `anything` whose fields are owned separately. The tree in `managedFields` is as deep as the object, at
 * four levels inside of it: without a limit, that of a valid object can be too deep to be valid.
 */
const levelsMax = 32;

/** Of fields that no schema lists, by their level. The last one is atomic. */
const levels: readonly Schema[] = Array.from({ length: levelsMax }, () => anything());
const [firstLevel = anything()] = levels;
const lastLevel = levels.at(-1);
const levelBelow: ReadonlyMap<Schema, Schema> = new Map(
  levels.map((level, index) => [level, levels[index + 1] ?? level]),
);

/** Whether even an object is owned as a whole. */
export function isAtomic(schema: Schema): boolean {
  return schema === lastLevel;
}

/** Returns undefined for an atomic value. */
export function partsOf(schema: Schema, value: JsonValue): Parts | undefined {
  if (isList(value)) return schema.type === 'list' ? itemsOf(schema, value) : undefined;
  if (!isPlainObject(value) || isAtomic(schema)) return undefined;
  const items = new Map<string, Part>();
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (field !== undefined) items.set(fieldElement(name), { schema: fieldSchema(schema, name), value: field, name });
  }
  return { form: schema.type === 'object' ? 'struct' : 'fields', items };
}

/** The schema below one step of a path. */
export function schemaBelow(schema: Schema, element: string): Schema {
  return schema.type === 'list' ? schema.items : fieldSchema(schema, element.slice(2));
}

/** Whether the schema lists the field of this path element. */
export function isListedField(schema: Schema, element: string): boolean {
  return schema.type === 'object' && element.startsWith('f:') && element.slice(2) in schema.properties;
}

/** The schema of a field. One that is not listed may be anything. */
export function fieldSchema(schema: Schema, name: string): Schema {
  if (schema.type === 'object') return schema.properties[name] ?? firstLevel;
  return schema.type === 'map' ? schema.values : (levelBelow.get(schema) ?? firstLevel);
}

function itemsOf(schema: ListSchema, list: readonly JsonValue[]): Parts | undefined {
  const element = elementOf(schema);
  if (element === undefined) return undefined;
  const items = new Map<string, Part>();
  for (const value of list) items.set(element(value), { schema: schema.items, value });
  return { form: 'list', items };
}

function elementOf({ uniqueBy, uniqueItems, items }: ListSchema): ((item: JsonValue) => string) | undefined {
  if (uniqueItems) return valueElement;
  if (uniqueBy === undefined) return undefined;
  const fallback = (items.type === 'object' ? items.properties[uniqueBy]?.default : undefined) ?? null;
  const element = keyElements(uniqueBy);
  return (item) => element((isPlainObject(item) ? item[uniqueBy] : undefined) ?? fallback);
}

/** `Array.isArray` does not narrow a readonly list. */
export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
