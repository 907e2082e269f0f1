/**
 * Deletes objects whose owners were all deleted, and does what the policy of a deletion asks for: it releases the
 * dependents of an object (Orphan), or deletes them before the object (Foreground). Any number of processes may run it
 * concurrently: it reads an object again before it changes it, and changes only that version.
 *
 * It keeps, for each owner, the keys of its dependents, and nothing about objects without an owner. All changes are read
 * from one watch, in their order: when the deletion of an owner is read, all dependents created before are known.
 */
import { isApiError } from '../api/errors.ts';
import type { Kind } from '../api/kind.ts';
import type { Metadata } from '../api/metadata.ts';
import { type Log, silentLog } from '../ports/log.ts';
import type { Change, Revision } from '../store/contract.ts';
import { decodeObject, isOfUid } from './codec.ts';
import type { GarbageOptions, ObjectList, Registry } from './contract.ts';
import type { EmbeddedRegistry } from './embedded.ts';
import { GarbageActions } from './garbage-actions.ts';
import { GarbageIndex } from './garbage-index.ts';
import { keyOf } from './keys.ts';
import { pendingPropagation } from './propagation.ts';

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
const deletionField = Buffer.from('"deletionTimestamp"');

/** Whether the JSON text contains the name of one of these fields, which is much cheaper than parsing it. */
function mayHave(value: Uint8Array, ...fields: readonly Buffer[]): boolean {
  const text = value instanceof Buffer ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return fields.some((field) => text.includes(field));
}

/** Which of the two versions of a changed object may matter. */
interface Relevance {
  readonly ofAfter: boolean;
  readonly ofBefore: boolean;
}

/** Whether the previous object was deleted. One that was replaced by another of the same name was, too. */
function isEnd(change: Change, revision: Revision): boolean {
  return change.type === 'delete' || change.created === revision;
}

class Collector {
  readonly #registry: EmbeddedRegistry;
  readonly #index = new GarbageIndex();
  readonly #actions: GarbageActions;

  constructor(registry: EmbeddedRegistry, log: Log) {
    this.#registry = registry;
    this.#actions = new GarbageActions(registry, this.#index, log);
  }

  async sweep(): Promise<number> {
    /** Keys of objects that are being deleted: their dependents may be of kinds that are read later. */
    const deleting: string[] = [];
    for (const kind of this.#registry.kinds.kinds) {
      let token: string | undefined;
      do {
        const page = await this.#page(kind, token);
        for (const object of page.items) {
          const key = keyOf(kind, object.metadata.namespace, object.metadata.name);
          if (pendingPropagation(object.metadata)) deleting.push(key);
          if (this.#index.track(key, object.metadata.ownerReferences)) await this.#actions.collect(object);
        }
        token = page.continue;
      } while (token !== undefined);
    }
    this.#index.isComplete = true;
    for (const key of deleting) await this.#actions.propagate(key);
    return this.#actions.deletedCount;
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
      for (const change of changes) {
        const relevance = this.#relevanceOf(change, revision);
        if (relevance.ofAfter || relevance.ofBefore) await this.#observe(change, revision, relevance);
      }
    }
  }

  /** Most objects neither have owners nor are owners, so an object is decoded only if it may be one of the two. */
  #relevanceOf(change: Change, revision: Revision): Relevance {
    const { previous } = change;
    const ofAfter = change.type === 'put' && mayHave(change.value, ownersField, deletionField);
    const mayUnblock = this.#index.hasWaiting && previous !== undefined && mayHave(previous, ownersField);
    return { ofAfter, ofBefore: previous !== undefined && (isEnd(change, revision) || mayUnblock) };
  }

  async #observe(change: Change, revision: Revision, { ofAfter, ofBefore }: Relevance): Promise<void> {
    const { key, previous } = change;
    const kind = this.#registry.locate(key)?.kind;
    if (!kind) return;
    const read = (value: Uint8Array) => this.#tryRead(() => decodeObject(kind, key, value, revision));
    const after = change.type === 'put' && ofAfter ? read(change.value) : undefined;
    // A change of it since then is observed, too, so this version is sufficient.
    if (after && this.#index.track(key, after.metadata.ownerReferences) && !(await this.#hasOwner(after.metadata))) {
      await this.#actions.collect(after);
    }
    if (after && pendingPropagation(after.metadata)) await this.#actions.propagate(key);
    const before = previous && ofBefore ? read(previous)?.metadata : undefined;
    if (before === undefined) return;
    const isDeleted = isEnd(change, revision);
    if (change.type === 'delete') this.#index.untrack(key, before.ownerReferences);
    if (isDeleted) for (const dependent of this.#index.forget(before.uid)) await this.#actions.collectKey(dependent);
    for (const { uid } of before.ownerReferences ?? []) await this.#actions.finishForeground(uid);
  }

  /**
   * Whether its only owner exists and is not being deleted, by the stored form of the owner. That is nearly always so, and
   * then there is nothing to do. False also if this cannot be told without decoding the owner.
   */
  async #hasOwner({ namespace, ownerReferences = [] }: Metadata): Promise<boolean> {
    const [owner, ...others] = ownerReferences;
    if (owner === undefined || others.length > 0) return false;
    const kind = this.#registry.kinds.find(owner.apiVersion, owner.kind);
    const entry = kind && (await this.#registry.store.get(keyOf(kind, namespace, owner.name)));
    return (
      kind !== undefined &&
      entry !== undefined &&
      isOfUid(kind, { namespace, name: owner.name }, entry.value, owner.uid) &&
      !mayHave(entry.value, deletionField)
    );
  }

  #tryRead<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch {
      // The owners of a damaged record are unknown.
      return undefined;
    }
  }
}
