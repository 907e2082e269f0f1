/** Declarative writes: the configuration that a caller applies, and the object that results from it. */
import { ApiError } from '../api/errors.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import { type ApplyResult, apply } from '../api/managed-fields/apply.ts';
import type { ManagedFieldsEntry } from '../api/managed-fields/entries.ts';
import { trackedPart, withoutNulls } from '../api/managed-fields/tracked.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import { validate } from '../api/schema/validate.ts';
import { asJson, type StoredObject } from './codec.ts';
import type { ApplyOptions } from './contract.ts';
import { plain } from './input.ts';
import { managerOf, withManagedFields } from './managers.ts';
import { withStatus } from './rules.ts';

/** The manager of an apply that names none. */
const managerDefault = 'ecsm';

interface Configuration {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly object: JsonObject;
}

/**
 * The input with its full address, without the fields that only the registry or a controller writes. It may be a part of
 * an object: required fields may be missing, because the object may have them. Throws `Invalid` for other errors.
 */
export function configurationOf(
  kind: Pick<Kind, 'apiVersion' | 'kind' | 'scope' | 'schema'>,
  input: unknown,
  subresource?: 'status',
): Configuration {
  const { apiVersion, schema } = kind;
  const json = plain(input ?? null);
  if (!isPlainObject(json) || !isPlainObject(json.metadata)) {
    throw new ApiError('BadRequest', { reason: `a ${kind.kind} must be an object with metadata` });
  }
  const { name, namespace = NAMESPACE_DEFAULT } = json.metadata;
  const address: JsonObject = kind.scope === 'Cluster' ? {} : { namespace };
  const { metadata, ...content } = trackedPart(json, subresource);
  const written = { apiVersion, kind: kind.kind, ...identityIn(json), ...content };
  const named = { ...(name === undefined ? {} : { name }), ...address, ...withoutEmpty(metadata) };
  const object = withoutNulls(schema, { ...written, metadata: named });
  const errors = validate(schema, object, '');
  const isPart = errors.every(({ type, path }) => type === 'Required value' && path !== 'metadata.name');
  if (!isPart || !isPlainObject(object) || typeof name !== 'string') {
    throw new ApiError('Invalid', { kind: kind.kind, name: typeof name === 'string' ? name : '', errors });
  }
  return { name, namespace: typeof namespace === 'string' ? namespace : undefined, object };
}

/** The live object with the configuration applied, before defaults and validation. Throws `Conflict`. */
export function applied(
  { apiVersion, schema }: Pick<Kind, 'apiVersion' | 'schema'>,
  stored: StoredObject<unknown, unknown> | undefined,
  { object: configuration }: Configuration,
  {
    force = false,
    withoutSecrets = false,
    subresource,
    timestamp,
    ...options
  }: ApplyOptions & { readonly timestamp: string },
): ApplyResult {
  const live = stored && asJson(stored);
  return apply({
    schema,
    apiVersion,
    live: isPlainObject(live) ? live : undefined,
    managedFields: stored?.metadata.managedFields,
    configuration,
    manager: managerOf(options) ?? managerDefault,
    force,
    withoutSecrets,
    timestamp,
    ...(subresource === undefined ? {} : { subresource }),
  });
}

/** The stored object with the status that results from an apply: the object itself if nothing changes. */
export function withAppliedStatus<Spec, Status>(
  kind: Kind<Spec, Status>,
  stored: StoredObject<Spec, Status>,
  status: JsonValue | undefined,
  managedFields: readonly ManagedFieldsEntry[],
): StoredObject<Spec, Status> {
  const next = withStatus(kind, stored, status);
  const isSame = next === stored && managedFields === (stored.metadata.managedFields ?? managedFields);
  return isSame ? stored : withManagedFields(next, managedFields);
}

/** Kind and version as the caller wrote them, so that validation can reject wrong ones. */
function identityIn({ apiVersion, kind }: JsonObject): JsonObject {
  return { ...(apiVersion === undefined ? {} : { apiVersion }), ...(kind === undefined ? {} : { kind }) };
}

/** Empty lists and maps of metadata are not stored, so applying one would never come to rest. */
function withoutEmpty(metadata: JsonValue | undefined): JsonObject {
  if (!isPlainObject(metadata)) return {};
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
