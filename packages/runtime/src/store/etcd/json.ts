/**
 * Parsers for protobuf's JSON, which turn etcd's responses into typed values. Its rules: a field with the zero value
 * (0, false, '', empty list) is omitted, a 64-bit integer is a string, bytes are base64.
 */
import { malformed } from './errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed(`not JSON: ${JSON.stringify(text.slice(0, 80))}`);
  }
  if (!isObject(value)) throw malformed('not a JSON object');
  return value;
}

export function objectAt(parent: JsonObject, field: string): JsonObject | undefined {
  const value = parent[field];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw malformed(`${field} is not an object`);
  return value;
}

export function requiredObjectAt(parent: JsonObject, field: string): JsonObject {
  const value = objectAt(parent, field);
  if (value === undefined) throw malformed(`${field} is missing`);
  return value;
}

export function objectsAt(parent: JsonObject, field: string): readonly JsonObject[] {
  const value = parent[field];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw malformed(`${field} is not a list`);
  if (!value.every(isObject)) throw malformed(`${field} has items that are not objects`);
  return value;
}

export function stringAt(parent: JsonObject, field: string): string {
  const value = parent[field] ?? '';
  if (typeof value !== 'string') throw malformed(`${field} is not a string`);
  return value;
}

export function flagAt(parent: JsonObject, field: string): boolean {
  const value = parent[field] ?? false;
  if (typeof value !== 'boolean') throw malformed(`${field} is not a boolean`);
  return value;
}

/** A revision above 2^53 would lose digits, so it is refused; at a million commits a second that takes 285 years. */
export function integerAt(parent: JsonObject, field: string): number {
  const value = parent[field] ?? 0;
  const number = typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number))
    throw malformed(`${field} is not an integer below 2^53`);
  return number;
}

/** A copy: a view would retain Node's shared 8 KiB pool for the lifetime of a small value. */
export function bytesAt(parent: JsonObject, field: string): Uint8Array {
  return new Uint8Array(Buffer.from(stringAt(parent, field), 'base64'));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
