/**
 * The business rules, as pure functions from the stored and the wanted object to the object to store.
 * A result that is identical to the stored object means that there is nothing to write.
 */
import { ApiError, type FieldError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import type { ManagedFieldsEntry } from '../api/managed-fields/entries.ts';
import { deepEqual } from '../api/merge.ts';
import type { DefaultedObject } from '../api/object.ts';
import { applyDefaults } from '../api/schema/defaults.ts';
import { validate } from '../api/schema/validate.ts';
import type { Revision } from '../store/contract.ts';
import type { StoredObject } from './codec.ts';
import { modifiedReason } from './conflict.ts';
import type { Precondition } from './contract.ts';
import { requestedManagedFields } from './managers.ts';
import { finalizersFor, type PropagationPolicy } from './propagation.ts';

/** The fields of a new object that the registry sets. */
export interface NewIdentity {
  readonly uid: string;
  readonly timestamp: string;
}

export function created<Spec, Status>(
  kind: Kind<Spec, Status>,
  wanted: DefaultedObject<Spec, Status>,
  { uid, timestamp }: NewIdentity,
): StoredObject<Spec, Status> {
  if (wanted.metadata.resourceVersion !== undefined) {
    refuse(kind, wanted, 'metadata.resourceVersion', 'Forbidden', 'must not be set on an object to be created');
  }
  const metadata = metadataOf(wanted.metadata, { uid, generation: 1, creationTimestamp: timestamp });
  return checked(kind, objectOf(kind, metadata, wanted));
}

/**
 * The writer sets spec, labels, annotations, finalizers and owners; everything else stays. It may also set the managers
 * of the object, or reset them.
 */
export function updated<Spec, Status>(
  kind: Kind<Spec, Status>,
  stored: StoredObject<Spec, Status>,
  wanted: DefaultedObject<Spec, Status>,
): StoredObject<Spec, Status> {
  const before = stored.metadata;
  requireUid(kind, before, wanted.metadata.uid);
  const added = (wanted.metadata.finalizers ?? []).filter((finalizer) => !before.finalizers?.includes(finalizer));
  if (before.deletionTimestamp !== undefined && added.length > 0) {
    refuse(
      kind,
      wanted,
      'metadata.finalizers',
      'Forbidden',
      `${added.join(', ')} cannot be added while the object is being deleted`,
    );
  }
  const { uid, creationTimestamp, deletionTimestamp } = before;
  const isSame = hasSameContent(kind, stored, wanted);
  const generation = isSame ? before.generation : before.generation + 1;
  const managedFields = requestedManagedFields(before.managedFields, wanted.metadata.managedFields);
  const history = { uid, generation, creationTimestamp, deletionTimestamp, managedFields };
  const metadata = metadataOf(wanted.metadata, history);
  // With the identical content, the comparison of the whole object skips it.
  const next = { ...objectOf(kind, metadata, isSame ? stored : wanted), ...statusOf(stored) };
  return isSame && deepEqual(next, stored) ? stored : checked(kind, next, stored);
}

/** Only the status changes, so a concurrent edit of the spec is never undone. */
export function withStatus<Spec, Status>(
  kind: Kind<Spec, Status>,
  stored: StoredObject<Spec, Status>,
  status: unknown,
): StoredObject<Spec, Status> {
  const { status: _, ...rest } = stored;
  if (kind.status === undefined) throw new ApiError('BadRequest', { reason: `a ${kind.kind} has no status` });
  // The validation below ensures the shape.
  const complete = applyDefaults(kind.status, status) as Status | undefined;
  const next: StoredObject<Spec, Status> = complete === undefined ? rest : { ...rest, status: complete };
  if (deepEqual(next, stored)) return stored;
  // The rest was validated when it was stored.
  const errors = complete === undefined ? [] : validate(kind.status, complete, 'status');
  if (errors.length > 0) throw new ApiError('Invalid', { kind: kind.kind, name: next.metadata.name, errors });
  return checked(kind, next, stored);
}

/** The same object if it has the finalizer. Throws `Conflict` if it is being deleted: it could not be added any more. */
export function withFinalizer<Spec, Status>(
  kind: Kind<Spec, Status>,
  stored: StoredObject<Spec, Status>,
  finalizer: string,
): StoredObject<Spec, Status> {
  const { name, finalizers = [], deletionTimestamp } = stored.metadata;
  if (finalizers.includes(finalizer)) return stored;
  if (deletionTimestamp !== undefined) {
    throw new ApiError('Conflict', { kind: kind.kind, name, reason: 'the object is being deleted' });
  }
  return { ...stored, metadata: { ...stored.metadata, finalizers: [...finalizers, finalizer] } };
}

/**
 * The object that a deletion leaves: undefined, or one that waits for its finalizers. The first deletion raises the
 * generation, because controllers have to act on it; a later one may change the policy for dependents.
 */
export function deleted<Spec, Status>(
  stored: StoredObject<Spec, Status>,
  timestamp: string,
  policy?: PropagationPolicy,
): StoredObject<Spec, Status> | undefined {
  const { metadata } = stored;
  const finalizers = finalizersFor(metadata.finalizers, policy);
  if (finalizers.length === 0) return undefined;
  if (metadata.deletionTimestamp === undefined) {
    const generation = metadata.generation + 1;
    return { ...stored, metadata: { ...metadata, generation, finalizers, deletionTimestamp: timestamp } };
  }
  const isSame = finalizers.every((finalizer) => metadata.finalizers?.includes(finalizer));
  if (isSame && finalizers.length === metadata.finalizers?.length) return stored;
  return { ...stored, metadata: { ...metadata, finalizers } };
}

/** The object as it is removed: a deletion can remove the finalizer of an earlier one. */
export function withoutFinalizers<Spec, Status>(stored: StoredObject<Spec, Status>): StoredObject<Spec, Status> {
  if (!hasFinalizers(stored)) return stored;
  const { finalizers: _, ...metadata } = stored.metadata;
  return { ...stored, metadata };
}

/** Whether an object is to be deleted and has no finalizer left. */
export function isFinished(object: StoredObject<unknown, unknown>): boolean {
  return object.metadata.deletionTimestamp !== undefined && !hasFinalizers(object);
}

/** The fields that a writer may set: the input of `patch`. */
export function withoutStatus<Spec, Status>(stored: StoredObject<Spec, Status>): StoredObject<Spec, Status> {
  const { status: _, ...rest } = stored;
  return rest;
}

/** An object of the kind with the content, spec or fields, of another one. */
function objectOf<Spec, Status>(
  kind: Kind<Spec, Status>,
  metadata: StoredMetadata,
  content: { readonly spec: Spec },
): StoredObject<Spec, Status> {
  const { apiVersion } = kind;
  const object = { apiVersion, kind: kind.kind, metadata };
  // The type of an object whose content is in fields has no `spec`: it is undefined.
  return kind.fields === undefined ? { ...object, spec: content.spec } : Object.assign(object, fieldsIn(kind, content));
}

function hasSameContent<Spec>(
  kind: Kind<Spec>,
  stored: { readonly spec: Spec },
  wanted: { readonly spec: Spec },
): boolean {
  if (kind.fields === undefined) return deepEqual(stored.spec, wanted.spec);
  return deepEqual(fieldsIn(kind, stored), fieldsIn(kind, wanted));
}

function fieldsIn<Spec>({ fields }: Kind<Spec>, object: object): { readonly spec: Spec } {
  const found = Object.entries(object).filter(([name]) => fields !== undefined && name in fields.properties);
  return Object.fromEntries(found) as { readonly spec: Spec };
}

function hasFinalizers(object: StoredObject<unknown, unknown>): boolean {
  return (object.metadata.finalizers?.length ?? 0) > 0;
}

function statusOf<Status>({ status }: { readonly status?: Status }): { readonly status?: Status } {
  return status === undefined ? {} : { status };
}

/**
 * The metadata of the writer, with the identity and history of the registry. Empty lists and maps are omitted, so that
 * they equal absent ones.
 */
function metadataOf(wanted: DefaultedObject['metadata'], history: History): StoredMetadata {
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = wanted;
  const { uid, generation, creationTimestamp, deletionTimestamp, managedFields } = history;
  // Field by field: every write calls this, and spreading is several times slower.
  const identity = { uid, generation, creationTimestamp };
  // A cluster-scoped object has no namespace, contrary to its type.
  const metadata = (
    namespace === undefined ? { name, ...identity } : { name, namespace, ...identity }
  ) as Mutable<StoredMetadata>;
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = deletionTimestamp;
  if (labels && !isEmpty(labels)) metadata.labels = labels;
  if (annotations && !isEmpty(annotations)) metadata.annotations = annotations;
  if (finalizers && finalizers.length > 0) metadata.finalizers = finalizers;
  if (ownerReferences && ownerReferences.length > 0) metadata.ownerReferences = ownerReferences;
  if (managedFields && managedFields.length > 0) metadata.managedFields = managedFields;
  return metadata;
}

interface History {
  readonly uid: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string | undefined;
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
}

type StoredMetadata = StoredObject<unknown, unknown>['metadata'];
type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/** The shape of the input has been validated before; this checks the rules of the kind. */
function checked<Spec, Status>(
  kind: Kind<Spec, Status>,
  next: StoredObject<Spec, Status>,
  stored?: StoredObject<Spec, Status>,
): StoredObject<Spec, Status> {
  const errors = kind.rules(next, stored);
  if (errors.length > 0) throw new ApiError('Invalid', { kind: kind.kind, name: next.metadata.name, errors });
  return next;
}

/** Throws `Conflict` unless the stored object has the uid and the version of the precondition. */
export function checkPrecondition(
  kind: { readonly kind: string },
  current: { readonly stored: StoredObject<unknown, unknown>; readonly revision: Revision } | { readonly name: string },
  { uid, resourceVersion }: Precondition,
): void {
  if ('name' in current) {
    if (uid === undefined && resourceVersion === undefined) return;
    throw new ApiError('Conflict', { kind: kind.kind, name: current.name, reason: 'the object does not exist' });
  }
  const { metadata } = current.stored;
  requireUid(kind, metadata, uid);
  if (resourceVersion !== undefined && resourceVersion !== String(current.revision)) {
    throw new ApiError('Conflict', { kind: kind.kind, name: metadata.name, reason: modifiedReason });
  }
}

function requireUid(kind: { readonly kind: string }, { name, uid }: StoredMetadata, wanted: string | undefined): void {
  if (wanted === undefined || wanted === uid) return;
  const reason = `the uid is ${uid}, not ${wanted}: this is another object of the same name`;
  throw new ApiError('Conflict', { kind: kind.kind, name, reason });
}

export function refuse(
  kind: { readonly kind: string },
  object: { readonly metadata: { readonly name: string } },
  path: string,
  type: FieldError['type'],
  message: string,
): never {
  throw new ApiError('Invalid', { kind: kind.kind, name: object.metadata.name, errors: [{ path, type, message }] });
}
