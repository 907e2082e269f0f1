/**
 * The contract of a registry: objects of several kinds, validated by the rules of the API, with ordered changes.
 * Informers, controllers, leader election, the event recorder and tools accept any implementation, and
 * `registry.suite.ts` tests all of them.
 *
 * - A resource version is an opaque string. Versions of one kind are compared for equality, or with `isNewer`.
 * - A key (`keyOf`) identifies an object among all kinds: `group/version/plural/namespace/name`.
 * - Failures are errors of the catalogue. After `Unavailable` or `Timeout` a write may or may not have happened; after
 *   any other error it has not. `Expired` means that a list or a watch cannot be continued: list again.
 * - A capability is a feature that only some registries have. Callers check for it and work without it.
 */
import type { FieldSelector } from '../api/field-selector.ts';
import type { JsonValue } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import type { KindSet } from '../api/kind-set.ts';
import type { ApiObject, ObjectInput } from '../api/object.ts';
import type { LabelSelector } from '../api/selector.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Random } from '../ports/random.ts';
import type { Store } from '../store/contract.ts';
import type { Place } from './keys.ts';
import type { PropagationPolicy } from './propagation.ts';

export interface Registry {
  readonly kinds: KindSet;
  readonly clock: Clock;
  readonly random: Random;
  readonly capabilities: Capabilities;
  /** The objects of one kind. Throws `BadRequest` for a kind that the registry was opened without. */
  resource<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
  ): Resource<Spec, Status, SpecInput, StatusInput>;
  /** The kind, namespace and name of a key. Returns undefined if it is not a key of a known kind. */
  locate(key: string): Place | undefined;
  /** Whether one version is newer than another one of the same kind. */
  isNewer(version: string, than: string): boolean;
  /**
   * Throws `Fenced` if this is a leader's registry and another leader has taken over; does nothing without a fence.
   * Call it before a side effect outside the registry, which cannot be cancelled once it has started.
   */
  checkFence(): Promise<void>;
  /** The same registry, with one more observer of the writes through it. */
  observedBy(observer: WriteObserver): Registry;
  close(): Promise<void>;
}

/** Undefined if this registry does not have the capability. */
export interface Capabilities {
  /** Rejects the writes of a former leader. Without it, only the timing of the lease separates two leaders. */
  readonly fencing: Fencing | undefined;
  /** Writes several objects in one commit. Without it, write them one after the other. */
  readonly multiKey: MultiKeyCommits | undefined;
  /** Reads objects as JSON text, without decoding them. Without it, read the objects and encode them. */
  readonly encoded: EncodedReads | undefined;
  /** Keeps its own history. Without it, the server decides how far lists and watches reach back. */
  readonly history: History | undefined;
  /** Deletes objects whose owners were deleted. Without it, the server does. */
  readonly garbage: GarbageCollection | undefined;
  /** The store below, to copy everything in it: backup, restore, migration. Without it, the server makes backups. */
  readonly storage: Store | undefined;
}

export interface Fencing {
  /**
   * Rejects further writes with an earlier epoch of this fence. With `holding`, only if that object (the lease that was
   * just acquired) is still at the given version; throws `Conflict` otherwise.
   */
  raiseFence(name: string, holding?: ApiObject<unknown, unknown>): Promise<Fence>;
  /** The same registry for a leader: its writes fail with `Fenced` once the fence is raised again. */
  fencedBy(fence: Fence): Registry;
}

/** The right to write, until the fence is raised again. */
export interface Fence {
  readonly name: string;
  /** Higher for each later leader. */
  readonly epoch: number;
}

export interface MultiKeyCommits {
  resource<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
  ): MultiKeyResource<Spec, Status, SpecInput, StatusInput>;
}

export interface MultiKeyResource<Spec, Status, SpecInput, StatusInput> {
  /**
   * Creates or updates several objects in one commit: all of them or none. `change` gets the newest version of each, or
   * undefined if it does not exist, and returns the object to store, or undefined to leave it unchanged. After a write
   * conflict it is called again for all of them. At most 127 objects.
   */
  changeAll(
    places: readonly ObjectPlace[],
    change: ObjectChange<ApiObject<Spec, Status>, ObjectInput<SpecInput, StatusInput>>,
  ): Promise<void>;
}

export type ObjectChange<Known, Wanted> = (place: ObjectPlace, known: Known | undefined) => Wanted | undefined;

export interface EncodedReads {
  resource(kind: Kind): EncodedResource;
}

/** The reads of `Resource`. An object is its JSON, with its `resourceVersion`. */
export interface EncodedResource {
  get(name: string, options?: Namespaced): Promise<string>;
  list(options?: ListOptions): Promise<EncodedList>;
  /** The JSON of an object that a write has just returned. Returns undefined if it is not known: encode the object. */
  written(object: ApiObject<unknown, unknown>): string | undefined;
}

