/** Reads and writes the objects of one kind, by the rules of rules.ts, on any store. */
import { ApiError, isApiError } from '../api/errors.ts';
import type { JsonValue } from '../api/json.ts';
import type { Kind } from '../api/kind.ts';
import { isReset } from '../api/managed-fields/entries.ts';
import { mergePatch } from '../api/merge.ts';
import { NAMESPACE_DEFAULT } from '../api/metadata.ts';
import type { ApiObject, DefaultedObject, ObjectInput } from '../api/object.ts';
import { valueAt } from '../api/path.ts';
import { keepSecrets } from '../api/secrets.ts';
import { type Clock, timestampAt } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Store, Write } from '../store/contract.ts';
import { applied, configurationOf, withAppliedStatus } from './apply.ts';
import {
  asJson,
  decode,
  decodeObject,
  encode,
  revisionOf,
  type StoredObject,
  withoutRevision,
  withRevision,
} from './codec.ts';
import { retryOnConflict, WriteConflict } from './conflict.ts';
import type {
  Applied,
  ApplyOptions,
  DeleteOptions,
  EventBatch,
  ListOptions,
  MultiKeyResource,
  Namespaced,
  ObjectChange,
  ObjectList,
  ObjectPlace,
  Precondition,
  Resource,
  StatusOptions,
  StatusUpdate,
  UpdateOptions,
  VersionBatch,
  VersionOptions,
  VersionPage,
  VersionWatchOptions,
  WatchSelection,
  WriteOptions,
} from './contract.ts';
import { parseChange, parseInput, plain, withGeneratedName } from './input.ts';
import { keyOf, prefixOf } from './keys.ts';
import { listObjects, listVersions } from './list.ts';
import { isTracked, withManagedFields, withManagers } from './managers.ts';
import { type Current, ObjectWriter } from './object-writer.ts';
import * as rules from './rules.ts';
import type { SharedLogs } from './shared-log.ts';
import { eventsFor, versionsOf } from './watch.ts';
import type { Writer } from './writer.ts';

/** Names that are tried for an object with `generateName`, in case one is taken. */
const generatedNamesMax = 8;

interface ResourceDependencies {
  readonly store: Store;
  readonly logs: SharedLogs;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly random: Random;
  /** See `EmbeddedRegistryOptions`. */
  readonly manager: string | undefined;
}

interface Unseen<Spec, Status> {
  readonly written: JsonValue;
  readonly current: Current<Spec, Status>;
}

