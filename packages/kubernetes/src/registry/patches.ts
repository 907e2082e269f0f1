/** The bodies of patches: of a status, with preconditions, and of a server-side apply. */
import {
  ApiError,
  type ApplyOptions,
  deepEqual,
  isApiError,
  type JsonValue,
  type Precondition,
  shape,
} from '@ecsm/runtime';
import type { PreparedObject } from './objects.ts';

/**
 * A JSON patch that replaces the whole status, without reading the object first. Of its operations only the test of the
 * uid can fail, which the server answers with `Invalid` without a field.
 */
export function statusPatch(status: unknown, { uid, resourceVersion }: Precondition): readonly unknown[] {
  return [
    ...(uid === undefined ? [] : [{ op: 'test', path: '/metadata/uid', value: uid }]),
    ...(resourceVersion === undefined
      ? []
      : [{ op: 'add', path: '/metadata/resourceVersion', value: resourceVersion }]),
    { op: 'add', path: '/status', value: status ?? {} },
    ...(status === undefined ? [{ op: 'remove', path: '/status' }] : []),
  ];
}

/** A merge patch with its precondition, which the server compares as part of the metadata. */
export function mergePatchBody(patch: JsonValue, precondition: Precondition): unknown {
  if (!shape.isObject(patch)) throw new ApiError('BadRequest', { reason: 'a merge patch must be an object' });
  const metadata = withPrecondition(shape.isObject(patch['metadata']) ? patch['metadata'] : {}, precondition);
  return { ...patch, ...(Object.keys(metadata).length === 0 ? {} : { metadata }) };
}

/** Set by the server, so an apply must not contain them. */
const serverFields: readonly string[] = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
];

/** What a caller applies: without the status and without fields of the server, as in a file that was exported. */
export function applyBody({ body }: PreparedObject, options: ApplyOptions): unknown {
  const { status, ...rest } = body;
  const own = Object.entries(body.metadata).filter(
    ([field, value]) => !serverFields.includes(field) && !isEmpty(value),
  );
  const metadata = withPrecondition(Object.fromEntries(own), options);
  if (options.subresource === undefined) return { ...rest, metadata };
  const { apiVersion, kind } = body;
  return { apiVersion, kind, metadata, status };
}

/** Kubernetes would write a custom resource again at each apply of an empty list or map in its metadata. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function withPrecondition(
  metadata: Readonly<Record<string, unknown>>,
  { uid, resourceVersion }: Precondition,
): Readonly<Record<string, unknown>> {
  return {
    ...metadata,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

export const jsonPatchType = 'application/json-patch+json';

/** Whether the server has refused the uid of a precondition: at its field, or, as a failed test, at none. */
export function isOtherUid(error: unknown, contentType: string | undefined): boolean {
  const path = contentType === jsonPatchType ? '' : 'metadata.uid';
  return isApiError(error, 'Invalid') && error.details.errors.some((one) => one.path === path);
}

/** Whether two objects are equal apart from their managers, which every apply may change. */
export function isSameContent(one: unknown, other: unknown): boolean {
  return deepEqual(withoutManagers(one), withoutManagers(other));
}

function withoutManagers(value: unknown): unknown {
  if (!shape.isObject(value) || !shape.isObject(value['metadata'])) return value;
  const { managedFields: _, ...metadata } = value['metadata'];
  return { ...value, metadata };
}