export interface EncodedList extends Omit<ObjectList<unknown, unknown>, 'items'> {
  /**
   * The objects, separated by commas, as UTF-8 in pieces of any length. A list of many objects is a few large buffers, which
   * the allocator returns to the system, and not one small buffer for each object.
   */
  readonly items: readonly Uint8Array[];
}

export interface History {
  /** The newest version of the whole registry. */
  newest(): Promise<string>;
  /** Discards the history before a version. Throws `BadRequest` for a version that does not exist yet. */
  compact(version: string): Promise<void>;
}

export interface GarbageCollection {
  /** Collects until the signal aborts. Throws if the store cannot be read. */
  collect(options: GarbageOptions): Promise<void>;
  /** Checks every object once. Returns the number of deleted objects. */
  sweep(log?: Log): Promise<number>;
}

export interface GarbageOptions {
  readonly signal: AbortSignal;
  /** Interval between checks of all objects, in case a stale read hid an orphan. Default 20 minutes. */
  readonly sweepMs?: number;
  readonly log?: Log;
}

export interface WriteObserver {
  /** A commit wrote these keys, at this version. `object` is given if it is one object, and known to the registry. */
  written?(version: string, keys: readonly string[], object?: ApiObject<unknown, unknown>): void;
  /** A commit failed with an error. A write conflict is not a failure. */
  failed?(error: unknown): void;
}

export interface Resource<Spec, Status, SpecInput = Spec, StatusInput = Status> {
  readonly kind: Kind<Spec, Status, SpecInput, StatusInput>;
  /** Throws `NotFound`. */
  get(name: string, options?: Namespaced): Promise<ApiObject<Spec, Status>>;
  list(options?: ListOptions): Promise<ObjectList<Spec, Status>>;
  /** Like `list`, but keys and versions only: no object is read. */
  versions(options?: VersionOptions): Promise<VersionPage>;
  /** Every change after a version. Throws `Expired` if it cannot continue without a gap: list again. */
  watch(options: WatchSelection): AsyncIterable<EventBatch<Spec, Status>>;
  /** Like `watch`, but keys and versions only: no object is read. */
  watchVersions(options: VersionWatchOptions): AsyncIterable<VersionBatch>;
  /** Throws `AlreadyExists`, `Invalid`. */
  create(object: ObjectInput<SpecInput, StatusInput>, options?: WriteOptions): Promise<ApiObject<Spec, Status>>;
  /**
   * Replaces spec, labels, annotations, finalizers and owners. Needs the `resourceVersion` that was read; throws
   * `Conflict` if the object has changed since. An update without a difference is not written.
   */
  update(
    object: ObjectInput<SpecInput, StatusInput>,
    options?: UpdateOptions<ApiObject<Spec, Status>>,
  ): Promise<ApiObject<Spec, Status>>;
  /**
   * Replaces only the status, of the newest version. Throws `Conflict` if the object has another uid than the one given,
   * or another version than the `resourceVersion` of the options.
   */
  updateStatus(
    update: StatusUpdate<Status | StatusInput>,
    options?: StatusOptions<ApiObject<Spec, Status>>,
  ): Promise<ApiObject<Spec, Status>>;
  /** Applies a JSON merge patch to the newest version, or to the version of a precondition. Ignores the status. */
  patch(
    name: string,
    patch: JsonValue,
    options?: Namespaced & Precondition & UpdateOptions<ApiObject<Spec, Status>>,
  ): Promise<ApiObject<Spec, Status>>;
  /**
   * Server-side apply by a manager, `ecsm` by default: creates the object, or merges into it and removes what the manager
   * applied before and no manager owns now. Throws `Conflict` with `causes` for fields of others. The status is applied only
   * with `subresource`.
   */
  apply(object: ObjectInput<SpecInput, StatusInput>, options?: ApplyOptions): Promise<Applied<Spec, Status>>;
  /**
   * Deletes the object, or sets its deletion timestamp if it has finalizers, including that of the policy for dependents.
   * Returns the object as it was deleted or marked; undefined if it did not exist, which is not an error.
   */
  delete(name: string, options?: DeleteOptions): Promise<ApiObject<Spec, Status> | undefined>;
}

export interface Namespaced {
  /** Default `default`. */
  readonly namespace?: string;
}

/** The address of an object that may or may not exist. */
export interface ObjectPlace {
  readonly name: string;
  readonly namespace: string;
}

export interface Selection {
  /** Only this namespace. Default: all. */
  readonly namespace?: string;
  /** `app=web,tier in (a,b),!old` */
  readonly labelSelector?: string | LabelSelector;
  /** `metadata.name=web,status.phase!=Ready` */
  readonly fieldSelector?: string | FieldSelector;
}

interface Paging {
  /** Maximum number of objects in a page. Default: all of them. */
  readonly limit?: number;
  /** The `continue` of the previous page; the other options must be the same. */
  readonly continue?: string | undefined;
}

