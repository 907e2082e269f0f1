/** The object in the body of a request: decoded, addressed by the URL, and without unknown fields. */
import { ApiError, prune, setOwn } from '@ecsm/runtime';
import { decodeBody } from '../request/body.ts';
import { writeOptionsOf } from '../request/options.ts';
import type { Call, Json } from './call.ts';

/** Warnings in one response: clients accept headers of a limited size. */
export const warningsMax = 20;

/** Throws `BadRequest` if the body is not an object of the kind at the address of the request. */
export async function inputOf(call: Call): Promise<Json> {
  const { value, duplicates } = await decodeBody(call.body.bytes, call.body.contentType);
  return checkedInput(call, value, duplicates);
}

/** As `inputOf`, of a value that was decoded before. */
export function checkedInput(call: Call, value: unknown, duplicates: readonly string[] = []): Json {
  const { kind } = call.target;
  if (!isObject(value)) throw badRequest(`the request body is not a ${kind.kind}`);
  const object = addressed(call, value);
  const pruned = prune(kind.schema, object);
  reportFields(call, [
    ...duplicates.map((path) => `duplicate field "${path}"`),
    ...pruned.unknown.map((path) => `unknown field "${path}"`),
  ]);
  return isObject(pruned.value) ? pruned.value : object;
}

/** Rejects, reports or ignores unknown and duplicate fields, as the client has asked for. */
function reportFields({ query, warn, target: { kind } }: Call, problems: readonly string[]): void {
  const { fieldValidation } = writeOptionsOf(query);
  if (problems.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Warn') {
    for (const problem of problems.slice(0, warningsMax)) warn(problem);
    return;
  }
  throw badRequest(
    `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: strict decoding error: ${problems.join(', ')}`,
  );
}

/** The address of the URL, which the object may leave out and must not contradict. */
function addressed({ target: { kind }, namespace, name }: Call, object: Json): Json {
  const { apiVersion = kind.apiVersion, kind: kindName = kind.kind, metadata = {} } = object;
  if (apiVersion !== kind.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${kind.apiVersion})`,
    );
  }
  if (kindName !== kind.kind) {
    throw badRequest(`the kind in the data (${kindName}) does not match the expected kind (${kind.kind})`);
  }
  if (!isObject(metadata)) throw badRequest('metadata is not an object');
  if (namespace !== undefined && hasValue(metadata['namespace']) && metadata['namespace'] !== namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  if (name !== undefined && hasValue(metadata['name']) && metadata['name'] !== name) {
    throw badRequest(`the name of the object (${metadata['name']}) does not match the name on the URL (${name})`);
  }
  return { ...object, apiVersion, kind: kindName, metadata: metadataAt(metadata, namespace, name) };
}

/** The metadata with the address, and without what is unset: client-go writes an unset creation time as null. */
function metadataAt(metadata: Json, namespace: string | undefined, name: string | undefined): Json {
  const result: Record<string, unknown> = {};
  if (name !== undefined) result['name'] = name;
  if (namespace !== undefined) result['namespace'] = namespace;
  for (const [field, value] of Object.entries(metadata)) {
    const isAddress = field === 'namespace' || field === 'selfLink' || (field === 'name' && name !== undefined);
    if (!isAddress && value !== null && value !== '') setOwn(result, field, value);
  }
  return result;
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

export function badRequest(reason: string): ApiError {
  return new ApiError('BadRequest', { reason });
}
