/** Cycles among the dependencies of services. They may go through several namespaces. */
import type { FleetService } from '../../fleet/fleet-service.ts';

/** Looks up a service by its key. A dependency need not exist. */
type ServiceLookup = (key: string) => Pick<FleetService, 'dependsOn'> | undefined;

/** Keys of the shortest cycle through a service, with the service at both ends. Returns undefined if there is none. */
export function cycleOf(key: string, lookup: ServiceLookup): readonly string[] | undefined {
  // Breadth first: the first path that returns is a shortest one, and the order of dependsOn decides among several.
  const cameFrom = new Map<string, string>();
  const pending = [key];
  for (let current = pending.shift(); current !== undefined; current = pending.shift()) {
    for (const { key: next } of lookup(current)?.dependsOn ?? []) {
      if (next === key) return [...pathTo(current, key, cameFrom), key];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, current);
      pending.push(next);
    }
  }
  return undefined;
}

function pathTo(last: string, first: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const path = [last];
  for (let current = last; current !== first; ) {
    const previous = cameFrom.get(current);
    if (previous === undefined) break;
    path.unshift(previous);
    current = previous;
  }
  return path;
}

/** Keys of everything that can be reached from a service, without the service itself unless it is part of a cycle. */
export function reachableFrom(key: string, nextOf: (key: string) => Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  const pending = [key];
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    for (const next of nextOf(current)) {
      if (found.has(next)) continue;
      found.add(next);
      pending.push(next);
    }
  }
  return found;
}