export interface ListOptions extends Selection, Paging {
  /** As of exactly this version. Throws `Expired` if its history is gone. Default: the newest; not with `continue`. */
  readonly resourceVersion?: string;
}

export interface ObjectList<Spec, Status> {
  readonly items: readonly ApiObject<Spec, Status>[];
  /** All pages of a list are as of this version; a watch after it misses nothing. */
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly problems: readonly Problem[];
}

/** A record that cannot be read. The others are listed. */
export interface Problem {
  readonly key: string;
  readonly reason: string;
}

export interface VersionOptions extends Paging {
  /** Only this namespace. Default: all. */
  readonly namespace?: string;
  /** Only names that start with this; needs a namespace. */
  readonly namePrefix?: string;
}

/** Version strings are created on demand: a page of 100,000 objects is its keys and two flat arrays. */
export interface VersionPage {
  readonly keys: readonly string[];
  /** The version of the object at this index of `keys`. */
  version(index: number): string;
  /** See `VersionChange`. */
  identity(index: number): string;
  /** As in a list. */
  readonly resourceVersion: string;
  readonly continue?: string;
}

export interface VersionWatchOptions {
  /** Only this namespace. Default: all. */
  readonly namespace?: string;
  /** Deliver every change after this version: that of a list, or of the last batch received. */
  readonly resourceVersion: string;
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal;
}

export interface WatchSelection extends VersionWatchOptions, Selection {
  /**
   * Also deliver batches without events, as the version advances. Not every registry does. Default: false; batches
   * without events may be delivered nevertheless.
   */
  readonly progress?: boolean;
}

export type WatchEvent<Spec, Status> =
  /** With a selector, an object that starts to match is Added and one that ceases to match is Deleted. */
  | { readonly type: 'Added' | 'Modified' | 'Deleted'; readonly object: ApiObject<Spec, Status> }
  /** A change whose record cannot be read. */
  | { readonly type: 'Problem'; readonly key: string; readonly reason: string };

/** The events of one commit; empty if only the version has advanced. */
export interface EventBatch<Spec, Status> {
  /** Resume after this version. */
  readonly resourceVersion: string;
  readonly events: readonly WatchEvent<Spec, Status>[];
}

export type VersionChange =
  | {
      readonly type: 'put';
      readonly key: string;
      /** Opaque and short. Another object of the same name has another one. */
      readonly identity: string;
    }
  | { readonly type: 'delete'; readonly key: string };

/** Like `EventBatch`. The version of the batch is that of every object in it. */
export interface VersionBatch {
  readonly resourceVersion: string;
  readonly changes: readonly VersionChange[];
}

export interface WriteOptions {
  /** Validate, but do not write. Returns the object that would have been stored. */
  readonly dryRun?: boolean;
  /** Recorded in `managedFields`. Default: that of the registry if the object has managers, and none for a status. */
  readonly manager?: string;
}

/** A write of a user who may not see the secrets of an object: those that the schema of the kind marks. */
export interface UnseenSecrets {
  /**
   * The caller was shown the object without its secrets. Secrets that are absent keep their stored values, of an apply those
   * that the manager owns; null removes one. Those that are present count as changed even if they have the stored values:
   * the result does not tell. A registry over another server leaves this to the server. Default: false.
   */
  readonly withoutSecrets?: boolean;
}

export interface UpdateOptions<Known> extends WriteOptions, UnseenSecrets {
  /**
   * The object as a read or a write returned it, unchanged. With it, a registry need not read the object again to find the
   * differences, unless it has changed since.
   */
  readonly known?: Known;
}

export interface StatusOptions<Known> extends UpdateOptions<Known>, Pick<Precondition, 'resourceVersion'> {
  /**
   * Also adds this finalizer, unless the object has it: in the same commit, or before the status if the registry cannot
   * write both at once. Throws `Conflict` if the object is being deleted.
   */
  readonly finalizer?: string;
}

export interface ApplyOptions extends WriteOptions, Precondition, UnseenSecrets {
  /** Take over fields that other managers own. Default: they are a `Conflict`. */
  readonly force?: boolean;
  /** Apply only the status, of an object that exists. Default: everything but the status. */
  readonly subresource?: 'status';
}

export interface Precondition {
  /** Only if the object has this uid: not another object of the same name. */
  readonly uid?: string;
  /** Only if the object has not changed since this version. */
  readonly resourceVersion?: string;
}

export interface DeleteOptions extends Namespaced, Precondition, WriteOptions {
  /** What happens to dependents. Default `Background`; an embedded registry keeps the policy of an earlier deletion. */
  readonly propagationPolicy?: PropagationPolicy;
}

/** The input of `updateStatus`. An object as read is valid. */
export interface StatusUpdate<Status> {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
  readonly status?: Status;
}

export interface Applied<Spec, Status> {
  readonly outcome: 'created' | 'configured' | 'unchanged';
  readonly object: ApiObject<Spec, Status>;
}
