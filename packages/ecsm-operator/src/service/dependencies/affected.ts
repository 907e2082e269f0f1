/** Which services a change of one service concerns through dependencies. All others are not reconciled. */
import type { FleetService } from '../../fleet/fleet-service.ts';
import { reachableFrom } from './cycles.ts';
import type { FleetIndex } from './deletion-order.ts';
import { problemOf } from './dependency-state.ts';

/** `before` and `after` are the same service; the fleet has the second already. */
export function affectedBy(
  before: FleetService | undefined,
  after: FleetService | undefined,
  fleet: FleetIndex,
): ReadonlySet<string> {
  const key = (after ?? before)?.key;
  const keys = new Set<string>();
  if (key === undefined) return keys;
  for (const dependent of fleet.dependentsOf(key)) {
    const edges = (fleet.get(dependent)?.dependsOn ?? []).filter((edge) => edge.key === key);
    if (edges.some((edge) => problemOf(edge, before) !== problemOf(edge, after))) keys.add(dependent);
  }
  for (const needed of changedEdges(before, after)) {
    for (const member of membersBetween(needed, key, fleet)) keys.add(member);
  }
  if (isLeaving(before) !== isLeaving(after) || (isLeaving(after) && changedEdges(before, after).length > 0)) {
    for (const { key: needed } of [...(before?.dependsOn ?? []), ...(after?.dependsOn ?? [])]) {
      if (fleet.get(needed)?.isBeingDeleted) keys.add(needed);
    }
  }
  return keys;
}

/** Its deletion is waited for. */
function isLeaving(service: FleetService | undefined): boolean {
  return service?.isBeingDeleted === true && service.mayBeOnPlatform;
}

/** Keys of the dependencies that one of both has. */
function changedEdges(before: FleetService | undefined, after: FleetService | undefined): readonly string[] {
  if (before?.dependsOn.length === 0 && after?.dependsOn.length === 0) return [];
  const old = new Set(before?.dependsOn.map((edge) => edge.key));
  const current = new Set(after?.dependsOn.map((edge) => edge.key));
  return [...[...old].filter((one) => !current.has(one)), ...[...current].filter((one) => !old.has(one))];
}

/**
 * Members of the cycles that an edge from `key` to `needed` closes, or closed: all on a path from `needed` back to `key`.
 * Such a path has no edge from `key`, so it is the same before and after the change.
 */
function membersBetween(needed: string, key: string, fleet: FleetIndex): readonly string[] {
  const below = reachableFrom(needed, (one) =>
    one === key ? [] : (fleet.get(one)?.dependsOn ?? []).map((edge) => edge.key),
  );
  if (needed !== key && !below.has(key)) return [];
  const above = reachableFrom(key, (one) => fleet.dependentsOf(one));
  return [...new Set([needed, ...below])].filter((one) => one === key || above.has(one));
}
