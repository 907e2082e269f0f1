/**
 * Objects for users who may not see their secrets: the fields that the schema of the kind marks, and the configuration
 * that a client-side apply keeps in an annotation. Such a user reads and writes objects without them.
 *
 * A write of such a user must not tell whether a secret that it contains is the stored one. Otherwise each write is a
 * guess: it changes nothing if the guess is right.
 */
import { hidden } from '../redact/mark.ts';
import { isPlainObject, type JsonObject, type JsonValue, ownValue, setOwn } from './json.ts';
import type { FieldSet } from './managed-fields/field-set.ts';
import { lastAppliedAnnotation } from './managed-fields/migration.ts';
import { fieldElement, keyElements } from './managed-fields/path-element.ts';
import type { PathSegment } from './path.ts';
import { schemaAt } from './schema/lookup.ts';
import type { ListSchema, Schema } from './schema/schema.ts';

/** A kind, or the part of it that is needed. */
interface KindSchema {
  readonly schema: Schema;
}

const paths = new WeakMap<Schema, readonly string[]>();

/** Paths of the secrets of a kind, such as `spec.template.env[].value`. Empty if it has none. */
export function secretPaths({ schema }: KindSchema): readonly string[] {
  let found = paths.get(schema);
  if (found === undefined) {
    found = [...pathsIn(schema, '')];
    paths.set(schema, found);
  }
  return found;
}

function* pathsIn(schema: Schema, path: string): Generator<string> {
  if (schema.secret) yield path;
  else if (schema.type === 'object') {
    for (const [name, field] of Object.entries(schema.properties))
      yield* pathsIn(field, path === '' ? name : `${path}.${name}`);
  } else if (schema.type === 'list') yield* pathsIn(schema.items, `${path}[]`);
  else if (schema.type === 'map') yield* pathsIn(schema.values, `${path}[]`);
  else if (schema.type === 'anything' && schema.like) yield* pathsIn(schema.like, path);
}

/** Whether the field at a path is a secret, is inside one, or contains the configuration of a client-side apply. */
export function isSecretPath(schema: Schema, path: readonly PathSegment[]): boolean {
  if (path.some((_, index) => schemaAt(schema, path.slice(0, index + 1))?.secret)) return true;
  const [metadata, annotations, name] = path;
  return metadata === 'metadata' && annotations === 'annotations' && name === lastAppliedAnnotation;
}

/** A copy without the secrets, which shares all other parts; the object itself if it has none. */
export function withoutSecrets<Object>({ schema }: KindSchema, object: Object): Object {
  // A copy of an object without some of its optional fields is of the same type for a reader.
  return withShownAnnotations(schema, stripped(schema, object)) as Object;
}

function stripped(schema: Schema, value: unknown): unknown {
  if (schema.type === 'object' && isPlainObject(value)) return strippedFields(value, (name) => schema.properties[name]);
  if (schema.type === 'map' && isPlainObject(value)) return strippedFields(value, () => schema.values);
  if (schema.type === 'list' && Array.isArray(value)) return strippedItems(schema, value);
  return schema.type === 'anything' && schema.like ? stripped(schema.like, value) : value;
}

type Fields = Readonly<Record<string, unknown>>;

function strippedFields(value: Fields, schemaOf: (name: string) => Schema | undefined): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const schema = schemaOf(name);
    const before = value[name];
    const after = schema === undefined ? before : schema.secret ? undefined : stripped(schema, before);
    if (after === before) continue;
    copy ??= { ...value };
    if (after === undefined) delete copy[name];
    else setOwn(copy, name, after);
  }
  return copy ?? value;
}

function strippedItems({ items }: ListSchema, value: readonly unknown[]): readonly unknown[] {
  if (items.secret) return [];
  const copy = value.map((item) => stripped(items, item));
  return copy.some((item, index) => item !== value[index]) ? copy : value;
}

/** An annotation that is not a configuration is hidden as a whole. */
function withShownAnnotations(schema: Schema, object: unknown): unknown {
  const annotations = annotationsOf(object);
  const { [lastAppliedAnnotation]: stored, ...others } = annotations;
  if (stored === undefined) return object;
  const text = shownConfiguration(schema, stored);
  return withAnnotations(object, text === undefined ? others : { ...annotations, [lastAppliedAnnotation]: text });
}

function shownConfiguration(schema: Schema, text: unknown): string | undefined {
  try {
    const configuration: unknown = JSON.parse(String(text));
    return isPlainObject(configuration) ? `${JSON.stringify(stripped(schema, configuration))}\n` : undefined;
  } catch {
    return undefined;
  }
}

interface KeptSecrets {
  /** What was written, with the stored values of the secrets that it leaves out. A secret that is null is left out. */
  readonly written: JsonValue;
  /** What is stored, with a placeholder for each secret that was written: it is a change, whatever its value. */
  readonly stored: JsonValue;
}

/**
 * A write of a user who was shown `withoutSecrets(stored)`. Items of a list are found by their key. With `owned`, only
 * secrets among these fields are kept.
 */
export function keepSecrets(
  { schema }: KindSchema,
  written: JsonValue,
  stored: JsonValue,
  owned?: FieldSet,
): KeptSecrets {
  const kept = keptIn(schema, written, stored, owned);
  return owned ? kept : keptAnnotations(schema, kept);
}

