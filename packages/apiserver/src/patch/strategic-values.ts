/** The directives in the values of strategic merge patches. */
import { ApiError, isPlainObject, type JsonObject, type JsonValue, setOwn } from '@ecsm/runtime';

export const orderPrefix = '$setElementOrder/';
export const deletePrefix = '$deleteFromPrimitiveList/';

export type Fields = Map<string, JsonValue>;

export function isObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}

export function malformed(reason: string): ApiError {
  return new ApiError('BadRequest', { reason: `strategic merge patch: ${reason}` });
}

/** The `$patch` of an object. Throws BadRequest for an unknown one. */
export function directiveOf(patch: JsonObject): 'delete' | 'replace' | undefined {
  const directive = patch['$patch'];
  if (directive === undefined || directive === 'delete' || directive === 'replace') return directive;
  throw malformed(`unknown $patch directive ${JSON.stringify(directive).slice(0, 100)}`);
}

/** The field that a directive for a list is about. */
export function listField(key: string): string | undefined {
  const prefix = [orderPrefix, deletePrefix].find((start) => key.startsWith(start));
  return prefix === undefined ? undefined : key.slice(prefix.length);
}

export function isDirective(key: string): boolean {
  return key === '$patch' || key === '$retainKeys' || listField(key) !== undefined;
}

/** A value that is new in the object, without directives and nulls. Returns undefined if it is only a deletion. */
export function cleaned(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return cleanedItems(value);
  if (!isObject(value)) return value;
  return directiveOf(value) === 'delete' ? undefined : cleanedFields(value);
}

export function cleanedItems(items: readonly JsonValue[]): readonly JsonValue[] {
  return items.map(cleaned).filter((item) => item !== undefined);
}

export function cleanedFields(value: JsonObject): JsonObject {
  const result: Fields = new Map();
  for (const [key, part] of Object.entries(value)) {
    const kept = part === null || isDirective(key) ? undefined : cleaned(part);
    if (kept !== undefined) result.set(key, kept);
  }
  return toObject(result);
}

export function toObject(fields: Fields): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [key, value] of fields) setOwn(result, key, value);
  return result;
}
