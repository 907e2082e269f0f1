import { isPlainObject, setOwn } from '../json.ts';
import type { ListSchema, MapSchema, ObjectSchema, Schema } from './schema.ts';

/**
 * Adds missing defaults. Returns the same value if there is nothing to add; never changes it.
 *
 * As in Kubernetes, null counts as absent: `replicas:` without a value gets its default or is removed. A value of the
 * wrong type is left for validation to report.
 */
export function applyDefaults(schema: Schema, value: unknown): unknown {
  switch (schema.type) {
    case 'object':
      return isPlainObject(value) ? defaultFields(schema, value) : value;
    case 'map':
      return isPlainObject(value) ? defaultValues(schema, value) : value;
    case 'list':
      return Array.isArray(value) ? defaultItems(schema, value) : value;
    default:
      return value;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function defaultFields({ properties, defaulted }: ObjectSchema, value: Fields): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const before = value[name];
    // Most values are scalars, which have no defaults inside.
    if (typeof before !== 'object') continue;
    const property = properties[name];
    if (property === undefined || property.type === 'anything') continue;
    const after = before === null ? undefined : applyDefaults(property, before);
    if (after === before) continue;
    copy ??= { ...value };
    if (after === undefined) delete copy[name];
    else copy[name] = after;
  }
  for (const name of defaulted) {
    const property = properties[name];
    if (property === undefined || (copy ?? value)[name] !== undefined) continue;
    copy ??= { ...value };
    copy[name] = applyDefaults(property, property.default);
  }
  return copy ?? value;
}

function defaultItems(schema: ListSchema, value: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const filled = applyDefaults(schema.items, value[index]);
    if (filled === value[index]) continue;
    copy ??= [...value];
    copy[index] = filled;
  }
  return copy ?? value;
}

function defaultValues(schema: MapSchema, value: Fields): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const filled = applyDefaults(schema.values, value[key]);
    if (filled === value[key]) continue;
    copy ??= { ...value };
    setOwn(copy, key, filled);
  }
  return copy ?? value;
}
