/**
 * Strategic merge patches: JSON merge patches that can also change the items of lists. The schema tells how a list
 * merges: by key if its items have one (`uniqueBy`), as a set of scalars (`uniqueItems`); other lists are replaced.
 *
 * Directives: `$patch: replace` and `$patch: delete` in an object or an item, `$retainKeys`,
 * `$deleteFromPrimitiveList/FIELD` and `$setElementOrder/FIELD`. Nothing here changes its arguments.
 */
import type { JsonObject, JsonValue, Schema } from '@ecsm/runtime';
import { mergeList } from './strategic-list.ts';
import {
  cleaned,
  cleanedFields,
  deletePrefix,
  directiveOf,
  type Fields,
  isDirective,
  isObject,
  listField,
  malformed,
  orderPrefix,
  toObject,
} from './strategic-values.ts';

/** Whether the kinds of a group accept strategic merge patches: clients know merge rules for kinds of Kubernetes only. */
export function supportsStrategicMerge(group: string): boolean {
  return group === '' || group.endsWith('.k8s.io');
}

/** Throws BadRequest for a malformed patch. Recursion follows the depth of the patch, which its reader bounds. */
export function strategicMergePatch(schema: Schema, original: JsonValue, patch: unknown): JsonValue {
  if (!isObject(patch) || !isObject(original)) throw malformed('must be an object');
  return mergeObject(schema, original, patch);
}

function mergeObject(schema: Schema | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = directiveOf(patch);
  if (directive === 'replace') return cleanedFields(patch);
  if (directive === 'delete') return {};
  const retained = retainedKeys(patch);
  const result: Fields = new Map(
    Object.entries(original).filter(([key]) => retained === undefined || retained.has(key)),
  );
  const listsDone = new Set<string>();
  for (const [key, value] of Object.entries(patch)) {
    const list = Array.isArray(value) && !isDirective(key) ? key : listField(key);
    if (list === undefined) {
      if (!isDirective(key)) mergeField(schemaOf(schema, key), result, key, value);
    } else if (!listsDone.has(list)) {
      // A list and its directives are several fields of the patch, and are applied together.
      listsDone.add(list);
      mergeListField(schemaOf(schema, list), result, list, patch);
    }
  }
  return toObject(result);
}

function mergeField(schema: Schema | undefined, result: Fields, key: string, value: JsonValue): void {
  const before = result.get(key);
  const after =
    isObject(value) && isObject(before)
      ? mergeObject(schema, before, value)
      : value === null
        ? undefined
        : cleaned(value);
  if (after === undefined) result.delete(key);
  else result.set(key, after);
}

function mergeListField(schema: Schema | undefined, result: Fields, key: string, patch: JsonObject): void {
  const before = result.get(key);
  const items = listIn(patch, key);
  if (items === undefined && !Array.isArray(before)) return;
  const original: readonly JsonValue[] = Array.isArray(before) ? before : [];
  const changes = {
    items,
    deleted: listIn(patch, `${deletePrefix}${key}`),
    order: listIn(patch, `${orderPrefix}${key}`),
  };
  result.set(key, mergeList(schema, original, changes, mergeObject));
}

function listIn(patch: JsonObject, key: string): readonly JsonValue[] | undefined {
  const value = Object.hasOwn(patch, key) ? patch[key] : undefined;
  if (Array.isArray(value)) return value;
  if (value !== undefined && value !== null && key.startsWith('$')) throw malformed(`${key} must be a list`);
  return undefined;
}

function schemaOf(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.type === 'object') return schema.properties[key];
  return schema?.type === 'map' ? schema.values : undefined;
}

/** `$retainKeys` lists all fields that the object keeps, those of the patch included. */
function retainedKeys(patch: JsonObject): ReadonlySet<JsonValue> | undefined {
  const list = listIn(patch, '$retainKeys');
  if (list === undefined) return undefined;
  const retained = new Set(list);
  const missing = Object.keys(patch).find((key) => patch[key] !== null && !isDirective(key) && !retained.has(key));
  if (missing !== undefined) throw malformed(`$retainKeys does not list the field ${JSON.stringify(missing)}`);
  return retained;
}