function keptIn(schema: Schema, written: JsonValue, stored: JsonValue, owned: FieldSet | undefined): KeptSecrets {
  // Managers own such a value as a whole.
  if (schema.type === 'anything' && schema.like) return keptIn(schema.like, written, stored, undefined);
  if (schema.type === 'list' && Array.isArray(written) && Array.isArray(stored)) {
    return keptItems(schema, written, stored, owned);
  }
  if (!isPlainObject(written) || !isPlainObject(stored)) return { written, stored };
  if (schema.type === 'object') {
    return keptFields(written, stored, Object.entries(schema.properties), owned);
  }
  if (schema.type !== 'map') return { written, stored };
  const fields = Object.keys(written).map((name): [string, Schema] => [name, schema.values]);
  return keptFields(written, stored, fields, owned);
}

function keptFields(
  written: JsonObject,
  stored: JsonObject,
  fields: readonly (readonly [name: string, schema: Schema])[],
  owned: FieldSet | undefined,
): KeptSecrets {
  const result: Record<string, JsonValue> = { ...written };
  const base: Record<string, JsonValue> = { ...stored };
  for (const [name, schema] of fields) {
    const [wanted, before] = [fieldOf(written, name), fieldOf(stored, name)];
    const inside = owned?.children.get(fieldElement(name));
    const isKept = owned === undefined || inside !== undefined;
    if (!schema.secret) {
      if (wanted === undefined || before === undefined) continue;
      const kept = keptIn(schema, wanted, before, isKept ? inside : noFields);
      setOwn(result, name, kept.written);
      setOwn(base, name, kept.stored);
    } else if (wanted === undefined) {
      if (before !== undefined && isKept) setOwn(result, name, before);
    } else if (wanted === null) delete result[name];
    else if (before !== undefined) setOwn(base, name, hidden);
  }
  return { written: result, stored: base };
}

const noFields: FieldSet = { self: false, children: new Map() };

function keptItems(
  { items, uniqueBy }: ListSchema,
  written: readonly JsonValue[],
  stored: readonly JsonValue[],
  owned: FieldSet | undefined,
): KeptSecrets {
  // Items without a key cannot be found again once they are changed or moved.
  if (uniqueBy === undefined) return { written, stored };
  const base = [...stored];
  const places = new Map(stored.map((item, index) => [keyOf(item, uniqueBy), index]));
  const elementOf = keyElements(uniqueBy);
  const result = written.map((item) => {
    const key = keyOf(item, uniqueBy);
    const index = places.get(key);
    const before = index === undefined ? undefined : stored[index];
    if (key === undefined || index === undefined || before === undefined) return item;
    const inside = owned && (owned.children.get(elementOf(key)) ?? noFields);
    const kept = keptIn(items, item, before, inside);
    base[index] = kept.stored;
    return kept.written;
  });
  return { written: result, stored: base };
}

function keyOf(item: JsonValue, field: string): JsonValue | undefined {
  return isPlainObject(item) ? fieldOf(item, field) : undefined;
}

/** An annotation as it was shown is the stored one. Any other is a change. */
function keptAnnotations(schema: Schema, { written, stored }: KeptSecrets): KeptSecrets {
  const [wanted, before] = [annotationsOf(written), annotationsOf(stored)];
  const [text, textBefore] = [wanted[lastAppliedAnnotation], before[lastAppliedAnnotation]];
  if (textBefore === undefined) return { written, stored };
  const withText = (object: JsonValue, annotations: Fields, value: unknown) =>
    asJson(withAnnotations(object, { ...annotations, [lastAppliedAnnotation]: value }));
  if (text === shownConfiguration(schema, textBefore)) {
    return { written: withText(written, wanted, textBefore), stored };
  }
  if (text === undefined) return { written, stored };
  return { written, stored: withText(stored, before, hidden) };
}

/**
 * The result of a merge patch of an object without secrets, with null for each secret that the patch removes: in the
 * result alone, it would be one that was not shown.
 */
export function withRemovedSecrets({ schema }: KindSchema, merged: JsonValue, patch: JsonValue): JsonValue {
  return withNulls(schema, merged, patch);
}

function withNulls(schema: Schema, merged: JsonValue, patch: JsonValue): JsonValue {
  if (schema.type === 'anything' && schema.like) return withNulls(schema.like, merged, patch);
  if (!isPlainObject(merged) || !isPlainObject(patch)) return merged;
  const result: Record<string, JsonValue> = { ...merged };
  for (const [name, change] of Object.entries(patch)) {
    const field =
      schema.type === 'map' ? schema.values : schema.type === 'object' ? schema.properties[name] : undefined;
    const before = fieldOf(merged, name);
    if (field?.secret) {
      if (change === null) setOwn(result, name, null);
    } else if (field && before !== undefined) setOwn(result, name, withNulls(field, before, change));
  }
  return result;
}

function annotationsOf(object: unknown): Fields {
  const metadata = isPlainObject(object) ? object['metadata'] : undefined;
  const annotations = isPlainObject(metadata) ? metadata['annotations'] : undefined;
  return isPlainObject(annotations) ? annotations : {};
}

function withAnnotations(object: unknown, annotations: Fields): unknown {
  if (!isPlainObject(object) || !isPlainObject(object['metadata'])) return object;
  return { ...object, metadata: { ...object['metadata'], annotations } };
}

function fieldOf(object: JsonObject, name: string): JsonValue | undefined {
  const value = ownValue(object, name);
  return value === undefined ? undefined : asJson(value);
}

/** Parts of JSON are JSON. */
function asJson(value: unknown): JsonValue {
  return value as JsonValue;
}
