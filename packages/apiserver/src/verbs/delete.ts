/** The verbs delete and deletecollection. */
import { ApiError, isApiError } from '@ecsm/runtime';
import { decodeBody } from '../request/body.ts';
import { deleteOptionsOf } from '../request/options.ts';
import { successStatus } from '../response/status.ts';
import type { Answer, Call } from './call.ts';
import { badRequest, isObject } from './input.ts';
import { listed } from './read.ts';
import { writable } from './write.ts';

export async function remove(call: Call): Promise<Answer> {
  const { resource } = writable(call);
  const { name = '', target } = call;
  const { preconditions = {}, dryRun } = await optionsOf(call);
  const namespace = call.namespace === undefined ? {} : { namespace: call.namespace };
  const deleted = await resource.delete(name, { ...namespace, ...preconditions, dryRun });
  if (deleted === undefined) throw new ApiError('NotFound', { kind: target.kind.kind, name });
  // An object that waits for its finalizers is still there.
  if (deleted.metadata.deletionTimestamp !== undefined) return { type: 'object', code: 200, object: deleted };
  const { kind } = target;
  const details = {
    name,
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
    uid: deleted.metadata.uid,
  };
  return { type: 'other', code: 200, object: successStatus(details) };
}

export async function removeCollection(call: Call): Promise<Answer> {
  const { resource } = writable(call);
  const { dryRun } = await optionsOf(call);
  const { items, resourceVersion } = await listed(call);
  for (const { metadata } of items) {
    const { name, namespace, uid } = metadata;
    try {
      await resource.delete(name, { ...(namespace === undefined ? {} : { namespace }), uid, dryRun });
    } catch (error) {
      // Another object of the same name was created since, which was not selected.
      if (!isApiError(error, 'Conflict')) throw error;
    }
  }
  return { type: 'list', list: { items, resourceVersion } };
}

async function optionsOf({ query, body }: Call): Promise<ReturnType<typeof deleteOptionsOf>> {
  const decoded = body.bytes.byteLength === 0 ? undefined : (await decodeBody(body.bytes, body.contentType)).value;
  const options = deleteOptionsOf(query, isObject(decoded) ? decoded : undefined);
  // Dependents would be deleted, which is the opposite of what the client wants.
  if (options.propagationPolicy === 'Orphan') throw badRequest('the propagation policy Orphan is not supported');
  return options;
}
