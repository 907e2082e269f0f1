/** The keys that changes enqueue: changes of the controller's own kind, and of other kinds mapped to its own. */
import { ApiError, isApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { NAMESPACE_DEFAULT, type OwnerReference } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';
import type { Informer } from '../informer/informer.ts';
import type { Change } from '../informer/versions.ts';
import type { Registry } from '../registry/contract.ts';
import { keyOf } from '../registry/keys.ts';
import { Digests, type Predicate } from './predicate.ts';

export interface ObjectName {
  readonly namespace?: string;
  readonly name: string;
}

/**
 * Returns the objects of the controller's kind to enqueue for an object. It is called for every observed version. After a
 * deletion or a change of the result, the objects of the previous result are enqueued, too.
 */
export type MapObject = (object: ApiObject<unknown, unknown>) => readonly ObjectName[];

/**
 * Returns the objects of the controller's kind to enqueue for an object, which is not read: only its name is known. It is
 * called for every observed version and for a deletion. Objects that the controller has not observed are not enqueued, so
 * the result may be a guess.
 */
export type MapName = (name: ObjectName) => readonly ObjectName[];

/** A kind that a controller watches besides its own. `reason` begins the reason of the keys that it enqueues. */
export type Watch = { readonly kind: Kind; readonly reason?: string } & (
  | { readonly map: MapObject; readonly mapName?: never; readonly predicates?: readonly Predicate[] }
  | { readonly mapName: MapName; readonly map?: never; readonly predicates?: never }
);

/** The controller's own kind: a change enqueues the key of the object. */
export interface OwnWatch {
  readonly kind: Kind;
  readonly reason?: string;
  readonly map?: never;
  readonly mapName?: never;
  /** A change of one of them enqueues the key. Default: every change. */
  readonly predicates?: readonly Predicate[];
}

/** A watch whose `map` receives objects with the types of the watched kind. */
export function watchOf<Spec, Status, SpecInput, StatusInput>(
  kind: Kind<Spec, Status, SpecInput, StatusInput>,
  map: (object: ApiObject<Spec, Status>) => readonly ObjectName[],
): Watch {
  // The objects that a watch maps were read as objects of its kind.
  return { kind, map: (object) => map(object as ApiObject<Spec, Status>) };
}

/**
 * The reference of a dependent object to its owner that is marked as controller: an object can have one such owner. Garbage
 * collection deletes the dependent with its owner, and `ownedBy` maps its changes to the owner.
 */
export function controllerReference(
  owner: Pick<ApiObject<unknown, unknown>, 'apiVersion' | 'kind' | 'metadata'>,
): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
}

/** Enqueues the owner of the changed object: the reference of the given kind that is marked as controller. */
export function ownedBy(kind: Kind): MapObject {
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((owner) => owner.controller === true && owner.kind === kind.kind && owner.apiVersion === kind.apiVersion)
      .map(({ name }) => ({ name, namespace: metadata.namespace }));
}

export interface EnqueueRequest {
  readonly key: string;
  readonly reason: string;
  /** From the first list: less urgent than a change. */
  readonly initial: boolean;
  /** The version of the change, if it is a change of the key's own object. */
  readonly version?: string;
}

/**
 * A predicate or a map function threw. That is a bug in the controller's code: the same change would fail again, so it is
 * not retried.
 */
export class WatchPanic extends Error {
  /** The kind that is watched. */
  readonly source: string;

  constructor(source: string, cause: unknown) {
    super(`a predicate or map function for ${source} threw`, { cause });
    this.name = 'WatchPanic';
    this.source = source;
  }
}

/** What a source needs of the informer of its kind. */
export type SourceInformer = Pick<Informer, 'versionOf' | 'reads'>;

