/**
 * The part of an object whose fields have managers. Identity and history belong to the registry and have none; the
 * status is tracked by writes of the subresource `status`, and only by those.
 */
import { isPlainObject, type JsonObject, type JsonValue, setOwn } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { difference, type FieldSet, fieldSet } from './field-set.ts';
import { type Comparison, compare, fieldsOf } from './fields-of.ts';
import { isList, partsOf } from './parts.ts';

/** Metadata that only the registry sets, or that identifies the object. */
const untrackedMetadata: ReadonlySet<string> = new Set([
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
]);

/** `metadata` itself always exists, so nobody owns it. */
export const alwaysPresent = fieldSet(['f:metadata']);

/** The tracked part of an object. Always has `metadata`, so that two of them differ only in what was written. */
export function trackedPart(object: JsonValue | undefined, subresource: string | undefined): JsonObject {
  const fields: Record<string, JsonValue> = {};
  if (!isPlainObject(object)) return subresource === 'status' ? fields : { metadata: {} };
  for (const name of Object.keys(object)) {
    const value = object[name];
    const isTracked = subresource === 'status' ? name === 'status' : !untrackedFields.has(name);
    if (isTracked && value !== undefined) setOwn(fields, name, value);
  }
  return subresource === 'status' ? fields : { metadata: trackedMetadata(object.metadata), ...fields };
}

const untrackedFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

function trackedMetadata(metadata: JsonValue | undefined): JsonObject {
  const tracked: Record<string, JsonValue> = {};
  if (!isPlainObject(metadata)) return tracked;
  for (const name of Object.keys(metadata)) {
    const value = metadata[name];
    if (value !== undefined && !untrackedMetadata.has(name)) setOwn(tracked, name, value);
  }
  return tracked;
}

/** The fields that the tracked part of a configuration owns. */
export function ownedFields(schema: Schema, tracked: JsonObject): FieldSet {
  return difference(fieldsOf(schema, tracked), alwaysPresent);
}

/** What a write changed, in the tracked parts of the object before and after it. Undefined: there was no object. */
export function trackedChanges(
  schema: Schema,
  before: JsonValue | undefined,
  after: JsonValue,
  subresource: string | undefined,
): Comparison {
  return compare(schema, trackedPart(before, subresource), trackedPart(after, subresource));
}

/** The value without null fields: as in Kubernetes, null in a manifest counts as absent. `anything` is kept as it is. */
export function withoutNulls(schema: Schema, value: JsonValue): JsonValue {
  if (schema.type === 'anything') return value;
  if (isList(value)) return schema.type === 'list' ? value.map((item) => withoutNulls(schema.items, item)) : value;
  const parts = partsOf(schema, value);
  if (!parts) return value;
  const result: Record<string, JsonValue> = {};
  for (const { name, schema: inner, value: field } of parts.items.values()) {
    if (field !== null || inner.type === 'anything') setOwn(result, name ?? '', withoutNulls(inner, field));
  }
  return result;
}
