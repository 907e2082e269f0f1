/** Objects are created only in namespaces that exist and are not being deleted. `default` always exists. */
import { isApiError, type Kind, NAMESPACE_DEFAULT } from '@ecsm/runtime';
import { Namespace } from '../kinds/core.ts';
import { HttpError, namespaceTerminating } from '../response/http-error.ts';
import type { Call } from './call.ts';

export function isNamespace({ apiVersion, kind }: Pick<Kind, 'apiVersion' | 'kind'>): boolean {
  return apiVersion === Namespace.apiVersion && kind === Namespace.kind;
}

/** Throws 403 for the namespace that most objects are in: its deletion would delete all of them. */
export function requireDeletable({ target: { kind }, name }: Call): void {
  if (!isNamespace(kind) || name !== NAMESPACE_DEFAULT) return;
  const message = `namespaces "${name}" is forbidden: this namespace may not be deleted`;
  throw new HttpError(403, 'Forbidden', message, { name, kind: Namespace.plural });
}

/** `name` is that of the new object. Throws `NotFound` if there is no such namespace, and 403 while it is being deleted. */
export async function requireNamespace({ registry, namespace, target: { kind } }: Call, name = ''): Promise<void> {
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
  throw namespaceTerminating({ group: kind.group, resource: kind.plural }, name, namespace);
}

/** The error is about the namespace, not about the object that was to be created in it. */
function missing(name: string): HttpError {
  return new HttpError(404, 'NotFound', `namespaces "${name}" not found`, { name, kind: Namespace.plural });
}
