/**
 * What the garbage collector does to objects, on any registry. Every write names the version that was read, so that
 * several collectors and other writers do not interfere: after a conflict, the watch reports the change and the object is
 * looked at again.
 */
import { isApiError } from '../api/errors.ts';
import type { JsonValue } from '../api/json.ts';
import type { OwnerReference } from '../api/metadata.ts';
import type { ApiObject } from '../api/object.ts';
import type { Log } from '../ports/log.ts';
import type { Registry } from './contract.ts';
import type { GarbageIndex } from './garbage-index.ts';
import { pendingPropagation, propagationFinalizers } from './propagation.ts';

type AnyObject = ApiObject<unknown, unknown>;
/** `waiting`: the owner is in foreground deletion. */
type OwnerState = 'exists' | 'waiting' | 'gone';

/** In `managedFields` of the objects that are changed. */
const manager = 'garbage-collector';
/** Dependents released concurrently: stores write such commits with one flush. */
const chunkObjects = 32;
/** Attempts to release a dependent that others write at the same time. */
const attemptsMax = 5;

export class GarbageActions {
  readonly #registry: Registry;
  readonly #index: GarbageIndex;
  readonly #log: Log;
  /** Objects that were deleted. */
  deletedCount = 0;

  constructor(registry: Registry, index: GarbageIndex, log: Log) {
    this.#registry = registry;
    this.#index = index;
    this.#log = log;
  }

  async collectKey(key: string): Promise<void> {
    const object = await this.#read(key);
    if (object) await this.collect(object);
  }

