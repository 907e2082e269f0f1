/**
 * The business rules, as pure functions from what is stored and what a writer wants to what will be stored.
 * A result that equals what is stored means: nothing changes, write nothing.
 */
import { ApiError, type FieldError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { deepEqual } from '../api/merge.ts';
import type { DefaultedObject, ObjectInput } from '../api/object.ts';
import { applyDefaults } from '../api/schema/defaults.ts';
import type { StoredObject } from './codec.ts';

/** Identity and history of an object: the registry's to set, never the writer's. */
export interface Birth {
  readonly uid: string;
  readonly timestamp: string;
}

export function created<Spec, Status>(
  kind: Kind<Spec, Status>,
  wanted: DefaultedObject<Spec, Status>,
  { uid, timestamp }: Birth,
): StoredObject<Spec, Status> {
  if (wanted.metadata.resourceVersion !== undefined) {
    refuse(kind, wanted, 'metadata.resourceVersion', 'Forbidden', 'must not be set on an object to be created');
  }
  const metadata = metadataOf(wanted.metadata, { uid, generation: 1, creationTimestamp: timestamp });
  return checked(kind, { apiVersion: kind.apiVersion, kind: kind.kind, metadata, spec: wanted.spec });
}

/** Spec, labels, annotations, finalizers and owners are the writer's; everything else stays. */
export function updated<Spec, Status>(
  kind: Kind<Spec, Status>,
  stored: StoredObject<Spec, Status>,
  wanted: DefaultedObject<Spec, Status>,
): StoredObject<Spec, Status> {
  const before = stored.metadata;
  if (wanted.metadata.uid !== undefined && wanted.metadata.uid !== before.uid) {
    conflict(
      kind,
      before.name,
      `the uid is ${before.uid}, not ${wanted.metadata.uid}: this is another object of the same name`,
    );
  }
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
  // The stored spec in place of an equal one lets the comparison of the whole pass over it.
  const spec = deepEqual(stored.spec, wanted.spec) ? stored.spec : wanted.spec;
  const generation = spec === stored.spec ? before.generation : before.generation + 1;
  const metadata = metadataOf(wanted.metadata, { uid, generation, creationTimestamp, deletionTimestamp });
  const next = { apiVersion: stored.apiVersion, kind: stored.kind, metadata, spec, ...statusOf(stored) };
  return spec === stored.spec && deepEqual(next, stored) ? stored : checked(kind, next, stored);
}

/** Only the status changes, so a person's edit of the spec in between is never undone. */
export function withStatus<Spec, Status>(
  kind: Kind<Spec, Status>,
  stored: StoredObject<Spec, Status>,
  status: unknown,
): StoredObject<Spec, Status> {
  const { status: _, ...rest } = stored;
  // What the defaults complete is of the shape that validation, below, makes sure of.
  const complete = applyDefaults(kind.status, status) as Status | undefined;
  const next: StoredObject<Spec, Status> = complete === undefined ? rest : { ...rest, status: complete };
  if (deepEqual(next, stored)) return stored;
  const errors = kind.validate(next, stored);
  if (errors.length > 0) throw new ApiError('Invalid', { kind: kind.kind, name: next.metadata.name, errors });
  return next;
}

/** What a deletion leaves: nothing, or an object that waits for its finalizers. */
export function deleted<Spec, Status>(
  stored: StoredObject<Spec, Status>,
  timestamp: string,
): StoredObject<Spec, Status> | undefined {
  if (!hasFinalizers(stored)) return undefined;
  if (stored.metadata.deletionTimestamp !== undefined) return stored;
  return { ...stored, metadata: { ...stored.metadata, deletionTimestamp: timestamp } };
}

/** Whether an object was only waiting for its last finalizer to be removed. */
export function isFinished(object: StoredObject<unknown, unknown>): boolean {
  return object.metadata.deletionTimestamp !== undefined && !hasFinalizers(object);
}

/** An object as read, without what is not the writer's: what `patch` and `apply` work on. */
export function asInput<Spec, Status>(stored: StoredObject<Spec, Status>): ObjectInput<Spec, Status> {
  const { status: _, ...rest } = stored;
  return rest;
}

function hasFinalizers(object: StoredObject<unknown, unknown>): boolean {
  return (object.metadata.finalizers?.length ?? 0) > 0;
}

function statusOf<Status>({ status }: { readonly status?: Status }): { readonly status?: Status } {
  return status === undefined ? {} : { status };
}

/**
 * What a writer decides of the metadata, with the identity and history that the registry gives. Empty lists and maps
 * are left out, so that they equal absent ones.
 */
function metadataOf(wanted: DefaultedObject['metadata'], history: History): StoredMetadata {
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = wanted;
  const { uid, generation, creationTimestamp, deletionTimestamp } = history;
  // Field by field: this is on the path of every write, and spreading is several times slower.
  const metadata: Mutable<StoredMetadata> = { name, namespace, uid, generation, creationTimestamp };
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = deletionTimestamp;
  if (labels && !isEmpty(labels)) metadata.labels = labels;
  if (annotations && !isEmpty(annotations)) metadata.annotations = annotations;
  if (finalizers && finalizers.length > 0) metadata.finalizers = finalizers;
  if (ownerReferences && ownerReferences.length > 0) metadata.ownerReferences = ownerReferences;
  return metadata;
}

interface History {
  readonly uid: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string | undefined;
}

type StoredMetadata = StoredObject<unknown, unknown>['metadata'];
type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}

/** The writer's part has been checked for its shape already; here the whole answers to the rules of its kind. */
function checked<Spec, Status>(
  kind: Kind<Spec, Status>,
  next: StoredObject<Spec, Status>,
  stored?: StoredObject<Spec, Status>,
): StoredObject<Spec, Status> {
  const errors = kind.rules(next, stored);
  if (errors.length > 0) throw new ApiError('Invalid', { kind: kind.kind, name: next.metadata.name, errors });
  return next;
}

export function conflict(kind: { readonly kind: string }, name: string, reason: string): never {
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
