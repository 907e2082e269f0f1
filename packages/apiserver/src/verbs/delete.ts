/** The verbs delete and deletecollection. */
import { ApiError, isApiError } from '@ecsm/runtime';
import { decodeBody } from '../request/body.ts';
import { type DeleteOptions, deleteOptionsOf } from '../request/options.ts';
import { successStatus } from '../response/status.ts';
import type { Answer, Call } from './call.ts';
import { isObject } from './input.ts';
import { requireDeletable } from './namespaces.ts';
import { listed } from './read.ts';
import { writable } from './write.ts';

export async function remove(call: Call): Promise<Answer> {
  const { resource } = writable(call);
  requireDeletable(call);
  const { name = '', target } = call;
  const options = await optionsOf(call);
  const namespace = call.namespace === undefined ? {} : { namespace: call.namespace };
  const deleted = await resource.delete(name, { ...namespace, ...options.preconditions, ...behaviourOf(options) });
  if (deleted === undefined) throw new ApiError('NotFound', { kind: target.kind.kind, name });
  const { deletionTimestamp, finalizers } = deleted.metadata;
  if (deletionTimestamp !== undefined && finalizers !== undefined) {
    // An object that waits for its finalizers is still there. Kubernetes answers with 202 in these two cases only.
    const isAccepted = options.propagationPolicy === 'Foreground' || options.orphanDependents === false;
    return { type: 'object', code: isAccepted ? 202 : 200, object: deleted };
  }
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
  const behaviour = behaviourOf(await optionsOf(call));
  const { items, resourceVersion } = await listed(call);
  for (const { metadata } of items) {
    const { name, namespace, uid } = metadata;
    try {
      await resource.delete(name, { ...(namespace === undefined ? {} : { namespace }), uid, ...behaviour });
    } catch (error) {
      // Another object of the same name was created since, which was not selected.
      if (!isApiError(error, 'Conflict')) throw error;
    }
  }
  return { type: 'list', list: { items, resourceVersion } };
}

async function optionsOf({ query, body }: Call): Promise<DeleteOptions> {
  const decoded = body.bytes.byteLength === 0 ? undefined : (await decodeBody(body.bytes, body.contentType)).value;
  return deleteOptionsOf(query, isObject(decoded) ? decoded : undefined);
}

function behaviourOf({
  dryRun,
  propagationPolicy,
}: DeleteOptions): Pick<DeleteOptions, 'dryRun' | 'propagationPolicy'> {
  return { dryRun, ...(propagationPolicy === undefined ? {} : { propagationPolicy }) };
}