export class EmbeddedResource<Spec, Status, SpecInput = Spec, StatusInput = Status>
  implements Resource<Spec, Status, SpecInput, StatusInput>, MultiKeyResource<Spec, Status, SpecInput, StatusInput>
{
  readonly kind: Kind<Spec, Status, SpecInput, StatusInput>;
  readonly #dependencies: ResourceDependencies;
  readonly #objects: ObjectWriter<Spec, Status>;

  constructor(kind: Kind<Spec, Status, SpecInput, StatusInput>, dependencies: ResourceDependencies) {
    this.kind = kind;
    this.#dependencies = dependencies;
    this.#objects = new ObjectWriter(kind, dependencies);
  }

  async get(name: string, options: Namespaced = {}): Promise<ApiObject<Spec, Status>> {
    const key = this.#key(options.namespace, name);
    const entry = await this.#dependencies.store.get(key);
    if (!entry) throw this.#notFound(name);
    return decodeObject(this.kind, key, entry.value, entry.revision);
  }

  list(options: ListOptions = {}): Promise<ObjectList<Spec, Status>> {
    return listObjects(this.#dependencies.store, this.kind, options);
  }

  versions(options: VersionOptions = {}): Promise<VersionPage> {
    return listVersions(this.#dependencies.store, this.kind, options);
  }

  async create(
    object: ObjectInput<SpecInput, StatusInput>,
    options: WriteOptions = {},
  ): Promise<ApiObject<Spec, Status>> {
    for (let attempt = 1; ; attempt++) {
      const named = withGeneratedName(object, this.#dependencies.random);
      try {
        return await this.#objects.insert(
          this.#authored(undefined, this.#created(parseInput(this.kind, named)), options),
          options,
        );
      } catch (error) {
        const isTaken = named !== object && isApiError(error, 'AlreadyExists');
        if (!isTaken || attempt === generatedNamesMax) throw error;
      }
    }
  }

  async update(
    object: ObjectInput<SpecInput, StatusInput>,
    options: UpdateOptions<ApiObject<Spec, Status>> = {},
  ): Promise<ApiObject<Spec, Status>> {
    const unseen = options.withoutSecrets ? await this.#unseen(object) : undefined;
    const wanted = parseInput(this.kind, unseen?.written ?? object);
    const { name, namespace, resourceVersion } = wanted.metadata;
    if (resourceVersion === undefined) {
      rules.refuse(this.kind, wanted, 'metadata.resourceVersion', 'Required value', 'must be set for an update');
    }
    const key = this.#key(namespace, name);
    const known = options.known?.metadata.resourceVersion === resourceVersion ? this.#known(key, options) : undefined;
    const current = unseen?.current ?? known ?? (await this.#existing(key, name));
    rules.checkPrecondition(this.kind, current, { resourceVersion });
    return this.#objects.replace(current, this.#updated(current, wanted, options), options);
  }

  async updateStatus(
    update: StatusUpdate<Status | StatusInput>,
    options: StatusOptions<ApiObject<Spec, Status>> = {},
  ): Promise<ApiObject<Spec, Status>> {
    const { name, namespace, uid } = update.metadata;
    const precondition = { ...options, ...(uid === undefined ? {} : { uid }) };
    const key = this.#key(namespace, name);
    const attempt = async (known?: Current<Spec, Status>): Promise<ApiObject<Spec, Status>> => {
      const current = known ?? (await this.#existing(key, name));
      rules.checkPrecondition(this.kind, current, precondition);
      const next = rules.withStatus(this.kind, this.#finalized(current.stored, options), update.status);
      // Only a commit shows that the known object is the newest one.
      if (known && next === known.stored) return attempt();
      const isNamed = options.manager !== undefined;
      return this.#objects.replace(
        current,
        isNamed ? this.#authored(current.stored, next, options, 'status') : next,
        options,
      );
    };
    return this.#attempts(attempt, key, options);
  }

  async patch(
    name: string,
    patch: JsonValue,
    options: Namespaced & Precondition & UpdateOptions<ApiObject<Spec, Status>> = {},
  ): Promise<ApiObject<Spec, Status>> {
    const key = this.#key(options.namespace, name);
    const attempt = async (known?: Current<Spec, Status>): Promise<ApiObject<Spec, Status>> => {
      const current = known ?? (await this.#existing(key, name));
      rules.checkPrecondition(this.kind, current, options);
      const merged = mergePatch(asJson(rules.withoutStatus(current.stored)), patch);
      const wanted = parseChange(this.kind, merged, current.stored);
      const next = this.#updated(current, wanted, options);
      if (known && next === known.stored) return attempt();
      return this.#objects.replace(current, next, options);
    };
    return this.#attempts(attempt, key, options);
  }

  async apply(object: ObjectInput<SpecInput, StatusInput>, options: ApplyOptions = {}): Promise<Applied<Spec, Status>> {
    const { subresource } = options;
    const configuration = configurationOf(this.kind, object, subresource);
    const { name, namespace } = configuration;
    const attempt = async (): Promise<Applied<Spec, Status>> => {
      const newest = await this.#current(this.#key(namespace, name));
      const isUnseen = options.withoutSecrets && !subresource;
      const current = newest && isUnseen ? this.#unseenIn(newest, configuration.object).current : newest;
      rules.checkPrecondition(this.kind, current ?? { name }, options);
      const timestamp = this.#now();
      const { object: merged, managedFields } = applied(this.kind, current?.stored, configuration, {
        ...options,
        timestamp,
      });
      if (current && subresource) {
        const next = withAppliedStatus(this.kind, current.stored, merged['status'], managedFields);
        const outcome = next === current.stored ? 'unchanged' : 'configured';
        return { outcome, object: await this.#objects.replace(current, next, options) };
      }
      if (subresource) throw this.#notFound(name);
      if (!current) {
        const next = withManagedFields(this.#created(parseInput(this.kind, merged)), managedFields);
        return { outcome: 'created', object: await this.#objects.insert(next, options) };
      }
      const wanted = parseChange(this.kind, merged, current.stored);
      const next = rules.updated(this.kind, current.stored, {
        ...wanted,
        metadata: { ...wanted.metadata, managedFields },
      });
      const outcome = next === current.stored ? 'unchanged' : 'configured';
      return { outcome, object: await this.#objects.replace(current, next, options) };
    };
    return options.resourceVersion === undefined ? retryOnConflict(attempt) : attempt();
  }

  /** The limits of a store's commit apply: 128 writes, including one for the fence. */
  async changeAll(
    places: readonly ObjectPlace[],
    change: ObjectChange<ApiObject<Spec, Status>, ObjectInput<SpecInput, StatusInput>>,
  ): Promise<void> {
    await retryOnConflict(async () => {
      const decided = await Promise.all(
        places.map(async (place) => {
          const current = await this.#current(this.#key(place.namespace, place.name));
          const wanted = change(place, current && withRevision(current.stored, current.revision));
          return wanted && this.#changed(current, wanted);
        }),
      );
      const writes = decided.filter((write) => write !== undefined);
      if (writes.length === 0) return;
      const outcome = await this.#dependencies.writer.commit(writes);
      if (typeof outcome !== 'number') throw new WriteConflict(this.kind.kind, outcome.conflict);
    });
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<ApiObject<Spec, Status> | undefined> {
    const attempt = async () => {
      const current = await this.#current(this.#key(options.namespace, name));
      if (!current) return undefined;
      rules.checkPrecondition(this.kind, current, options);
      const next = rules.deleted(current.stored, this.#now(), options.propagationPolicy);
      if (next) return this.#objects.replace(current, next, options);
      return this.#objects.remove({ ...current, stored: rules.withoutFinalizers(current.stored) }, options);
    };
    return options.resourceVersion === undefined ? retryOnConflict(attempt) : attempt();
  }

  /** One batch per commit. All watches of the kind share one reader of the log. */
  watch(options: WatchSelection): AsyncIterableIterator<EventBatch<Spec, Status>> {
    const { resourceVersion, progress = false, signal } = options;
    const eventsOf = eventsFor(this.kind, options);
    const log = this.#dependencies.logs.of(this.kind);
    return log.watch({ after: revisionOf(resourceVersion), progress, signal }, (commit) => {
      const events = eventsOf(commit);
      return events.length > 0 || progress ? { resourceVersion: String(commit.revision), events } : undefined;
    });
  }

  async *watchVersions(options: VersionWatchOptions): AsyncGenerator<VersionBatch, void> {
    const { namespace, resourceVersion, signal } = options;
    const after = revisionOf(resourceVersion);
    const prefix = prefixOf(this.kind, namespace);
    const commits = this.#dependencies.store.watch(prefix, { after, detail: 'keys', ...(signal && { signal }) });
    for await (const commit of commits) yield versionsOf(commit);
  }

  #key(namespace: string | undefined, name: string): string {
    return keyOf(this.kind, namespace ?? NAMESPACE_DEFAULT, name);
  }

  async #current(key: string): Promise<Current<Spec, Status> | undefined> {
    const entry = await this.#dependencies.store.get(key);
    return entry && { stored: decode(this.kind, key, entry.value), revision: entry.revision };
  }

  async #existing(key: string, name: string): Promise<Current<Spec, Status>> {
    const current = await this.#current(key);
    if (!current) throw this.#notFound(name);
    return current;
  }

  /** What is written with the secrets that its writer was not shown, and the object to compare it with. */
  async #unseen(object: unknown): Promise<Unseen<Spec, Status> | undefined> {
    const written = plain(object ?? null);
    const name = valueAt(written, ['metadata', 'name']);
    const namespace = valueAt(written, ['metadata', 'namespace']);
    // Validation rejects an object without a name.
    if (typeof name !== 'string') return undefined;
    const key = this.#key(typeof namespace === 'string' ? namespace : undefined, name);
    return this.#unseenIn(await this.#existing(key, name), written);
  }

  #unseenIn(current: Current<Spec, Status>, input: JsonValue): Unseen<Spec, Status> {
    const { written, stored } = keepSecrets(this.kind, input, asJson(current.stored));
    // Only secrets differ from the stored object.
    return { written, current: { ...current, stored: stored as unknown as StoredObject<Spec, Status> } };
  }

  #notFound(name: string): ApiError {
    return new ApiError('NotFound', { kind: this.kind.kind, name });
  }

  /** The object that the caller knows, if it is the one to be replaced: the commit fails if it has changed since. */
  #known(
    key: string,
    { known, dryRun = false }: UpdateOptions<ApiObject<Spec, Status>>,
  ): Current<Spec, Status> | undefined {
    if (known === undefined || dryRun || this.#key(known.metadata.namespace, known.metadata.name) !== key) {
      return undefined;
    }
    return { stored: withoutRevision(known), revision: revisionOf(known.metadata.resourceVersion) };
  }

  /** The first attempt uses the known object, the others read it. Without a `resourceVersion`, conflicts are retried. */
  async #attempts<Result>(
    attempt: (known?: Current<Spec, Status>) => Promise<Result>,
    key: string,
    options: UpdateOptions<ApiObject<Spec, Status>> & Pick<Precondition, 'resourceVersion'>,
  ): Promise<Result> {
    const known = this.#known(key, options);
    try {
      if (known) return await attempt(known);
    } catch (error) {
      // It has changed or was deleted: only a read tells which.
      if (!(error instanceof WriteConflict)) throw error;
    }
    return options.resourceVersion === undefined ? retryOnConflict(() => attempt()) : attempt();
  }

  /** The write from the current to the wanted object; undefined if there is no difference. */
  #changed(current: Current<Spec, Status> | undefined, wanted: unknown): Write | undefined {
    const next = current
      ? this.#updated(current, parseChange(this.kind, wanted, current.stored), {})
      : this.#created(parseInput(this.kind, wanted));
    if (next === current?.stored) return undefined;
    const key = this.#key(next.metadata.namespace, next.metadata.name);
    return { type: 'put', key, value: encode(next), expected: current?.revision ?? 0 };
  }

  #created(wanted: DefaultedObject<Spec, Status>): StoredObject<Spec, Status> {
    return rules.created(this.kind, wanted, { uid: this.#dependencies.random.uuid(), timestamp: this.#now() });
  }

  #updated(
    { stored }: Current<Spec, Status>,
    wanted: DefaultedObject<Spec, Status>,
    options: WriteOptions,
  ): StoredObject<Spec, Status> {
    const next = rules.updated(this.kind, stored, wanted);
    return isReset(wanted.metadata.managedFields) ? next : this.#authored(stored, next, options);
  }

  /** The object with the finalizer of the options. */
  #finalized(
    stored: StoredObject<Spec, Status>,
    options: StatusOptions<ApiObject<Spec, Status>>,
  ): StoredObject<Spec, Status> {
    const { finalizer } = options;
    if (finalizer === undefined) return stored;
    return this.#authored(stored, rules.withFinalizer(this.kind, stored, finalizer), options);
  }

  /** The object with its managers after a write: the same object if they are not tracked. */
  #authored(
    before: StoredObject<Spec, Status> | undefined,
    next: StoredObject<Spec, Status>,
    options: WriteOptions,
    subresource?: 'status',
  ): StoredObject<Spec, Status> {
    if (next === before || !isTracked(next, options)) return next;
    const manager = options.manager ?? this.#dependencies.manager;
    return withManagers(this.kind, before, next, { manager, subresource, timestamp: this.#now() });
  }

  #now(): string {
    return timestampAt(this.#dependencies.clock.now());
  }
}
