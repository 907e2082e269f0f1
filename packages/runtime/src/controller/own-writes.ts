/**
 * A registry whose reads are not older than the writes that went through it. A server may answer a read from a cache that
 * is behind: a decision on it would repeat or undo what this process has just done.
 */
import { ApiError, isApiError } from '../api/errors.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { ListOptions, Namespaced, Registry, Resource, WriteObserver } from '../registry/contract.ts';
import { keyOf, prefixOf } from '../registry/keys.ts';

/** Keys whose last write is remembered, and prefixes of kinds with their newest write. */
const writesMax = 1_024;
/** After this time a read that is older is that of a restored store, and not of a cache that is behind. */
const staleMsMax = 60_000;

/** `get` and `list` of the newest version throw `Unavailable` for a stale read, which a controller retries. */
export function currentReads(registry: Registry): Registry {
  return wrap(registry, new OwnWrites(registry));
}

class OwnWrites implements WriteObserver {
  readonly #registry: Registry;
  /** By key, and by the prefix of a kind. */
  readonly #newest = new BoundedMap<string, { readonly version: string; readonly atMs: number }>(writesMax);

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  written(version: string, keys: readonly string[]): void {
    for (const key of keys) {
      this.#remember(key, version);
      const place = this.#registry.locate(key);
      if (place) this.#remember(prefixOf(place.kind), version);
    }
  }

  /** The version of the newest write below a key or prefix, unless a read that is older would not be a late one. */
  newest(written: string): string | undefined {
    const newest = this.#newest.get(written);
    if (newest === undefined) return undefined;
    return this.#registry.clock.monotonicMs() - newest.atMs < staleMsMax ? newest.version : undefined;
  }

  /** Throws `Unavailable` if what was read at a version does not contain the newest write below a key or prefix. */
  check(written: string, what: string, version: string): void {
    const newest = this.newest(written);
    if (newest === undefined || !this.#registry.isNewer(newest, version)) return;
    const reason = `stale read: older than version ${newest}, which this process has written`;
    throw new ApiError('Unavailable', { what, reason });
  }

  /** Concurrent writes may be reported in another order. */
  #remember(written: string, version: string): void {
    const newest = this.newest(written);
    if (newest !== undefined && !this.#registry.isNewer(version, newest)) return;
    this.#newest.set(written, { version, atMs: this.#registry.clock.monotonicMs() });
  }
}

function wrap(registry: Registry, writes: OwnWrites, observed = registry.observedBy(writes)): Registry {
  return {
    kinds: observed.kinds,
    clock: observed.clock,
    random: observed.random,
    capabilities: observed.capabilities,
    resource: (kind) => currentResource(observed.resource(kind), writes),
    locate: (key) => observed.locate(key),
    isNewer: (version, than) => observed.isNewer(version, than),
    checkFence: () => observed.checkFence(),
    observedBy: (observer) => wrap(registry, writes, observed.observedBy(observer)),
    close: () => observed.close(),
  };
}

function currentResource<Spec, Status, SpecInput, StatusInput>(
  resource: Resource<Spec, Status, SpecInput, StatusInput>,
  writes: OwnWrites,
): Resource<Spec, Status, SpecInput, StatusInput> {
  const { kind } = resource;
  return {
    kind,
    async get(name: string, options: Namespaced = {}) {
      const { namespace = NAMESPACE_DEFAULT } = options;
      const key = keyOf(kind, namespace, name);
      try {
        const object = await resource.get(name, options);
        writes.check(key, key, object.metadata.resourceVersion);
        return object;
      } catch (error) {
        if (!isApiError(error, 'NotFound') || writes.newest(key) === undefined) throw error;
        // Absence has no version, except in a list.
        const fieldSelector = `metadata.name=${name}`;
        const { items, resourceVersion } = await resource.list({ namespace, fieldSelector });
        writes.check(key, key, resourceVersion);
        if (items[0] === undefined) throw error;
        return items[0];
      }
    },
    async list(options: ListOptions = {}) {
      const list = await resource.list(options);
      const isNewest = options.resourceVersion === undefined && options.continue === undefined;
      if (isNewest) writes.check(prefixOf(kind), `the list of ${kind.plural}`, list.resourceVersion);
      return list;
    },
    versions: resource.versions.bind(resource),
    watch: resource.watch.bind(resource),
    watchVersions: resource.watchVersions.bind(resource),
    create: resource.create.bind(resource),
    update: resource.update.bind(resource),
    updateStatus: resource.updateStatus.bind(resource),
    patch: resource.patch.bind(resource),
    apply: resource.apply.bind(resource),
    delete: resource.delete.bind(resource),
  };
}
