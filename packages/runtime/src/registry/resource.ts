/** The objects of one kind: everything that can be done with them, by the rules (rules.ts), on any store. */
import { ApiError } from '../api/errors.ts';
import type { JsonValue } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import { mergePatch } from '../api/merge.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import type { ApiObject, DefaultedObject, ObjectInput } from '../api/object.ts';
import { type Clock, timestampAt } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Commit, Revision, Store, Write } from '../store/contract.ts';
import { applied, configurationOf } from './apply.ts';
import { decode, encode, revisionOf, type StoredObject, withRevision } from './codec.ts';
import type {
  Applied,
  EventBatch,
  ListOptions,
  MultiKeyResource,
  Namespaced,
  ObjectChange,
  ObjectList,
  ObjectPlace,
  Precondition,
  Resource,
  StatusUpdate,
  VersionBatch,
  VersionOptions,
  VersionPage,
  VersionWatchOptions,
  WatchSelection,
  WriteOptions,
} from './contract.ts';
import { keyOf, prefixOf } from './keys.ts';
import { listObjects, listVersions, matcherOf } from './list.ts';
import { modified, Overtaken, retried } from './overtaken.ts';
import * as rules from './rules.ts';
import { eventsOf, versionsOf } from './watch.ts';
import type { Writer } from './writer.ts';

export interface Doors {
  readonly store: Store;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly random: Random;
}

interface Current<Spec, Status> {
  readonly stored: StoredObject<Spec, Status>;
  readonly revision: Revision;
}

