/** Finds the objects that `apply --prune` deletes: applied before, matching the selector, no longer in the files. */
import type { Kind, LabelSelector } from '@ecsm/runtime';
import { wasApplied } from '../shared/managers.ts';
import type { Document } from '../shared/manifests.ts';
import type { Session } from '../shared/session.ts';
import type { Item } from '../shared/targets.ts';

/**
 * Searches only the namespaces of the files and the one of `-n`, and what is in no namespace. Objects in the files are
 * never pruned, whatever their labels are.
 */
export async function prunable(
  { registry, kinds, namespace, namespaceFrom }: Session,
  documents: readonly Document[],
  labelSelector: LabelSelector,
): Promise<readonly Item[]> {
  const kept = new Set(documents.map((one) => addressOf(one.kind, one.namespace, one.name)));
  const namespaces = new Set(documents.map((one) => one.namespace));
  if (namespaceFrom !== undefined) namespaces.add(namespace);
  const found: Item[] = [];
  for (const kind of kinds.kinds) {
    // Of a cluster-scoped kind every namespace would list all objects.
    for (const inside of kind.scope === 'Cluster' ? [namespace] : namespaces) {
      const { items } = await registry.resource(kind).list({ namespace: inside, labelSelector });
      for (const object of items) {
        const { name, deletionTimestamp } = object.metadata;
        const isKept = kept.has(addressOf(kind, inside, name));
        if (wasApplied(object) && !isKept && deletionTimestamp === undefined) found.push({ kind, object });
      }
    }
  }
  return found;
}

function addressOf({ plural, scope }: Kind, namespace: string, name: string): string {
  return scope === 'Cluster' ? `${plural}/${name}` : `${plural}/${namespace}/${name}`;
}
