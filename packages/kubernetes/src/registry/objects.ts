/** Objects from and for an API server. Those that were read are returned as they are, with unknown fields. */
import { ApiError, type ApiObject, shape } from '@ecsm/runtime';
import { namespaceOf, type ServedKind } from './paths.ts';

const { object, optional, nullable, string } = shape;

const metadataShape = object({
  name: string(),
  namespace: optional(nullable(string())),
  uid: string(),
  resourceVersion: string(),
});
const objectShape = object({ apiVersion: string(), kind: string(), metadata: metadataShape });
const partialShape = object({ metadata: metadataShape });

type PartialObject = shape.Shaped<typeof partialShape>;

/** Why a value is not an object of the kind; undefined if it is one. */
export function objectProblem(kind: ServedKind, value: unknown): string | undefined {
  const problem = shape.complaint(objectShape, value, 'the object');
  if (problem !== undefined) return problem;
  return isOfKind(kind, value) ? undefined : `the object is not a ${kind.kind} of ${kind.apiVersion}`;
}

/** The only place where the type of a server's object is asserted: the server has validated it by its schema. */
export function isObject<Spec, Status>(kind: ServedKind, value: unknown): value is ApiObject<Spec, Status> {
  return objectShape.check(value) === undefined && isOfKind(kind, value);
}

export function isPartialObject(value: unknown): value is PartialObject {
  return partialShape.check(value) === undefined;
}

export function partialProblem(value: unknown): string {
  return shape.complaint(partialShape, value, 'the object') ?? 'the object is invalid';
}

/** A dry run of a create returns an object that has no version. */
export function withVersion(value: unknown): unknown {
  if (!shape.isObject(value) || !shape.isObject(value['metadata'])) return value;
  return { ...value, metadata: { resourceVersion: '0', ...value['metadata'] } };
}

/** Items of a list have neither apiVersion nor kind if the list is of built-in kinds. */
export function withKind(kind: ServedKind, value: unknown): unknown {
  if (!shape.isObject(value) || value['kind'] !== undefined) return value;
  return { apiVersion: kind.apiVersion, kind: kind.kind, ...value };
}

/**
 * An object of a caller, complete with apiVersion, kind and namespace. Its name may be empty if `generateName` is set.
 * Throws `BadRequest` or `Invalid`.
 */
export function prepared(kind: ServedKind, input: unknown): PreparedObject {
  if (!shape.isObject(input)) throw new ApiError('BadRequest', { reason: `a ${kind.kind} must be an object` });
  const { namespace: given, ...metadata } = shape.isObject(input['metadata']) ? input['metadata'] : {};
  const name = metadata['name'] ?? '';
  if (typeof name !== 'string' || (name === '' && typeof metadata['generateName'] !== 'string')) {
    refuse(kind, '', 'metadata.name', 'Required value', 'must be set');
  }
  if (given !== undefined && typeof given !== 'string') {
    refuse(kind, name, 'metadata.namespace', 'Invalid value', 'must be a string');
  }
  if (given && kind.scope === 'Cluster') {
    refuse(kind, name, 'metadata.namespace', 'Forbidden', `a ${kind.kind} has no namespace`);
  }
  const namespace = namespaceOf(kind, given || undefined);
  return {
    name,
    namespace,
    body: {
      ...input,
      apiVersion: input['apiVersion'] ?? kind.apiVersion,
      kind: input['kind'] ?? kind.kind,
      metadata: { ...metadata, ...(namespace === '' ? {} : { namespace }) },
    },
  };
}

export interface PreparedObject {
  readonly name: string;
  readonly namespace: string;
  readonly body: Readonly<Record<string, unknown>> & { readonly metadata: Readonly<Record<string, unknown>> };
}

export function refuse(
  kind: ServedKind,
  name: string,
  path: string,
  type: 'Required value' | 'Invalid value' | 'Forbidden',
  message: string,
): never {
  throw new ApiError('Invalid', { kind: kind.kind, name, errors: [{ path, type, message }] });
}

function isOfKind(kind: ServedKind, value: unknown): boolean {
  return shape.isObject(value) && value['kind'] === kind.kind && value['apiVersion'] === kind.apiVersion;
}
