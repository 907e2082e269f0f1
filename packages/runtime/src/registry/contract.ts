/**
 * What every registry promises: objects of several kinds, by the rules of the API, with every change in order.
 * Informers, controllers, leader election, the event recorder and tools accept any registry of this contract, and
 * `registry.suite.ts` tests all implementations.
 *
 * - A resource version is an opaque string. Versions of one kind are compared for equality, or with `isNewer`.
 * - A key (`keyOf`) names an object among all kinds: `group/version/plural/namespace/name`.
 * - Failures are errors of the catalogue. After `Unavailable` or `Timeout` a write may or may not have happened; after
 *   any other error it has not. `Expired` means that a list or a watch cannot be continued: list again.
 * - What only some registries can do is a capability, which callers ask for and have to do without.
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
import type { Place } from './keys.ts';

export interface Registry {
  readonly kinds: KindSet;
  readonly clock: Clock;
  readonly random: Random;
  readonly capabilities: Capabilities;
  /** The objects of one kind. Throws `BadRequest` for a kind that the registry was opened without. */
  resource<Spec, Status, SpecInput, StatusInput>(
    kind: Kind<Spec, Status, SpecInput, StatusInput>,
  ): Resource<Spec, Status, SpecInput, StatusInput>;
  /** The kind, namespace and name that a key stands for; undefined if it is not a key of a known kind. */
  locate(key: string): Place | undefined;
  /** Whether one version is newer than another one of the same kind. */
  isNewer(version: string, than: string): boolean;
  /**
   * Throws `Fenced` if this is the registry of a leader and another one has taken over; does nothing without a fence.
   * Call it before an effect outside the registry: one that has been started cannot be cancelled.
   */
  checkFence(): Promise<void>;
  /** The same registry, with an observer of what is written through it. Observers add up. */
  observedBy(observer: WriteObserver): Registry;
  close(): Promise<void>;
}

/** Undefined: this registry cannot do it. */
export interface Capabilities {
  /** Refuses the writes of a former leader. Without it, leaders are only kept apart by the times of their lease. */
  readonly fencing: Fencing | undefined;
  /** Writes several objects in one commit. Without it, write them one after the other. */
  readonly multiKey: MultiKeyCommits | undefined;
  /** Keeps its history itself. Without it, the server decides how far lists and watches reach back. */
  readonly history: History | undefined;
  /** Deletes objects whose owners are gone. Without it, the server does so. */
  readonly garbage: GarbageCollection | undefined;
}

export interface Fencing {
  /**
   * Shuts out every holder of an earlier epoch of this fence. With `holding`, only while that object (the lease that was
   * just acquired) is still at the version given; throws `Conflict` otherwise.
   */
  raiseFence(name: string, holding?: ApiObject<unknown, unknown>): Promise<Fence>;
  /** The same registry for a leader: its writes fail with `Fenced` once the fence is raised again. */
  fencedBy(fence: Fence): Registry;
}

/** The right to write, until the fence is raised again. */
export interface Fence {
  readonly name: string;
  /** A later leader has a higher one. */
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
   * undefined if there is none, and returns what to store, or undefined to leave it as it is. It is called again for all
   * of them when another writer was faster. At most 127 objects.
   */
  changeAll(
    places: readonly ObjectPlace[],
    change: ObjectChange<ApiObject<Spec, Status>, ObjectInput<SpecInput, StatusInput>>,
  ): Promise<void>;
}

export type ObjectChange<Known, Wanted> = (place: ObjectPlace, known: Known | undefined) => Wanted | undefined;

export interface History {
  /** The newest version of the whole registry. */
  newest(): Promise<string>;
  /** Forgets history before a version. Throws `BadRequest` for a version that does not exist yet. */
  compact(version: string): Promise<void>;
}

export interface GarbageCollection {
  /** Collects until the signal aborts. Ends with the error of a store that cannot be read. */
  collect(options: GarbageOptions): Promise<void>;
  /** Looks at every object once. Returns how many it deleted. */
  sweep(log?: Log): Promise<number>;
}

export interface GarbageOptions {
  readonly signal: AbortSignal;
  /** How often to look at everything again, in case a stale read hid an orphan. Default 20 minutes. */
  readonly sweepMs?: number;
  readonly log?: Log;
}

export interface WriteObserver {
  /** A commit changed something: its version, and the keys that were written. */
  written?(version: string, keys: readonly string[]): void;
  /** A commit failed with an error. One that lost against another writer has not failed. */
  failed?(error: unknown): void;
}

