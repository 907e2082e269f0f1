/** Services and nodes for tests of the placement: sizes are in mebibytes. */
import type { PlacementInput, PlacementNode, PlacementService } from './model.ts';
import { place } from './placement.ts';

const mebibyte = 2 ** 20;

interface ServiceChanges extends Partial<Omit<PlacementService, 'key' | 'name' | 'placed' | 'limits'>> {
  readonly memory?: number;
  readonly disk?: number;
  readonly placed?: Readonly<Record<string, number>>;
}

export function node(name: string, memory?: number, disk?: number): PlacementNode {
  return {
    name,
    ...(memory === undefined ? {} : { memoryBytes: memory * mebibyte }),
    ...(disk === undefined ? {} : { diskBytes: disk * mebibyte }),
  };
}

/** One instance of 100Mi on n1 or n2, priority 0. */
export function service(name: string, changes: ServiceChanges = {}): PlacementService {
  const { memory = 100, disk, placed = {}, ...others } = changes;
  return {
    key: name,
    name: `default/${name}`,
    createdTime: '2026-01-01T00:00:00Z',
    priority: 0,
    mayPreempt: true,
    limits: {
      ...(memory === 0 ? {} : { memoryBytes: memory * mebibyte }),
      ...(disk === undefined ? {} : { diskBytes: disk * mebibyte }),
    },
    policy: 'Dynamic',
    desired: 1,
    surge: 0,
    isSurgeNeeded: false,
    nodeNames: ['n1', 'n2'],
    placed: new Map(Object.entries(placed)),
    floating: 0,
    floatingNodes: [],
    ...others,
  };
}

export function placed(
  nodes: readonly PlacementNode[],
  services: readonly PlacementService[],
  others: Partial<PlacementInput> = {},
) {
  const { placements, dueMs } = place({ nodes, services, nowMs: 0, restoreMs: 60_000, ...others });
  return { of: (name: string) => placements.get(name), dueMs };
}
