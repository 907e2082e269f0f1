/** The subresource scale: autoscaling/v1 Scale over the replicas of any kind that has them. */
import { ApiError, type JsonValue, mergePatch } from '@ecsm/runtime';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { decodeBody, patchTypeOf } from '../request/body.ts';
import { pathNotFound } from '../response/http-error.ts';
import type { Answer, Call, Json } from './call.ts';
import { badRequest, isObject } from './input.ts';
import { existing } from './read.ts';
import { notAllowed, optionsOf, versionOf, writable } from './write.ts';

export async function scale(call: Call, verb: string): Promise<Answer> {
  const before = scaleOf(call, await existing(call.target, call.namespace, call.name ?? ''));
  if (verb === 'get') return { type: 'other', code: 200, object: before };
  if (verb === 'update') return write(call, await decoded(call));
  if (verb !== 'patch') throw notAllowed(call.target.kind, verb);
  return write(call, await patched(call, before));
}

async function write(call: Call, wanted: Json): Promise<Answer> {
  const { resource } = writable(call);
  const { name = '', namespace } = call;
  const replicas = replicasOf(wanted);
  const resourceVersion = versionOf(wanted);
  const changed = await resource.patch(name, atPath(pathsOf(call).specReplicasPath, replicas), {
    ...(namespace === undefined ? {} : { namespace }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...optionsOf(call),
  });
  return { type: 'other', code: 200, object: scaleOf(call, changed) };
}

async function decoded({ body }: Call): Promise<Json> {
  const { value } = await decodeBody(body.bytes, body.contentType);
  if (!isObject(value)) throw badRequest('the request body is not a Scale');
  return value;
}

async function patched({ body }: Call, before: Json): Promise<Json> {
  const type = patchTypeOf(body.contentType, { strategic: true });
  const patch = (await decodeBody(body.bytes, 'application/json')).value as JsonValue;
  const plain = JSON.parse(JSON.stringify(before)) as JsonValue;
  const after: unknown = type === 'json' ? applyJsonPatch(plain, patch) : mergePatch(plain, patch);
  if (!isObject(after)) throw badRequest('the patch does not result in a Scale');
  return after;
}

function scaleOf(call: Call, object: Json): Json {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = pathsOf(call);
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const selector = labelSelectorPath === undefined ? undefined : at(object, labelSelectorPath);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: at(object, specReplicasPath) ?? 0 },
    status: { replicas: at(object, statusReplicasPath) ?? 0, ...(selector === undefined ? {} : { selector }) },
  };
}

function replicasOf(wanted: Json): number {
  const { spec } = wanted;
  const replicas = isObject(spec) ? (spec['replicas'] ?? 0) : undefined;
  if (typeof replicas === 'number' && Number.isSafeInteger(replicas) && replicas >= 0) return replicas;
  const error = { path: 'spec.replicas', type: 'Invalid value' as const, message: 'must be a non-negative integer' };
  throw new ApiError('Invalid', { kind: 'Scale', name: '', errors: [error] });
}

function pathsOf({ target: { kind } }: Call) {
  if (kind.scale === undefined) throw pathNotFound();
  return kind.scale;
}

function at(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), object);
}

function atPath(path: string, value: JsonValue): JsonValue {
  return path.split('.').reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value);
}
