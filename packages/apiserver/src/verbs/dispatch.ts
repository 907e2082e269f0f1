/** Calls the verb of a request. */
import { HttpError, pathNotFound } from '../response/http-error.ts';
import type { Answer, Call } from './call.ts';
import { remove, removeCollection } from './delete.ts';
import { isNamespace } from './namespaces.ts';
import { patch } from './patch.ts';
import { get, list } from './read.ts';
import { scale } from './scale.ts';
import { create, notAllowed, update } from './write.ts';

/** All verbs but watch, which answers with a stream. Throws at once for a verb that the resource does not have. */
export function dispatch(call: Call, verb: string): Promise<Answer> {
  const { subresource, target, name } = call;
  requireAddressable(call, verb);
  if (subresource === 'scale') return scale(call, verb);
  if (subresource !== undefined && (subresource !== 'status' || target.kind.status === undefined)) {
    const reason = target.missingSubresource?.(subresource);
    throw reason === undefined ? pathNotFound() : new HttpError(501, 'NotImplemented', reason);
  }
  switch (verb) {
    case 'get':
      return get(call);
    case 'list':
      return list(call);
    case 'create':
      if (name !== undefined) throw notAllowed(target.kind, 'create');
      return create(call);
    case 'update':
      return update(call);
    case 'patch':
      return patch(call);
    case 'delete':
      // A subresource has permissions of its own, which are not those to delete the object.
      if (subresource !== undefined) throw notAllowed(target.kind, 'delete');
      return remove(call);
    case 'deletecollection':
      return removeCollection(call);
    default:
      throw notAllowed(target.kind, verb);
  }
}

/**
 * Only lists are of all namespaces: any other request in none would affect objects that its client did not mean. A
 * namespace is deleted by its name, one at a time.
 */
function requireAddressable({ target: { kind }, namespace, name }: Call, verb: string): void {
  const isNowhere = kind.scope === 'Namespaced' && namespace === undefined && verb !== 'list';
  if (isNowhere && name !== undefined) throw pathNotFound();
  const isNameless = name === undefined && (verb === 'update' || verb === 'patch');
  const isOfNamespaces = verb === 'deletecollection' && isNamespace(kind);
  if (isNowhere || isNameless || isOfNamespaces) throw notAllowed(kind, verb);
}
