/** The objects of one kind on an API server. The server validates, completes and orders them. */
import {
  ApiError,
  type ApiObject,
  type Applied,
  type ApplyOptions,
  type DeleteOptions,
  type EventBatch,
  isApiError,
  type JsonValue,
  type Kind,
  keyOf,
  type ListOptions,
  type Namespaced,
  type ObjectInput,
  type ObjectList,
  type Precondition,
  type Resource,
  type StatusOptions,
  type StatusUpdate,
  type VersionBatch,
  type VersionOptions,
  type VersionPage,
  type VersionWatchOptions,
  type WatchSelection,
  type WriteOptions,
} from '@ecsm/runtime';
import type { RestRequest, RestResponse } from '../rest/client.ts';
import { batchOf, partialObject, versionBatchOf } from './batches.ts';
import { listObjects, listVersions, selectorsOf } from './list.ts';
import { isObject, isPartialObject, objectProblem, prepared, refuse, withVersion } from './objects.ts';
import { applyBody, isOtherUid, isSameContent, jsonPatchType, mergePatchBody, statusPatch } from './patches.ts';
import { collectionPath, objectPath, subjectOf } from './paths.ts';
import { withSuggestions } from './suggestions.ts';
import { type WatchDependencies, watchEvents } from './watch.ts';
import type { Writer } from './write.ts';

interface ResourceDependencies extends WatchDependencies {
  readonly writer: Writer;
  /** The field manager of writes that name none. */
  readonly manager: string;
}

/** `manager` is the owner of the written fields; with `force` an apply takes over those of other managers. */
interface ManagedWriteOptions extends WriteOptions {
  readonly manager?: string;
  readonly force?: boolean;
}

/** Of a deletion that has a conflict, without a precondition of the caller. */
const deleteAttemptsMax = 4;