  /** Deletes an object if it has no owner left. If it has one, it loses its references to the others. */
  async collect(object: AnyObject): Promise<void> {
    const { namespace, uid, deletionTimestamp, ownerReferences = [] } = object.metadata;
    if (ownerReferences.length === 0 || deletionTimestamp !== undefined) return;
    const states = new Map<string, OwnerState>();
    for (const owner of ownerReferences) states.set(owner.uid, await this.#stateOf(owner, namespace));
    const found = new Set(states.values());
    // The dependents of an owner that waits are deleted when all of them are known.
    if (found.has('waiting') && !this.#index.isComplete) return;
    if (found.has('exists')) {
      if (found.size > 1) await this.#keepOwners(object, (owner) => states.get(owner.uid) === 'exists');
      return;
    }
    const dependents = [...this.#index.dependentsOf(uid)];
    const isForeground = found.has('waiting') && dependents.length > 0;
    // In a circle of owners each would wait for the next one.
    const isCircle = isForeground && dependents.some((key) => this.#index.isWaiting(key));
    const current = isCircle ? await this.#unblock(object) : object;
    if (current) await this.#delete(current, isForeground);
  }

  /** Does the collector's part in the deletion of an owner, if it has one. */
  async propagate(key: string): Promise<void> {
    const owner = await this.#read(key);
    const policy = owner && pendingPropagation(owner.metadata);
    if (!owner || !policy) return;
    const { uid } = owner.metadata;
    const dependents = [...this.#index.dependentsOf(uid)];
    if (policy === 'Orphan') {
      if (await this.#releaseAll(dependents, uid)) await this.#finish(owner, policy);
      return;
    }
    if (this.#index.addWaiting(uid, key)) for (const dependent of dependents) await this.collectKey(dependent);
    await this.finishForeground(uid);
  }

  /** Deletes an owner that waits for its dependents, if none of them blocks it any more. */
  async finishForeground(uid: string): Promise<void> {
    const key = this.#index.waitingOwner(uid);
    if (key === undefined) return;
    for (const dependent of this.#index.dependentsOf(uid)) if (await this.#blocks(dependent, uid)) return;
    const owner = await this.#read(key);
    const isWaiting = owner?.metadata.uid === uid && pendingPropagation(owner.metadata) === 'Foreground';
    if (isWaiting) await this.#finish(owner, 'Foreground');
    else this.#index.removeWaiting(uid);
  }

  async #blocks(key: string, uid: string): Promise<boolean> {
    const reference = (await this.#read(key))?.metadata.ownerReferences?.find((owner) => owner.uid === uid);
    if (!reference) this.#index.untrack(key, [{ uid }]);
    return reference?.blockOwnerDeletion === true;
  }

  /** Returns false if a dependent still refers to the owner. */
  async #releaseAll(dependents: readonly string[], uid: string): Promise<boolean> {
    for (let start = 0; start < dependents.length; start += chunkObjects) {
      const chunk = dependents.slice(start, start + chunkObjects);
      const released = await Promise.all(chunk.map((dependent) => this.#release(dependent, uid)));
      if (released.includes(false)) return false;
    }
    return true;
  }

  async #release(key: string, uid: string): Promise<boolean> {
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const object = await this.#read(key);
      if (!object?.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return true;
      if (await this.#keepOwners(object, (owner) => owner.uid !== uid)) return true;
    }
    return false;
  }

  async #keepOwners(object: AnyObject, isKept: (owner: OwnerReference) => boolean): Promise<AnyObject | undefined> {
    const kept = (object.metadata.ownerReferences ?? []).filter(isKept);
    return this.#patch(object, { ownerReferences: kept.length === 0 ? null : kept });
  }

  async #unblock(object: AnyObject): Promise<AnyObject | undefined> {
    const owners = object.metadata.ownerReferences ?? [];
    return this.#patch(object, { ownerReferences: owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })) });
  }

  async #finish(owner: AnyObject, policy: 'Orphan' | 'Foreground'): Promise<void> {
    const left = (owner.metadata.finalizers ?? []).filter((one) => one !== propagationFinalizers[policy]);
    await this.#patch(owner, { finalizers: left.length === 0 ? null : left });
  }

  /** Returns undefined if the object has changed since it was read, or cannot be changed. */
  async #patch(object: AnyObject, metadata: JsonValue): Promise<AnyObject | undefined> {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const kind = this.#registry.kinds.get(object.apiVersion, object.kind);
    try {
      const options = { namespace, uid, resourceVersion, manager };
      return await this.#registry.resource(kind).patch(name, { metadata }, options);
    } catch (error) {
      if (isApiError(error, 'Conflict') || isApiError(error, 'NotFound')) return undefined;
      if (!isOfObject(error)) throw error;
      this.#log.write('warn', 'garbage collection cannot change an object', {
        kind: kind.kind,
        namespace,
        name,
        error,
      });
      return undefined;
    }
  }

  async #delete(object: AnyObject, isForeground: boolean): Promise<void> {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const kind = this.#registry.kinds.get(object.apiVersion, object.kind);
    const policy = isForeground ? { propagationPolicy: 'Foreground' as const } : {};
    try {
      await this.#registry.resource(kind).delete(name, { ...policy, namespace, uid, resourceVersion });
      this.deletedCount++;
      const why = isForeground ? 'its owner waits for it' : 'all owners were deleted';
      this.#log.write('info', `garbage collected: ${why}`, { kind: kind.kind, namespace, name });
    } catch (error) {
      if (isApiError(error, 'Conflict')) return;
      if (!isOfObject(error)) throw error;
      this.#log.write('warn', 'garbage collection cannot delete an object', {
        kind: kind.kind,
        namespace,
        name,
        error,
      });
    }
  }

  /** Owners are in the same namespace. An owner of an unknown kind is assumed to exist. */
  async #stateOf(owner: OwnerReference, namespace: string): Promise<OwnerState> {
    const kind = this.#registry.kinds.find(owner.apiVersion, owner.kind);
    if (!kind) return 'exists';
    try {
      const { metadata } = await this.#registry.resource(kind).get(owner.name, { namespace });
      if (metadata.uid !== owner.uid) return 'gone';
      return pendingPropagation(metadata) === 'Foreground' ? 'waiting' : 'exists';
    } catch (error) {
      if (isApiError(error, 'NotFound')) return 'gone';
      if (isApiError(error, 'Corrupt')) return 'exists';
      throw error;
    }
  }

  /** Returns undefined if the object does not exist or cannot be read. */
  async #read(key: string): Promise<AnyObject | undefined> {
    const place = this.#registry.locate(key);
    if (!place) return undefined;
    try {
      return await this.#registry.resource(place.kind).get(place.name, { namespace: place.namespace });
    } catch (error) {
      if (isApiError(error, 'NotFound') || isApiError(error, 'Corrupt')) return undefined;
      throw error;
    }
  }
}

/**
 * Whether one object is refused, such as one whose file has an invalid edit. The others are collected, and this one when it
 * is changed, or by the next sweep.
 */
function isOfObject(error: unknown): boolean {
  return isApiError(error, 'Invalid') || isApiError(error, 'Forbidden') || isApiError(error, 'TooLarge');
}
