/**
 * Reads protobuf's JSON, as the gateway of etcd writes it: a field with the zero value (0, false, '', an empty list) is
 * omitted, a 64-bit integer is a decimal string, and bytes are base64.
 */
import { EtcdError } from '../error.ts';

export type Answer = Readonly<Record<string, unknown>>;

export function parseAnswer(text: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('it is not JSON');
  }
  if (!isObject(value)) throw malformed('it is not an object');
  return value;
}

/** Empty if the field is absent. */
export function objectAt(parent: Answer, field: string): Answer {
  const value = parent[field] ?? {};
  if (!isObject(value)) throw malformed(`${field} is not an object`);
  return value;
}

export function objectsAt(parent: Answer, field: string): readonly Answer[] {
  const value = parent[field] ?? [];
  if (!Array.isArray(value) || !value.every(isObject)) throw malformed(`${field} is not a list of objects`);
  return value;
}

export function stringsAt(parent: Answer, field: string): readonly string[] {
  const value = parent[field] ?? [];
  if (!Array.isArray(value) || !value.every(isString)) throw malformed(`${field} is not a list of strings`);
  return value;
}

export function stringAt(parent: Answer, field: string): string {
  const value = parent[field] ?? '';
  if (!isString(value)) throw malformed(`${field} is not a string`);
  return value;
}

export function flagAt(parent: Answer, field: string): boolean {
  const value = parent[field] ?? false;
  if (typeof value !== 'boolean') throw malformed(`${field} is not true or false`);
  return value;
}

export function integerAt(parent: Answer, field: string): bigint {
  const value = parent[field] ?? '0';
  if (isString(value) && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw malformed(`${field} is not a whole number`);
}

/** As etcdctl prints it: hexadecimal. */
export function idAt(parent: Answer, field: string): string {
  return integerAt(parent, field).toString(16);
}

/** As the gateway expects it: decimal. Throws `Other` for what is not an id. */
export function decimalId(id: string): string {
  if (!/^[0-9a-f]{1,16}$/.test(id)) throw new EtcdError('Other', `${JSON.stringify(id)} is not the id of a member`);
  return BigInt(`0x${id}`).toString();
}

/** The change may have happened: the answer is not etcd's, or of a version that we do not know. */
export function malformed(problem: string): EtcdError {
  return new EtcdError('Unavailable', `unexpected answer of etcd: ${problem}`);
}

function isObject(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}
