/** Removes the owner reference from dependents, so that they are kept when the owner is deleted. */
import { isApiError, type Kind, type Registry } from '@ecsm/runtime';
import { managerOf } from '../shared/managers.ts';
import type { AnyObject } from './observe.ts';

/** Retries after conflicting writes. */
const attemptsMax = 5;

/** Dependents are in the namespace of their owner. */
export async function orphan(registry: Registry, { metadata: { uid, namespace } }: AnyObject): Promise<void> {
  for (const kind of registry.kinds.kinds) {
    const { items } = await registry.resource(kind).list({ namespace });
    for (const object of items) if (isOwnedBy(object, uid)) await release(registry, kind, object, uid);
  }
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