export class KubernetesResource<Spec, Status, SpecInput = Spec, StatusInput = Status>
  implements Resource<Spec, Status, SpecInput, StatusInput>
{
  readonly kind: Kind<Spec, Status, SpecInput, StatusInput>;
  readonly #dependencies: ResourceDependencies;

  constructor(kind: Kind<Spec, Status, SpecInput, StatusInput>, dependencies: ResourceDependencies) {
    this.kind = kind;
    this.#dependencies = dependencies;
  }

  async get(name: string, options: Namespaced = {}): Promise<ApiObject<Spec, Status>> {
    const path = objectPath(this.kind, options.namespace, name);
    const subject = subjectOf(this.kind, name);
    return this.#object((await this.#dependencies.client.request({ method: 'GET', path, subject })).body, path);
  }

  list(options: ListOptions = {}): Promise<ObjectList<Spec, Status>> {
    return listObjects(this.#dependencies.client, this.kind, options);
  }

  versions(options: VersionOptions = {}): Promise<VersionPage> {
    return listVersions(this.#dependencies.client, this.kind, options);
  }

  async *watch(options: WatchSelection): AsyncGenerator<EventBatch<Spec, Status>, void> {
    const selectors = selectorsOf(options);
    for await (const event of watchEvents(this.#dependencies, { ...this.#watched(options), selectors })) {
      yield batchOf<Spec, Status>(this.kind, event);
    }
  }

  async *watchVersions(options: VersionWatchOptions): AsyncGenerator<VersionBatch, void> {
    const request = { ...this.#watched(options), accept: partialObject, selectors: {} };
    for await (const event of watchEvents(this.#dependencies, request)) yield versionBatchOf(this.kind, event);
  }

  async create(
    object: ObjectInput<SpecInput, StatusInput>,
    options: ManagedWriteOptions = {},
  ): Promise<ApiObject<Spec, Status>> {
    const { name, namespace, body } = prepared(this.kind, object);
    if (body.metadata['resourceVersion'] !== undefined) {
      const message = 'must not be set on an object to be created';
      refuse(this.kind, name, 'metadata.resourceVersion', 'Forbidden', message);
    }
    const path = collectionPath(this.kind, namespace);
    return this.#write({ method: 'POST', path, body }, name, options);
  }

  async update(
    object: ObjectInput<SpecInput, StatusInput>,
    options: ManagedWriteOptions = {},
  ): Promise<ApiObject<Spec, Status>> {
    const { name, namespace, body } = prepared(this.kind, object);
    const version = body.metadata['resourceVersion'];
    if (version === undefined) {
      refuse(this.kind, name, 'metadata.resourceVersion', 'Required value', 'must be set for an update');
    }
    const path = objectPath(this.kind, namespace, name);
    return this.#write({ method: 'PUT', path, body }, name, options, version);
  }

  async updateStatus(
    update: StatusUpdate<Status | StatusInput>,
    options: ManagedWriteOptions & StatusOptions<ApiObject<Spec, Status>> = {},
  ): Promise<ApiObject<Spec, Status>> {
    const { kind } = this;
    if (kind.status === undefined) throw new ApiError('BadRequest', { reason: `${kind.kind} has no status` });
    const { name, namespace, uid } = update.metadata;
    const finalized = await this.#finalized(update.metadata, options);
    const isFinalized = finalized !== undefined && options.resourceVersion !== undefined && options.dryRun !== true;
    const { resourceVersion } = isFinalized ? finalized.metadata : options;
    const precondition = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion && { resourceVersion }) };
    const request = {
      method: 'PATCH',
      path: objectPath(kind, namespace, name, 'status'),
      body: statusPatch(update.status, precondition),
      contentType: jsonPatchType,
    } as const;
    return this.#write(request, name, { ...options, ...precondition }, resourceVersion);
  }

  /** Adds the finalizer of the options. Returns undefined if there is nothing to add. */
  async #finalized(
    { name, namespace, uid }: StatusUpdate<unknown>['metadata'],
    options: ManagedWriteOptions & StatusOptions<ApiObject<Spec, Status>>,
  ): Promise<ApiObject<Spec, Status> | undefined> {
    const { finalizer, known } = options;
    if (finalizer === undefined) return undefined;
    const place = namespace === undefined ? {} : { namespace };
    const { metadata } = known ?? (await this.get(name, place));
    const { finalizers = [], deletionTimestamp } = metadata;
    if (finalizers.includes(finalizer)) return undefined;
    if (deletionTimestamp !== undefined) {
      throw new ApiError('Conflict', { kind: this.kind.kind, name, reason: 'the object is being deleted' });
    }
    // Only at the version that was read: a finalizer that was added since must not be lost.
    const precondition = { ...place, uid: uid ?? metadata.uid, resourceVersion: metadata.resourceVersion };
    return this.patch(name, { metadata: { finalizers: [...finalizers, finalizer] } }, { ...options, ...precondition });
  }

  async patch(
    name: string,
    patch: JsonValue,
    options: Namespaced & Precondition & ManagedWriteOptions = {},
  ): Promise<ApiObject<Spec, Status>> {
    const request = {
      method: 'PATCH',
      path: objectPath(this.kind, options.namespace, name),
      body: mergePatchBody(patch, options),
      contentType: 'application/merge-patch+json',
    } as const;
    return this.#write(request, name, options, options.resourceVersion);
  }

  /** Server-side apply. The version before it tells whether it has changed anything. */
  async apply(object: ObjectInput<SpecInput, StatusInput>, options: ApplyOptions = {}): Promise<Applied<Spec, Status>> {
    const wanted = prepared(this.kind, object);
    const { name, namespace } = wanted;
    const before = await this.#before(name, namespace, options.dryRun === true);
    const request = {
      method: 'PATCH',
      path: `${objectPath(this.kind, namespace, name)}${options.subresource === undefined ? '' : `/${options.subresource}`}`,
      body: applyBody(wanted, options),
      contentType: 'application/apply-patch+yaml',
      query: { force: options.force === true ? 'true' : undefined },
    } as const;
    const { status, body } = await this.#send(request, name, options);
    const after = this.#object(body, request.path, 'Unavailable');
    if (status === 201) return { outcome: 'created', object: this.#reported(after, options) };
    const isSame = options.dryRun
      ? isSameContent(before, after)
      : before?.metadata.resourceVersion === after.metadata.resourceVersion;
    return isSame
      ? { outcome: 'unchanged', object: after }
      : { outcome: 'configured', object: this.#reported(after, options) };
  }

  /** The object is read first: the server answers with the uid alone if there is nothing left of it. */
  async delete(name: string, options: DeleteOptions = {}): Promise<ApiObject<Spec, Status> | undefined> {
    const { namespace, uid, resourceVersion, dryRun, propagationPolicy = 'Background' } = options;
    const path = objectPath(this.kind, namespace, name);
    for (let attempts = 1; ; attempts++) {
      try {
        const known = await this.get(name, options);
        const preconditions = {
          uid: uid ?? known.metadata.uid,
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        };
        const body = {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          propagationPolicy,
          preconditions,
          ...(dryRun ? { dryRun: ['All'] } : {}),
        };
        const subject = subjectOf(this.kind, name);
        const answer = (await this.#dependencies.writer.send({ method: 'DELETE', path, body, subject })).body;
        return this.#reported(isObject<Spec, Status>(this.kind, answer) ? answer : known, options);
      } catch (error) {
        if (isApiError(error, 'NotFound')) return undefined;
        // Another object of the name has been created in between; or the server refuses it for a reason of its own.
        const isReplaced = isApiError(error, 'Conflict') && uid === undefined && resourceVersion === undefined;
        if (!isReplaced || attempts === deleteAttemptsMax) throw error;
      }
    }
  }

  /** Sends a write and returns the object of its response. A write that has not changed the version is not reported. */
  async #write(
    request: RestRequest,
    name: string,
    options: ManagedWriteOptions & Precondition,
    versionBefore?: unknown,
  ): Promise<ApiObject<Spec, Status>> {
    const { body } = await this.#send(request, name, options);
    const object = this.#object(body, request.path, 'Unavailable');
    return object.metadata.resourceVersion === versionBefore ? object : this.#reported(object, options);
  }

  async #send(
    request: RestRequest,
    name: string,
    { dryRun, manager, uid }: ManagedWriteOptions & Precondition,
  ): Promise<RestResponse> {
    const query = {
      ...request.query,
      fieldManager: manager ?? this.#dependencies.manager,
      // An unknown field is an error, as in every registry, and not dropped silently.
      fieldValidation: 'Strict',
      dryRun: dryRun ? 'All' : undefined,
    };
    const subject = subjectOf(this.kind, name);
    try {
      const response = await this.#dependencies.writer.send({ ...request, query, subject });
      return dryRun ? { ...response, body: withVersion(response.body) } : response;
    } catch (error) {
      if (uid === undefined || !isOtherUid(error, request.contentType)) throw withSuggestions(this.kind, error);
      const reason = `the uid is not ${uid}: this is another object of the same name`;
      throw new ApiError('Conflict', { kind: this.kind.kind, name, reason }, error);
    }
  }

  #reported(object: ApiObject<Spec, Status>, { dryRun }: WriteOptions): ApiObject<Spec, Status> {
    const { name, namespace, resourceVersion } = object.metadata;
    if (!dryRun) this.#dependencies.writer.written(resourceVersion, keyOf(this.kind, namespace, name));
    return object;
  }

  /** The object before an apply: all of it, or its metadata. */
  async #before(name: string, namespace: string, isWhole: boolean) {
    try {
      if (isWhole) return await this.get(name, { namespace });
      const path = objectPath(this.kind, namespace, name);
      const subject = subjectOf(this.kind, name);
      const { body } = await this.#dependencies.client.request({ method: 'GET', path, subject, accept: partialObject });
      return isPartialObject(body) ? body : undefined;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #watched({ namespace, resourceVersion, signal }: VersionWatchOptions) {
    return { path: collectionPath(this.kind, namespace), subject: subjectOf(this.kind), resourceVersion, signal };
  }

  /** After an unreadable response a write may have happened, which is `Unavailable`. */
  #object(value: unknown, what: string, code: 'BadAnswer' | 'Unavailable' = 'BadAnswer'): ApiObject<Spec, Status> {
    if (isObject<Spec, Status>(this.kind, value)) return value;
    throw new ApiError(code, { what, reason: objectProblem(this.kind, value) ?? 'invalid' });
  }
}
