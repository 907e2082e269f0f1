/** The verbs create and update, also of the status. */
import { isApiError, type Kind } from '@ecsm/runtime';
import { writeOptionsOf } from '../request/options.ts';
import { type HttpError, methodNotAllowed } from '../response/http-error.ts';
import { type Answer, type AnyObject, type AnyResource, type Call, type Json, writtenAnswer } from './call.ts';
import { inputOf, isObject } from './input.ts';
import { requireNamespace } from './namespaces.ts';
import { prepare } from './prepare.ts';
import { existing } from './read.ts';

/** Attempts of an update that names no version, while others write the same object. */
const attemptsMax = 5;

export async function create(call: Call): Promise<Answer> {
  const { resource } = writable(call);
  const object = prepare(call.target.kind, await inputOf(call));
  const { name } = metadataOf(object);
  await requireNamespace(call, typeof name === 'string' ? name : undefined);
  await call.admit(object);
  return writtenAnswer(call, 201, await resource.create(asInput(object), optionsOf(call)));
}

export async function update(call: Call): Promise<Answer> {
  const { resource } = writable(call);
  const object = await inputOf(call);
  if (call.subresource === 'status') return writtenAnswer(call, 200, await putStatus(call, resource, object));
  return writtenAnswer(call, 200, await replace(call, prepare(call.target.kind, object)));
}

/**
 * Custom kinds require the version that was read, as in Kubernetes; core kinds are replaced without it, too. `known` is
 * the object that was read, if it was.
 */
export async function replace(call: Call, object: Json, known?: AnyObject): Promise<AnyObject> {
  await call.admit(object);
  const { resource } = writable(call);
  const { kind } = call.target;
  const isUnconditional = versionOf(object) === undefined && (kind.group === '' || kind.group.endsWith('.k8s.io'));
  // An object that does not exist is missing, not invalid.
  if (!isUnconditional && versionOf(object) === undefined) await existing(call.target, call.namespace, call.name ?? '');
  if (!isUnconditional) return resource.update(asInput(object), { ...optionsOf(call), ...(known && { known }) });
  for (let attempt = 1; ; attempt++) {
    const { metadata } = await existing(call.target, call.namespace, call.name ?? '');
    const { resourceVersion } = metadata;
    const versioned = { ...object, metadata: { ...metadataOf(object), resourceVersion } };
    try {
      return await resource.update(asInput(versioned), optionsOf(call));
    } catch (error) {
      if (!isApiError(error, 'Conflict') || attempt === attemptsMax) throw error;
    }
  }
}

export async function putStatus(call: Call, resource: AnyResource, object: Json): Promise<AnyObject> {
  const { name = '', namespace } = call;
  const { uid } = metadataOf(object);
  const resourceVersion = versionOf(object);
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(typeof uid === 'string' ? { uid } : {}),
  };
  const options = { ...optionsOf(call), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  return resource.updateStatus({ metadata, status: object['status'] }, options);
}

export function optionsOf({ query, defaultManager, hidesSecrets }: Call): OwnOptions {
  const { dryRun, fieldManager } = writeOptionsOf(query);
  return { dryRun, manager: fieldManager ?? defaultManager, ...(hidesSecrets && { withoutSecrets: true }) };
}

interface OwnOptions {
  readonly dryRun: boolean;
  readonly manager: string;
  readonly withoutSecrets?: true;
}

/** Throws 405 for a resource that can only be read. */
export function writable({ target: { kind, resource } }: Call): { readonly resource: AnyResource } {
  if (!isWritable(resource)) throw notAllowed(kind, 'writing');
  return { resource };
}

export function isWritable(resource: Call['target']['resource']): resource is AnyResource {
  return resource.create !== undefined && resource.update !== undefined && resource.delete !== undefined;
}

export function metadataOf(object: Json): Json {
  return isObject(object['metadata']) ? object['metadata'] : {};
}

export function versionOf(object: Json): string | undefined {
  const { resourceVersion } = metadataOf(object);
  return typeof resourceVersion === 'string' && resourceVersion !== '' ? resourceVersion : undefined;
}

/** The registry validates its input, whatever its type claims. */
export function asInput(object: Json): Parameters<AnyResource['create']>[0] {
  return object as Parameters<AnyResource['create']>[0];
}

export function notAllowed({ group, plural }: Pick<Kind, 'group' | 'plural'>, action: string): HttpError {
  return methodNotAllowed({ group, resource: plural }, action);
}
