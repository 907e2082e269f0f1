/**
 * Which manager set which fields. It is recorded for writes that name a manager and for objects that have managers; other
 * writes cost nothing.
 */
import { ApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { isReset, type ManagedFieldsEntry } from '../api/managed-fields/entries.ts';
import { trackUpdate } from '../api/managed-fields/update.ts';
import { asJson, type StoredObject } from './codec.ts';
import type { WriteOptions } from './contract.ts';

/** The manager of a write that names none, to an object that has managers. */
const managerUnknown = 'unknown';

/** As in Kubernetes. */
const managerLengthMax = 128;

interface Authorship {
  readonly manager?: string | undefined;
  readonly subresource?: string | undefined;
  /** RFC 3339. */
  readonly timestamp: string;
}

/** The manager of a write. Throws `BadRequest` for an invalid name. */
export function managerOf({ manager }: Pick<Authorship, 'manager'>): string | undefined {
  if (manager === undefined || (manager.length <= managerLengthMax && /^\P{Cc}+$/u.test(manager))) return manager;
  throw new ApiError('BadRequest', {
    reason: `the manager must have 1 to ${managerLengthMax} printable characters, not ${JSON.stringify(manager)}`,
  });
}

/**
 * The base that an update starts from: that of the stored object, or the list that the writer sets. `[]` and `[{}]`
 * reset it.
 */
export function requestedManagedFields(
  stored: readonly ManagedFieldsEntry[] | undefined,
  requested: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFieldsEntry[] | undefined {
  if (requested === undefined) return stored;
  return isReset(requested) ? undefined : requested;
}

/** Whether the managers of an object change with a write. */
export function isTracked(next: StoredObject<unknown, unknown>, { manager }: Pick<WriteOptions, 'manager'>): boolean {
  return manager !== undefined || next.metadata.managedFields !== undefined;
}

/** The object to store, with its managers after a write. `before` is undefined for a new object. */
export function withManagers<Spec, Status>(
  { apiVersion, schema }: Pick<Kind, 'apiVersion' | 'schema'>,
  before: StoredObject<Spec, Status> | undefined,
  next: StoredObject<Spec, Status>,
  { subresource, timestamp, ...options }: Authorship,
): StoredObject<Spec, Status> {
  const manager = managerOf(options) ?? managerUnknown;
  const { managedFields } = next.metadata;
  const write = { schema, apiVersion, before: before && asJson(before), after: asJson(next), managedFields, manager };
  const after = trackUpdate({ ...write, timestamp, ...(subresource === undefined ? {} : { subresource }) });
  return after === managedFields ? next : withManagedFields(next, after);
}

export function withManagedFields<Spec, Status>(
  object: StoredObject<Spec, Status>,
  entries: readonly ManagedFieldsEntry[],
): StoredObject<Spec, Status> {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: entries.length === 0 ? metadata : { ...metadata, managedFields: entries } };
}