export class EmbeddedResource<Spec, Status, SpecInput = Spec, StatusInput = Status>
  implements Resource<Spec, Status, SpecInput, StatusInput>, MultiKeyResource<Spec, Status, SpecInput, StatusInput>
{
  readonly kind: Kind<Spec, Status, SpecInput, StatusInput>;
  readonly #doors: Doors;

  constructor(kind: Kind<Spec, Status, SpecInput, StatusInput>, doors: Doors) {
    this.kind = kind;
    this.#doors = doors;
  }

  async get(name: string, options: Namespaced = {}): Promise<ApiObject<Spec, Status>> {
    const { stored, revision } = await this.#existing(this.#key(options.namespace, name), name);
    return withRevision(stored, revision);
  }

  list(options: ListOptions = {}): Promise<ObjectList<Spec, Status>> {
    return listObjects(this.#doors.store, this.kind, options);
  }

  versions(options: VersionOptions = {}): Promise<VersionPage> {
    return listVersions(this.#doors.store, this.kind, options);
  }

  async create(
    object: ObjectInput<SpecInput, StatusInput>,
    options: WriteOptions = {},
  ): Promise<ApiObject<Spec, Status>> {
    return this.#insert(this.#parse(object), options);
  }

  async update(
    object: ObjectInput<SpecInput, StatusInput>,
    options: WriteOptions = {},
  ): Promise<ApiObject<Spec, Status>> {
    const wanted = this.#parse(object);
    const { name, namespace, resourceVersion } = wanted.metadata;
    if (resourceVersion === undefined) {
      rules.refuse(this.kind, wanted, 'metadata.resourceVersion', 'Required value', 'must be set for an update');
    }
    const current = await this.#existing(this.#key(namespace, name), name);
    this.#require(current, name, { resourceVersion });
    return this.#replace(current, rules.updated(this.kind, current.stored, wanted), options);
  }

  async updateStatus(
    update: StatusUpdate<Status | StatusInput>,
    options: WriteOptions & Pick<Precondition, 'resourceVersion'> = {},
  ): Promise<ApiObject<Spec, Status>> {
    const { name, namespace, uid } = update.metadata;
    const attempt = async () => {
      const current = await this.#existing(this.#key(namespace, name), name);
      this.#require(current, name, { ...options, ...(uid === undefined ? {} : { uid }) });
      return this.#replace(current, rules.withStatus(this.kind, current.stored, update.status), options);
    };
    return options.resourceVersion === undefined ? retried(attempt) : attempt();
  }

  async patch(
    name: string,
    patch: JsonValue,
    options: Namespaced & Precondition & WriteOptions = {},
  ): Promise<ApiObject<Spec, Status>> {
    const attempt = async () => {
      const current = await this.#existing(this.#key(options.namespace, name), name);
      this.#require(current, name, options);
      const merged = mergePatch(plain(rules.asInput(current.stored)), patch);
      return this.#replace(
        current,
        rules.updated(this.kind, current.stored, this.#parseSame(merged, current.stored)),
        options,
      );
    };
    return options.resourceVersion === undefined ? retried(attempt) : attempt();
  }

  async apply(object: ObjectInput<SpecInput, StatusInput>, options: WriteOptions = {}): Promise<Applied<Spec, Status>> {
    const configuration = configurationOf(this.kind, object);
    const wanted = this.#parse(configuration);
    const { name, namespace } = wanted.metadata;
    return retried<Applied<Spec, Status>>(async () => {
      const current = await this.#current(this.#key(namespace, name));
      if (!current) {
        const object = await this.#insert(this.#parse(applied(undefined, configuration)), options);
        return { outcome: 'created', object };
      }
      const merged = this.#parseSame(applied(plain(rules.asInput(current.stored)), configuration), current.stored);
      const next = rules.updated(this.kind, current.stored, merged);
      const outcome = next === current.stored ? 'unchanged' : 'configured';
      return { outcome, object: await this.#replace(current, next, options) };
    });
  }

  /** The limits of a store's commit apply: 128 writes, one of them for a fence. */
  async changeAll(
    places: readonly ObjectPlace[],
    change: ObjectChange<ApiObject<Spec, Status>, ObjectInput<SpecInput, StatusInput>>,
  ): Promise<void> {
    await retried(async () => {
      const decided = await Promise.all(
        places.map(async (place) => {
          const current = await this.#current(this.#key(place.namespace, place.name));
          const wanted = change(place, current && withRevision(current.stored, current.revision));
          return wanted && this.#changed(current, wanted);
        }),
      );
      const writes = decided.filter((write) => write !== undefined);
      if (writes.length === 0) return;
      const outcome = await this.#doors.writer.commit(writes);
      if (typeof outcome !== 'number') throw new Overtaken(this.kind.kind, outcome.conflict);
    });
  }

  async delete(
    name: string,
    options: Namespaced & Precondition & WriteOptions = {},
  ): Promise<ApiObject<Spec, Status> | undefined> {
    const attempt = async () => {
      const current = await this.#current(this.#key(options.namespace, name));
      if (!current) return undefined;
      this.#require(current, name, options);
      const next = rules.deleted(current.stored, timestampAt(this.#doors.clock.now()));
      return next ? this.#replace(current, next, options) : this.#remove(current, options);
    };
    return options.resourceVersion === undefined ? retried(attempt) : attempt();
  }

  /** Whole commits at a time. */
  async *watch(options: WatchSelection): AsyncGenerator<EventBatch<Spec, Status>, void> {
    const matches = matcherOf(this.kind, options);
    for await (const commit of this.#commits(options, 'history')) {
      const events = eventsOf(this.kind, commit, matches);
      if (events.length > 0) yield { resourceVersion: String(commit.revision), events };
    }
  }

  async *watchVersions(options: VersionWatchOptions): AsyncGenerator<VersionBatch, void> {
    for await (const commit of this.#commits(options, 'keys')) yield versionsOf(commit);
  }

  #commits(
    { namespace, resourceVersion, signal }: VersionWatchOptions,
    detail: 'history' | 'keys',
  ): AsyncIterable<Commit> {
    const options = { after: revisionOf(resourceVersion), detail, ...(signal && { signal }) };
    return this.#doors.store.watch(prefixOf(this.kind, namespace), options);
  }

  #key(namespace: string | undefined, name: string): string {
    return keyOf(this.kind, namespace ?? NAMESPACE_DEFAULT, name);
  }

  /** Whatever comes in is checked, typed or not. Kind and version may be left out; the status is not the writer's. */
  #parse(object: unknown): DefaultedObject<Spec, Status> {
    if (typeof object !== 'object' || object === null) {
      throw new ApiError('BadRequest', { reason: `a ${this.kind.kind} has to be an object` });
    }
    const { apiVersion, kind } = this.kind;
    const { status: _, ...rest } = { apiVersion, kind, status: undefined, ...object };
    return this.kind.shape(rest);
  }

  /** As `#parse`, for what was made from a stored object: a patch may not turn it into another. */
  #parseSame(
    object: unknown,
    { metadata: { name, namespace } }: StoredObject<Spec, Status>,
  ): DefaultedObject<Spec, Status> {
    const wanted = this.#parse(object);
    if (wanted.metadata.name !== name)
      rules.refuse(this.kind, wanted, 'metadata.name', 'Forbidden', 'cannot be changed');
    if (wanted.metadata.namespace !== namespace) {
      rules.refuse(this.kind, wanted, 'metadata.namespace', 'Forbidden', 'cannot be changed');
    }
    return wanted;
  }

  async #current(key: string): Promise<Current<Spec, Status> | undefined> {
    const entry = await this.#doors.store.get(key);
    return entry && { stored: decode(this.kind, key, entry.value), revision: entry.revision };
  }

  async #existing(key: string, name: string): Promise<Current<Spec, Status>> {
    const current = await this.#current(key);
    if (!current) throw new ApiError('NotFound', { kind: this.kind.kind, name });
    return current;
  }

  #require({ stored, revision }: Current<Spec, Status>, name: string, { uid, resourceVersion }: Precondition): void {
    if (uid !== undefined && uid !== stored.metadata.uid) {
      rules.conflict(
        this.kind,
        name,
        `the uid is ${stored.metadata.uid}, not ${uid}: this is another object of the same name`,
      );
    }
    if (resourceVersion !== undefined && resourceVersion !== String(revision)) {
      rules.conflict(this.kind, name, modified);
    }
  }

  /** The write that makes `wanted` of what is there; undefined if it changes nothing. */
  #changed(current: Current<Spec, Status> | undefined, wanted: unknown): Write | undefined {
    const next = current
      ? rules.updated(this.kind, current.stored, this.#parseSame(wanted, current.stored))
      : this.#created(this.#parse(wanted));
    if (next === current?.stored) return undefined;
    const key = this.#key(next.metadata.namespace, next.metadata.name);
    return { type: 'put', key, value: encode(next), expected: current?.revision ?? 0 };
  }

  #created(wanted: DefaultedObject<Spec, Status>): StoredObject<Spec, Status> {
    const { clock, random } = this.#doors;
    return rules.created(this.kind, wanted, { uid: random.uuid(), timestamp: timestampAt(clock.now()) });
  }

  async #insert(wanted: DefaultedObject<Spec, Status>, options: WriteOptions): Promise<ApiObject<Spec, Status>> {
    const { store, writer } = this.#doors;
    const next = this.#created(wanted);
    const { namespace, name } = next.metadata;
    const key = this.#key(namespace, name);
    const exists = () => new ApiError('AlreadyExists', { kind: this.kind.kind, name });
    if (options.dryRun) {
      if (await store.get(key)) throw exists();
      return withRevision(next, 0);
    }
    const outcome = await writer.commit([{ type: 'put', key, value: encode(next), expected: 0 }]);
    if (typeof outcome !== 'number') throw exists();
    return withRevision(next, outcome);
  }

  async #replace(
    { stored, revision }: Current<Spec, Status>,
    next: StoredObject<Spec, Status>,
    options: WriteOptions,
  ): Promise<ApiObject<Spec, Status>> {
    if (next === stored || options.dryRun) return withRevision(next, revision);
    if (rules.isFinished(next)) return this.#remove({ stored: next, revision }, options);
    const { namespace, name } = next.metadata;
    const key = this.#key(namespace, name);
    return withRevision(next, await this.#commit(name, { type: 'put', key, value: encode(next), expected: revision }));
  }

  async #remove({ stored, revision }: Current<Spec, Status>, options: WriteOptions): Promise<ApiObject<Spec, Status>> {
    const { namespace, name } = stored.metadata;
    if (!options.dryRun)
      await this.#commit(name, { type: 'delete', key: this.#key(namespace, name), expected: revision });
    return withRevision(stored, revision);
  }

  async #commit(name: string, write: Parameters<Writer['commit']>[0][number]): Promise<Revision> {
    const outcome = await this.#doors.writer.commit([write]);
    if (typeof outcome === 'number') return outcome;
    throw new Overtaken(this.kind.kind, name);
  }
}

/** An object as plain JSON data, which the merges work on. */
function plain(object: unknown): JsonValue {
  return JSON.parse(JSON.stringify(object));
}
