/** Where a controller's keys come from: changes of its own kind, and of other kinds mapped to its own. */
import { ApiError, isApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';
import type { Change } from '../informer/versions.ts';
import type { Registry } from '../registry/contract.ts';
import { keyOf } from '../registry/keys.ts';
import { Digests, type Predicate } from './predicate.ts';

export interface ObjectName {
  readonly namespace?: string;
  readonly name: string;
}

/** A kind that a controller watches besides its own. */
export interface Watch {
  readonly kind: Kind;
  /**
   * Which objects of the controller's kind an object concerns. It is asked about every version that is seen; when one is
   * gone, or concerns others now, those it concerned before are woken too.
   */
  readonly map: (object: ApiObject<unknown, unknown>) => readonly ObjectName[];
  readonly predicates?: readonly Predicate[];
}

/** Wakes the owner of what changed: the one reference that is marked as controller, of the given kind. */
export function ownedBy(kind: Kind): Watch['map'] {
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((owner) => owner.controller === true && owner.kind === kind.kind && owner.apiVersion === kind.apiVersion)
      .map(({ name }) => ({ name, namespace: metadata.namespace }));
}

export interface Wake {
  readonly key: string;
  readonly reason: string;
  /** There before anybody looked: less urgent than what happens now. */
  readonly initial: boolean;
  /** The version that woke it, if it is of the key itself. */
  readonly version?: string;
}

/**
 * A predicate or a map function threw. That is a bug in the controller's own code: the same change would fail again, so
 * it is not worth a retry.
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

/** Turns changes of one watched kind into keys to wake. One change after another, in order. */
export class Source {
  readonly #registry: Registry;
  readonly #kind: Kind;
  readonly #own: Kind;
  readonly #map: Watch['map'] | undefined;
  readonly #digests: Digests | undefined;
  readonly #seen: (key: string) => string | undefined;
  /** For mapped kinds: whom an object concerned when it was last read. Only of those that concern somebody. */
  readonly #concerned = new Map<string, readonly string[]>();

  /** Without `map`, the kind is the controller's own. `seen` is what the informer of the kind knows of a key. */
  constructor(
    registry: Registry,
    own: Kind,
    { kind, map, predicates = [] }: Omit<Watch, 'map'> & Partial<Watch>,
    seen: (key: string) => string | undefined,
  ) {
    this.#registry = registry;
    this.#seen = seen;
    this.#own = own;
    this.#kind = kind;
    this.#map = map;
    this.#digests = predicates.length === 0 ? undefined : new Digests(predicates);
  }

  /** Throws `WatchPanic` if a predicate or the map function throws; any other error may pass. */
  async wakes(change: Change): Promise<readonly Wake[]> {
    const { key, initial, version, type } = change;
    if (!this.#map && !this.#digests) return [{ key, reason: type, initial, version }];
    const object = type === 'deleted' ? undefined : await this.#read(key, version);
    if (object && !this.#guarded(() => this.#digests?.changed(key, object, version) ?? true)) return [];
    if (!object) this.#digests?.forget(key);
    if (!this.#map) return [{ key, reason: type, initial, version }];
    const map = this.#map;
    const concerned = object ? this.#guarded(() => this.#keysOf(map(object))) : [];
    const before = this.#concerned.get(key) ?? [];
    if (concerned.length > 0) this.#concerned.set(key, concerned);
    else this.#concerned.delete(key);
    const reason = `${this.#kind.kind} ${key.split('/').at(-1)} ${type}`;
    return [...new Set([...before, ...concerned])].map((woken) => ({ key: woken, reason, initial }));
  }

  /** Calls code of the controller's author. */
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

  /** The object as of a version or later. Throws `Unavailable` if the store answers with something older. */
  async #read(key: string, version: string): Promise<ApiObject<unknown, unknown> | undefined> {
    const place = this.#registry.locate(key);
    if (!place) return undefined;
    try {
      const object = await this.#registry.resource(place.kind).get(place.name, { namespace: place.namespace });
      if (!this.#registry.isNewer(version, object.metadata.resourceVersion)) return object;
    } catch (error) {
      if (isApiError(error, 'Corrupt')) return undefined;
      if (!isApiError(error, 'NotFound')) throw error;
      // Deleted since, if the informer knows of it too. Else one of them is behind, and we cannot tell which.
      if (this.#seen(key) === undefined) return undefined;
    }
    throw new ApiError('Unavailable', { what: key, reason: `the store answers with less than revision ${version}` });
  }
}
