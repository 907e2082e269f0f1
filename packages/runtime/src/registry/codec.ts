/** The stored form of objects: JSON without `resourceVersion`, which is the revision of the store. */
import { ApiError } from '../api/errors.ts';
import { isPlainObject } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import type { ApiObject } from '../api/object.ts';
import type { Revision } from '../store/contract.ts';
import { keyOf } from './keys.ts';

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
    throw new ApiError('Corrupt', { what: `the record ${key}`, reason: 'it is not JSON' }, error);
  }
  if (isStored(kind, key, parsed)) return parsed;
  throw new ApiError('Corrupt', { what: `the record ${key}`, reason: `it is not a ${kind.kind} of that name` });
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

export function withRevision<Spec, Status>(
  object: StoredObject<Spec, Status>,
  revision: Revision,
): ApiObject<Spec, Status> {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

/** The revision of a resource version. Throws `BadRequest` if it is not a resource version. */
export function revisionOf(resourceVersion: string): Revision {
  const revision = Number(resourceVersion);
  if (/^[0-9]{1,16}$/.test(resourceVersion) && Number.isSafeInteger(revision)) return revision;
  throw new ApiError('BadRequest', { reason: `"${resourceVersion}" is not a resourceVersion` });
}
