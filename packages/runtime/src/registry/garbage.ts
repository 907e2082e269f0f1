/**
 * Deletes objects whose owners were all deleted. Any number of processes may run it concurrently: it reads an object
 * again before it deletes it, and deletes only that version.
 *
 * It keeps, for each owner, the keys of its dependents, and nothing about objects without an owner.
 */
import { isApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import type { OwnerReference } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';
import { type Log, silentLog } from '../ports/log.ts';
import type { Change, Revision } from '../store/contract.ts';
import { decode } from './codec.ts';
import type { GarbageOptions, ObjectList, Registry } from './contract.ts';
import type { EmbeddedRegistry } from './embedded.ts';
import { keyOf } from './keys.ts';

type AnyObject = ApiObject<unknown, unknown>;

/** Collects until the signal aborts. If the server of a registry collects, it only waits for the signal. */
export async function collectGarbage(registry: Registry, options: GarbageOptions): Promise<void> {
  const { garbage } = registry.capabilities;
  if (garbage) return garbage.collect(options);
  const { signal } = options;
  if (!signal.aborted) await new Promise((end) => signal.addEventListener('abort', end, { once: true }));
}

/** Checks every object once. Returns the number of deleted objects. */
export async function sweepGarbage(registry: Registry, log?: Log): Promise<number> {
  return registry.capabilities.garbage?.sweep(log) ?? 0;
}

export async function collect(registry: EmbeddedRegistry, options: GarbageOptions): Promise<void> {
  const { signal, sweepMs = sweepMsDefault, log = silentLog } = options;
  while (!signal.aborted) {
    const collector = new Collector(registry, log);
    const after = await registry.revision();
    await collector.sweep();
    const round = new AbortController();
    const end = () => round.abort('next sweep');
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const cancel = registry.clock.after(sweepMs, end);
    try {
      await collector.follow(after, round.signal);
    } catch (error) {
      // The history was compacted past our position: sweep again.
      if (!isApiError(error, 'Expired')) throw error;
    } finally {
      cancel();
      signal.removeEventListener('abort', end);
    }
  }
}

export async function sweep(registry: EmbeddedRegistry, log: Log = silentLog): Promise<number> {
  return new Collector(registry, log).sweep();
}

const sweepMsDefault = 1_200_000;
/** Objects that a sweep holds in memory. */
const sweepPageObjects = 200;

const ownersField = Buffer.from('"ownerReferences"');

/** Whether the JSON text contains owner references, which is much cheaper than parsing it. */
function mayHaveOwner({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  return Buffer.from(buffer, byteOffset, byteLength).includes(ownersField);
}

class Collector {
  readonly #registry: EmbeddedRegistry;
  readonly #log: Log;
  /** uid of an owner → keys of the objects that refer to it. */
  readonly #dependents = new Map<string, Set<string>>();

  constructor(registry: EmbeddedRegistry, log: Log) {
    this.#registry = registry;
    this.#log = log;
  }

  async sweep(): Promise<number> {
    let count = 0;
    for (const kind of this.#registry.kinds.kinds) {
      let token: string | undefined;
      do {
        const page = await this.#page(kind, token);
        for (const object of page.items) {
          const key = keyOf(kind, object.metadata.namespace, object.metadata.name);
          if (this.#track(key, object.metadata.ownerReferences) && (await this.#collect(object))) count++;
        }
        token = page.continue;
      } while (token !== undefined);
    }
    return count;
  }

  /** The deletions of a sweep can cause compaction of the revision of its list: then the list starts over. */
  async #page(kind: Kind, token: string | undefined): Promise<ObjectList<unknown, unknown>> {
    const resource = this.#registry.resource(kind);
    if (token === undefined) return resource.list({ limit: sweepPageObjects });
    try {
      return await resource.list({ limit: sweepPageObjects, continue: token });
    } catch (error) {
      if (!isApiError(error, 'Expired')) throw error;
      return this.#page(kind, undefined);
    }
  }

  async follow(after: Revision, signal: AbortSignal): Promise<void> {
    for await (const { revision, changes } of this.#registry.store.watch('', { after, detail: 'history', signal })) {
      for (const change of changes) await this.#observe(change, revision);
    }
  }

  /** Most objects neither have owners nor are owners, so an object is decoded only if it may be one of the two. */
  async #observe(change: Change, revision: Revision): Promise<void> {
    const kind = this.#registry.locate(change.key)?.kind;
    if (!kind) return;
    const read = (value: Uint8Array) => this.#tryRead(() => decode(kind, change.key, value));
    const after = change.type === 'put' && mayHaveOwner(change.value) ? read(change.value) : undefined;
    if (after && this.#track(change.key, after.metadata.ownerReferences)) await this.#collectKey(change.key);
    // An object that was replaced by another of the same name was deleted, too.
    const isDeleted = change.type === 'delete' || change.created === revision;
    const before = isDeleted && change.previous ? read(change.previous) : undefined;
    if (before === undefined) return;
    if (change.type === 'delete') this.#untrack(change.key, before.metadata.ownerReferences);
    const { uid } = before.metadata;
    const orphans = this.#dependents.get(uid) ?? [];
    this.#dependents.delete(uid);
    for (const key of orphans) await this.#collectKey(key);
  }

  #tryRead<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch {
      // The owners of a damaged record are unknown.
      return undefined;
    }
  }

  #track(key: string, owners: readonly OwnerReference[] = []): boolean {
    for (const { uid } of owners) {
      const keys = this.#dependents.get(uid) ?? new Set();
      this.#dependents.set(uid, keys.add(key));
    }
    return owners.length > 0;
  }

  #untrack(key: string, owners: readonly OwnerReference[] = []): void {
    for (const { uid } of owners) {
      const keys = this.#dependents.get(uid);
      keys?.delete(key);
      if (keys?.size === 0) this.#dependents.delete(uid);
    }
  }

  async #collectKey(key: string): Promise<void> {
    const place = this.#registry.locate(key);
    if (!place) return;
    try {
      await this.#collect(await this.#registry.resource(place.kind).get(place.name, { namespace: place.namespace }));
    } catch (error) {
      if (!isApiError(error, 'NotFound') && !isApiError(error, 'Corrupt')) throw error;
    }
  }

  /** Deletes an object if none of its owners exists. */
  async #collect(object: AnyObject): Promise<boolean> {
    const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences = [] } = object.metadata;
    if (ownerReferences.length === 0 || deletionTimestamp !== undefined) return false;
    for (const owner of ownerReferences) if (await this.#exists(owner, namespace)) return false;
    const kind = this.#registry.kinds.get(object.apiVersion, object.kind);
    try {
      await this.#registry.resource(kind).delete(name, { namespace, uid, resourceVersion });
      this.#log.write('info', 'garbage collected: all owners were deleted', { kind: kind.kind, namespace, name });
      return true;
    } catch (error) {
      // It has changed since it was read: the watch will report that change.
      if (isApiError(error, 'Conflict')) return false;
      throw error;
    }
  }

  /** Owners are in the same namespace. An owner of an unknown kind is assumed to exist. */
  async #exists(owner: OwnerReference, namespace: string): Promise<boolean> {
    const kind = this.#registry.kinds.find(owner.apiVersion, owner.kind);
    if (!kind) return true;
    try {
      const found = await this.#registry.resource(kind).get(owner.name, { namespace });
      return found.metadata.uid === owner.uid;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return false;
      if (isApiError(error, 'Corrupt')) return true;
      throw error;
    }
  }
}