export interface Resource<Spec, Status, SpecInput = Spec, StatusInput = Status> {
  readonly kind: Kind<Spec, Status, SpecInput, StatusInput>;
  /** Throws `NotFound`. */
  get(name: string, options?: Namespaced): Promise<ApiObject<Spec, Status>>;
  list(options?: ListOptions): Promise<ObjectList<Spec, Status>>;
  /** As `list`, of keys and versions only: no object is read. */
  versions(options?: VersionOptions): Promise<VersionPage>;
  /** Every change after a version. Throws `Expired` when it cannot go on without a gap: list again. */
  watch(options: WatchSelection): AsyncIterable<EventBatch<Spec, Status>>;
  /** As `watch`, of keys and versions only: no object is read. */
  watchVersions(options: VersionWatchOptions): AsyncIterable<VersionBatch>;
  /** Throws `AlreadyExists`, `Invalid`. */
  create(object: ObjectInput<SpecInput, StatusInput>, options?: WriteOptions): Promise<ApiObject<Spec, Status>>;
  /**
   * Replaces spec, labels, annotations, finalizers and owners. Needs the `resourceVersion` that was read before; throws
   * `Conflict` if the object has changed since. A change that changes nothing is not written.
   */
  update(object: ObjectInput<SpecInput, StatusInput>, options?: WriteOptions): Promise<ApiObject<Spec, Status>>;
  /**
   * Replaces the status of the newest object and nothing else. With a uid, only of that very object; with a
   * `resourceVersion`, only if it is unchanged since. Throws `Conflict` otherwise.
   */
  updateStatus(
    update: StatusUpdate<Status | StatusInput>,
    options?: WriteOptions & Pick<Precondition, 'resourceVersion'>,
  ): Promise<ApiObject<Spec, Status>>;
  /** A JSON merge patch on the newest object, or on the one named by a precondition. It cannot touch the status. */
  patch(
    name: string,
    patch: JsonValue,
    options?: Namespaced & Precondition & WriteOptions,
  ): Promise<ApiObject<Spec, Status>>;
  /** Creates the object, or merges it into the live one. */
  apply(object: ObjectInput<SpecInput, StatusInput>, options?: WriteOptions): Promise<Applied<Spec, Status>>;
  /**
   * Deletes the object, or marks it for deletion if it has finalizers. Returns the object as it was, or as it now waits;
   * undefined if there was none, which is no error.
   */
  delete(
    name: string,
    options?: Namespaced & Precondition & WriteOptions,
  ): Promise<ApiObject<Spec, Status> | undefined>;
}

export interface Namespaced {
  /** Default `default`. */
  readonly namespace?: string;
}

/** Where an object is, or would be. */
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
  /** The most objects a page may have. Default: all of them. */
  readonly limit?: number;
  /** The `continue` of the page before; the rest of the options must be the same. */
  readonly continue?: string;
}

export interface ListOptions extends Selection, Paging {}

export interface ObjectList<Spec, Status> {
  readonly items: readonly ApiObject<Spec, Status>[];
  /** All pages of a list are as of this version; a watch after it misses nothing. */
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly problems: readonly Problem[];
}

/** A record that cannot be read. It hides nothing else. */
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

/** Strings are made when they are asked for, so that a page of a hundred thousand is its keys and two flat arrays. */
export interface VersionPage {
  readonly keys: readonly string[];
  /** The version of the object at this index of `keys`. */
  version(index: number): string;
  /** See `VersionChange`. */
  identity(index: number): string;
  /** As of a list. */
  readonly resourceVersion: string;
  readonly continue?: string;
}

export interface VersionWatchOptions {
  /** Only this namespace. Default: all. */
  readonly namespace?: string;
  /** Deliver everything after this version: that of a list, or of the last batch seen. */
  readonly resourceVersion: string;
  /** Ends the watch quietly. */
  readonly signal?: AbortSignal;
}

export interface WatchSelection extends VersionWatchOptions, Selection {}

export type WatchEvent<Spec, Status> =
  /** With a selector, an object that starts to match is Added and one that ceases to match is Deleted. */
  | { readonly type: 'Added' | 'Modified' | 'Deleted'; readonly object: ApiObject<Spec, Status> }
  /** A change whose record cannot be read. */
  | { readonly type: 'Problem'; readonly key: string; readonly reason: string };

/** Events that happened together; none if only the version has advanced. */
export interface EventBatch<Spec, Status> {
  /** Resume after this version. */
  readonly resourceVersion: string;
  readonly events: readonly WatchEvent<Spec, Status>[];
}

export type VersionChange =
  | {
      readonly type: 'put';
      readonly key: string;
      /** Opaque, short, and different for another object of the same name: made from its uid, or when it was created. */
      readonly identity: string;
    }
  | { readonly type: 'delete'; readonly key: string };

/** As `EventBatch`. The version of the batch is that of every object in it. */
export interface VersionBatch {
  readonly resourceVersion: string;
  readonly changes: readonly VersionChange[];
}

export interface WriteOptions {
  /** Do everything but write. Returns what would have been stored. */
  readonly dryRun?: boolean;
}

export interface Precondition {
  /** Only if it is this very object, not another of the same name. */
  readonly uid?: string;
  /** Only if it is unchanged since. */
  readonly resourceVersion?: string;
}

/** What `updateStatus` needs to know. An object as read fits. */
export interface StatusUpdate<Status> {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
  readonly status?: Status;
}

export interface Applied<Spec, Status> {
  readonly outcome: 'created' | 'configured' | 'unchanged';
  readonly object: ApiObject<Spec, Status>;
}
