/** Deletion in reverse order: what depends on a service is deleted before it. */
import type { Fleet } from '../../fleet/fleet.ts';
import { reachableFrom } from './cycles.ts';
import { nameIn } from './dependency-state.ts';

export type FleetIndex = Pick<Fleet, 'get' | 'dependentsOf'>;

/**
 * Names of the services that have to be deleted from the platform before this one: they depend on it and are being deleted
 * too. One that is not being deleted does not count, nor one that this service depends on: in a cycle none waits.
 */
export function deletedBefore(key: string, fleet: FleetIndex): readonly string[] {
  const leaving = fleet.dependentsOf(key).filter((dependent) => {
    const found = fleet.get(dependent);
    return found?.isBeingDeleted && found.mayBeOnPlatform;
  });
  if (leaving.length === 0) return [];
  const needed = reachableFrom(key, (one) => (fleet.get(one)?.dependsOn ?? []).map((next) => next.key));
  return leaving
    .filter((dependent) => !needed.has(dependent))
    .map(nameIn)
    .sort();
}
