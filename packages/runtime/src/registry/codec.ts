/** The stored form of objects: JSON without `resourceVersion`, which is the revision of the store. */
import { isUtf8 } from 'node:buffer';
import { ApiError } from '../api/errors.ts';
import { isPlainObject, type JsonValue } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import type { ApiObject } from '../api/object.ts';
import type { Revision } from '../store/contract.ts';
import { ParsedBytes } from '../store/parsed-bytes.ts';
import { addressIn, keyOf } from './keys.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** An object without its revision. */
export type StoredObject<Spec, Status> = Omit<ApiObject<Spec, Status>, 'metadata'> & {
  readonly metadata: Omit<ApiObject['metadata'], 'resourceVersion'>;
};

export function encode<Spec, Status>(object: StoredObject<Spec, Status>): Uint8Array {
  return bytesOf(textOf(object));
}

export function textOf<Spec, Status>(object: StoredObject<Spec, Status>): string {
  return JSON.stringify(object);
}

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
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
    parsed = value instanceof ParsedBytes ? value.json : JSON.parse(decoder.decode(value));
  } catch (error) {
    throw notJson(key, error);
  }
  if (isStored(kind, key, parsed)) return parsed;
  throw new ApiError('Corrupt', { what: `the record ${key}`, reason: `it is not a ${kind.kind} of that name` });
}

/** As `decode`, with the revision. */
export function decodeObject<Spec, Status>(
  kind: Kind<Spec, Status>,
  key: string,
  value: Uint8Array,
  revision: Revision,
): ApiObject<Spec, Status> {
  const stored = decode(kind, key, value);
  if (value instanceof ParsedBytes) return withRevision(stored, revision);
  // It was just parsed and is not shared yet, so it need not be copied.
  return Object.assign(stored, { metadata: Object.assign(stored.metadata, { resourceVersion: String(revision) }) });
}

function textIn(key: string, value: Uint8Array): string {
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
  const { namespace, name } = addressIn(kind, key);
  const text = withVersion(kind, { namespace, name }, textIn(key, value), String(revision));
  return text ?? JSON.stringify(decodeObject(kind, key, value, revision));
}

const noBytes = new Uint8Array(0);

/** JSON in two parts: text, and the UTF-8 after it, as it is stored. */
export interface EncodedObject {
  readonly head: string;
  readonly rest: Uint8Array;
}

/** As `textWithRevision`, without decoding what follows the version: a list has too many objects for that. */
export function partsWithRevision(kind: Kind, key: string, value: Uint8Array, revision: Revision): EncodedObject {
  const stored = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const head = headOf(kind, addressIn(kind, key));
  // A name with other characters than ASCII is different in this encoding.
  if (stored.toString('latin1', 0, head.length) !== head || !isUtf8(stored)) {
    return { head: textWithRevision(kind, key, value, revision), rest: noBytes };
  }
  return { head: `${head}"resourceVersion":"${revision}",`, rest: stored.subarray(head.length) };
}

interface Address {
  readonly namespace: string;
  readonly name: string;
}

/** What the stored form of an object starts with. */
function headOf(kind: Kind, { namespace, name }: Address): string {
  const address = kind.scope === 'Cluster' ? '' : `,"namespace":${JSON.stringify(namespace)}`;
  return `${startOf(kind)}${JSON.stringify(name)}${address},`;
}

/** Whether it is the stored form of the object with this uid. False also if it starts with another order of fields. */
export function isOfUid(kind: Kind, address: Address, value: Uint8Array, uid: string): boolean {
  const head = `${headOf(kind, address)}"uid":${JSON.stringify(uid)},`;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1', 0, head.length) === head;
}

/** Returns undefined if the stored form starts with another order of fields. */
function withVersion(kind: Kind, address: Address, text: string, resourceVersion: string): string | undefined {
  const head = headOf(kind, address);
  return text.startsWith(head) ? `${head}"resourceVersion":"${resourceVersion}",${text.slice(head.length)}` : undefined;
}

const starts = new WeakMap<Kind, string>();

/** What the stored objects of a kind have before their name. */
function startOf(kind: Kind): string {
  const known = starts.get(kind);
  if (known !== undefined) return known;
  const text = JSON.stringify({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: '' } });
  const start = text.slice(0, -'""}}'.length);
  starts.set(kind, start);
  return start;
}

/** The stored form of objects that were just written, for callers that want the JSON of what a write has returned. */
const writtenTexts = new WeakMap<object, string>();

/** The object with its revision. `text` is its stored form. */
export function written<Spec, Status>(
  object: StoredObject<Spec, Status>,
  text: string,
  revision: Revision,
): ApiObject<Spec, Status> {
  const result = withRevision(object, revision);
  writtenTexts.set(result, text);
  return result;
}

/** The JSON of an object that a write has returned. Returns undefined for any other object. */
export function writtenText(kind: Kind, object: ApiObject<unknown, unknown>): string | undefined {
  const text = writtenTexts.get(object);
  return text === undefined ? undefined : withVersion(kind, object.metadata, text, object.metadata.resourceVersion);
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
