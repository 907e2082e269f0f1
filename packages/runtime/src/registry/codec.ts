/** The stored form of objects: JSON without `resourceVersion`, which is the revision of the store. */
import { ApiError } from '../api/errors.ts';
import { isPlainObject, type JsonValue } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import type { ApiObject } from '../api/object.ts';
import type { Revision } from '../store/contract.ts';
import { addressIn, keyOf } from './keys.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** An object without its revision. */
export type StoredObject<Spec, Status> = Omit<ApiObject<Spec, Status>, 'metadata'> & {
  readonly metadata: Omit<ApiObject['metadata'], 'resourceVersion'>;
};

export function encode<Spec, Status>(object: StoredObject<Spec, Status>): Uint8Array {
  return Buffer.from(JSON.stringify(object));
}

/**
 * Stored objects were validated, and the store checks its bytes, so reading does not validate again. It only checks that
 * this is an object of the kind, with the name of the key. Throws `Corrupt` otherwise.
 */
export function decode<Spec, Status>(
  kind: Kind<Spec, Status>,
  key: string,
  value: Uint8Array,
): StoredObject<Spec, Status> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(decoder.decode(value));
  } catch (error) {
    throw notJson(key, error);
  }
  if (isStored(kind, key, parsed)) return parsed;
  throw new ApiError('Corrupt', { what: `the record ${key}`, reason: `it is not a ${kind.kind} of that name` });
}

function textOf(key: string, value: Uint8Array): string {
  try {
    return decoder.decode(value);
  } catch (error) {
    throw notJson(key, error);
  }
}

function notJson(key: string, error: unknown): ApiError {
  return new ApiError('Corrupt', { what: `the record ${key}`, reason: 'it is not JSON' }, error);
}

/**
 * The JSON of an object with its `resourceVersion`, from its stored form. That starts with the kind, the name and the
 * namespace, so it need not be parsed to add the version after them. Throws `Corrupt` if it is another object.
 */
export function textWithRevision(kind: Kind, key: string, value: Uint8Array, revision: Revision): string {
  const text = textOf(key, value);
  const head = headOf(kind, key);
  if (!text.startsWith(head)) return JSON.stringify(withRevision(decode(kind, key, value), revision));
  return `${head}"resourceVersion":"${revision}",${text.slice(head.length)}`;
}

function headOf(kind: Kind, key: string): string {
  const { namespace, name } = addressIn(kind, key);
  const identity = kind.scope === 'Cluster' ? { name } : { name, namespace };
  const head = JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: identity });
  // The rest of the metadata follows instead of the two braces.
  return `${head.slice(0, -2)},`;
}

function isStored<Spec, Status>(
  kind: Kind<Spec, Status>,
  key: string,
  value: unknown,
): value is StoredObject<Spec, Status> {
  if (!isPlainObject(value) || value.apiVersion !== kind.apiVersion || value.kind !== kind.kind) return false;
  const { metadata, spec } = value;
  if (!isPlainObject(metadata) || (kind.spec !== undefined && !isPlainObject(spec))) return false;
  const { uid, namespace, name } = metadata;
  return typeof uid === 'string' && typeof name === 'string' && key === keyOf(kind, String(namespace), name);
}

/** Stored objects come from JSON, and the input of a write was validated: both consist of JSON data. */
export function asJson(object: StoredObject<unknown, unknown>): JsonValue {
  return isJson(object) ? object : null;
}

function isJson(value: unknown): value is JsonValue {
  return isPlainObject(value);
}

export function withRevision<Spec, Status>(
  object: StoredObject<Spec, Status>,
  revision: Revision,
): ApiObject<Spec, Status> {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

export function withoutRevision<Spec, Status>(object: ApiObject<Spec, Status>): StoredObject<Spec, Status> {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The revision of a resource version. Throws `BadRequest` if it is not a resource version. */
export function revisionOf(resourceVersion: string): Revision {
  const revision = Number(resourceVersion);
  if (/^[0-9]{1,16}$/.test(resourceVersion) && Number.isSafeInteger(revision)) return revision;
  throw new ApiError('BadRequest', { reason: `"${resourceVersion}" is not a resourceVersion` });
}
