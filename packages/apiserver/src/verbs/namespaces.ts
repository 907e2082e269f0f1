/** Objects are created only in namespaces that exist and are not being deleted. */
import { isApiError, NAMESPACE_DEFAULT } from '@ecsm/runtime';
import { Namespace } from '../kinds/core.ts';
import { HttpError, namespaceTerminating } from '../response/http-error.ts';
import type { Call } from './call.ts';

/** Throws `NotFound` if there is no such namespace, and 403 while it is being deleted. */
export async function requireNamespace({ registry, namespace, name, target: { kind } }: Call): Promise<void> {
  if (namespace === undefined || registry.kinds.find(Namespace.apiVersion, Namespace.kind) === undefined) return;
  // It always exists, also before the server has created its object.
  if (namespace === NAMESPACE_DEFAULT) return;
  const { metadata } = await registry
    .resource(Namespace)
    .get(namespace)
    .catch((error: unknown) => {
      throw isApiError(error, 'NotFound') ? missing(namespace) : error;
    });
  if (metadata.deletionTimestamp === undefined) return;
  throw namespaceTerminating({ group: kind.group, resource: kind.plural }, name ?? '', namespace);
}

/** The error is about the namespace, not about the object that was to be created in it. */
function missing(name: string): HttpError {
  return new HttpError(404, 'NotFound', `namespaces "${name}" not found`, { name, kind: Namespace.plural });
}
