/** Events of a watch as batches of the contract: one per event, and empty ones for bookmarks. */
import { ApiError, type EventBatch, type Kind, keyOf, type VersionBatch } from '@ecsm/runtime';
import { isObject, isPartialObject, objectProblem, partialProblem, withKind } from './objects.ts';
import type { RawEvent } from './watch.ts';

export const partialObject = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

const types = { ADDED: 'Added', MODIFIED: 'Modified', DELETED: 'Deleted' } as const;

export function batchOf<Spec, Status>(kind: Kind, event: RawEvent): EventBatch<Spec, Status> {
  const { type, resourceVersion } = event;
  if (type === 'BOOKMARK') return { resourceVersion, events: [] };
  const object = withKind(kind, event.object);
  if (isObject<Spec, Status>(kind, object)) return { resourceVersion, events: [{ type: types[type], object }] };
  const key = isPartialObject(object) ? keyOf(kind, object.metadata.namespace ?? '', object.metadata.name) : '';
  return { resourceVersion, events: [{ type: 'Problem', key, reason: objectProblem(kind, object) ?? 'invalid' }] };
}

export function versionBatchOf(kind: Kind, { type, resourceVersion, object }: RawEvent): VersionBatch {
  if (type === 'BOOKMARK') return { resourceVersion, changes: [] };
  if (!isPartialObject(object)) {
    throw new ApiError('BadAnswer', { what: `the watch of ${kind.plural}`, reason: partialProblem(object) });
  }
  const { name, namespace, uid } = object.metadata;
  const key = keyOf(kind, namespace ?? '', name);
  const change =
    type === 'DELETED' ? ({ type: 'delete', key } as const) : ({ type: 'put', key, identity: uid } as const);
  return { resourceVersion, changes: [change] };
}