/** Turns changes of one watched kind into keys to enqueue. To be called with one change at a time, in order. */
export class Source {
  readonly #registry: Registry;
  readonly #kind: Kind;
  readonly #own: Kind;
  readonly #map: MapObject | undefined;
  readonly #mapName: MapName | undefined;
  readonly #reason: string;
  readonly #digests: Digests | undefined;
  readonly #informer: SourceInformer;
  readonly #exists: (key: string) => boolean;
  /** For mapped kinds: the last result of `map` for each object, unless it was empty. */
  readonly #mapped = new Map<string, readonly string[]>();

  /** `exists`: whether a key of the controller's own kind was observed. */
  constructor(
    registry: Registry,
    own: Kind,
    { kind, map, mapName, predicates = [], reason }: Watch | OwnWatch,
    informer: SourceInformer,
    exists: (key: string) => boolean = () => true,
  ) {
    this.#registry = registry;
    this.#informer = informer;
    this.#own = own;
    this.#kind = kind;
    this.#map = map;
    this.#mapName = mapName;
    this.#reason = reason === undefined ? '' : `${reason}: `;
    this.#exists = exists;
    this.#digests = predicates.length === 0 ? undefined : new Digests(predicates);
  }

  /** Throws `WatchPanic` if a predicate or the map function throws. Other errors are worth a retry. */
  async requests(change: Change): Promise<readonly EnqueueRequest[]> {
    const { key, initial, version, type } = change;
    const own = `${this.#reason}${type}`;
    const reason = `${this.#reason}${this.#kind.kind} ${key.split('/').at(-1)} ${type}`;
    if (this.#mapName) return this.#guess(key, this.#mapName).map((mapped) => ({ key: mapped, reason, initial }));
    if (!this.#map && !this.#digests) return [{ key, reason: own, initial, version }];
    const object = type === 'deleted' ? undefined : await this.#read(key, version);
    if (object && !this.#guarded(() => this.#digests?.changed(key, object, version) ?? true)) return [];
    if (!object) this.#digests?.forget(key);
    if (!this.#map) return [{ key, reason: own, initial, version }];
    const map = this.#map;
    const now = object ? this.#guarded(() => this.#keysOf(map(object))) : [];
    const before = this.#mapped.get(key) ?? [];
    if (now.length > 0) this.#mapped.set(key, now);
    else this.#mapped.delete(key);
    return [...new Set([...before, ...now])].map((mapped) => ({ key: mapped, reason, initial }));
  }

  #guess(key: string, mapName: MapName): readonly string[] {
    const place = this.#registry.locate(key);
    if (!place) return [];
    return this.#guarded(() => this.#keysOf(mapName(place))).filter((mapped) => this.#exists(mapped));
  }

  /** Calls a predicate or a map function. */
  #guarded<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw new WatchPanic(this.#kind.kind, error);
    }
  }

  #keysOf(names: readonly ObjectName[]): string[] {
    return names.map(({ namespace = NAMESPACE_DEFAULT, name }) => keyOf(this.#own, namespace, name));
  }

  /** The object at a version or later, or at that of a restored registry. Throws `Unavailable` after a stale read. */
  async #read(key: string, version: string): Promise<ApiObject<unknown, unknown> | undefined> {
    const place = this.#registry.locate(key);
    if (!place) return undefined;
    try {
      const { kind, name, namespace } = place;
      const object = await this.#informer.reads.read(key, version, () =>
        this.#registry.resource(kind).get(name, { namespace }),
      );
      // The informer has an older version than the change only if it has listed a restored registry since.
      const known = this.#informer.versionOf(key) ?? version;
      const oldest = this.#registry.isNewer(version, known) ? known : version;
      if (!this.#registry.isNewer(oldest, object.metadata.resourceVersion)) return object;
    } catch (error) {
      if (isApiError(error, 'Corrupt')) return undefined;
      if (!isApiError(error, 'NotFound')) throw error;
      // Deleted since, if the informer agrees. Otherwise one of them is behind, and it is unknown which.
      if (this.#informer.versionOf(key) === undefined) return undefined;
    }
    throw new ApiError('Unavailable', { what: key, reason: `stale read: older than version ${version}` });
  }
}
