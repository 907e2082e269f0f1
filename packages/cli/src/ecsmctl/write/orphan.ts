/**
 * Keeps what an object has created when it is deleted: its dependents lose their owner reference, and the operator leaves
 * its services on the platform.
 */
import { ECSMService, orphanAnnotation } from '@ecsm/operator/kinds';
import { isApiError, type Kind, type Registry } from '@ecsm/runtime';
import { managerOf } from '../shared/managers.ts';
import type { AnyObject } from './observe.ts';

/** Retries after conflicting writes. */
const attemptsMax = 5;

/** Dependents are in the namespace of their owner, so that a user of a server need not list what is in none. */
export async function orphan(registry: Registry, owner: AnyObject): Promise<void> {
  const { uid } = owner.metadata;
  // A cluster-scoped object has none, contrary to its type.
  const namespace: string | undefined = owner.metadata.namespace;
  for (const kind of registry.kinds.kinds) {
    if (namespace !== undefined && kind.scope === 'Cluster') continue;
    const { items } = await registry.resource(kind).list(namespace === undefined ? {} : { namespace });
    for (const object of items) if (isOwnedBy(object, uid)) await release(registry, kind, object, uid);
  }
}

/** The operator would delete the services of an object without this annotation before its finalizer is removed. */
export async function leaveOnPlatform(registry: Registry, { metadata }: AnyObject): Promise<void> {
  const { name, namespace, uid } = metadata;
  const patch = { metadata: { annotations: { [orphanAnnotation]: 'true' } } };
  await registry.resource(ECSMService).patch(name, patch, { namespace, uid, manager: managerOf('delete') });
}

function isOwnedBy({ metadata: { ownerReferences = [] } }: AnyObject, uid: string): boolean {
  return ownerReferences.some((owner) => owner.uid === uid);
}

async function release(registry: Registry, kind: Kind, found: AnyObject, uid: string): Promise<void> {
  const resource = registry.resource(kind);
  let object = found;
  for (let attempt = 1; isOwnedBy(object, uid); attempt++) {
    const { name, namespace, resourceVersion, ownerReferences = [] } = object.metadata;
    const others = ownerReferences.filter((owner) => owner.uid !== uid).map((owner) => ({ ...owner }));
    try {
      // Empty lists are not stored, and a list in a patch takes the place of the whole list.
      await resource.patch(
        name,
        { metadata: { ownerReferences: others } },
        { namespace, resourceVersion, manager: managerOf('delete') },
      );
      return;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return;
      if (!isApiError(error, 'Conflict') || attempt === attemptsMax) throw error;
      object = await resource.get(name, { namespace });
    }
  }
}
