/** Finds the objects that `apply --prune` deletes: applied before, matching the selector, no longer in the files. */
import type { LabelSelector } from '@ecsm/runtime';
import { wasApplied } from '../shared/managers.ts';
import type { Document } from '../shared/manifests.ts';
import type { Session } from '../shared/session.ts';
import type { Item } from '../shared/targets.ts';

/**
 * Searches only the namespaces of the files and the one of `-n`. Objects in the files are never pruned, whatever their
 * labels are.
 */
export async function prunable(
  { registry, kinds, namespace, namespaceFrom }: Session,
  documents: readonly Document[],
  labelSelector: LabelSelector,
): Promise<readonly Item[]> {
  const kept = new Set(documents.map((one) => addressOf(one.kind.plural, one.namespace, one.name)));
  const namespaces = new Set(documents.map((one) => one.namespace));
  if (namespaceFrom !== undefined) namespaces.add(namespace);
  const found: Item[] = [];
  for (const kind of kinds.kinds) {
    for (const inside of namespaces) {
      const { items } = await registry.resource(kind).list({ namespace: inside, labelSelector });
      for (const object of items) {
        const { name, deletionTimestamp } = object.metadata;
        const isKept = kept.has(addressOf(kind.plural, inside, name));
        if (wasApplied(object) && !isKept && deletionTimestamp === undefined) found.push({ kind, object });
      }
    }
  }
  return found;
}

function addressOf(plural: string, namespace: string, name: string): string {
  return `${plural}/${namespace}/${name}`;
}
