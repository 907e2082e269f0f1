/** Adjusts the containers of a service to its number of instances and its nodes. */
import { deploy } from './deployment.ts';
import { createContainer, instancesOf, isNodeOccupied, scheduleRemoval } from './instances.ts';
import type { Container, Service, ServiceSpec } from './model.ts';
import { placeInstance } from './placement.ts';
import type { World } from './world.ts';

interface Split {
  readonly staying: readonly Container[];
  readonly surplus: readonly Container[];
}

/** Surplus are containers on nodes that are not listed, then the newest beyond the factor; static: all but one per node. */
export function splitSurplus(world: World, service: ServiceSpec & Pick<Service, 'id'>): Split {
  const listed = listedNodeIds(world, service);
  const staying: Container[] = [];
  const surplus: Container[] = [];
  const occupied = new Set<string>();
  for (const container of instancesOf(world, service)) {
    const isSecond = service.policy === 'static' && occupied.has(container.nodeId);
    // A container that could not be placed may get its own node now.
    const isStranded = container.deployStatus === 'failure' && isNodeOccupied(world, service, container);
    if (!listed.has(container.nodeId) || isSecond || isStranded) surplus.push(container);
    else staying.push(container);
    occupied.add(container.nodeId);
  }
  if (service.policy === 'static') return { staying, surplus };
  return {
    staying: staying.slice(0, service.factor),
    surplus: [...surplus, ...staying.slice(service.factor).reverse()],
  };
}

export function removeSurplus(world: World, service: Service): void {
  for (const container of splitSurplus(world, service).surplus) scheduleRemoval(world, container);
}

/** New containers are started, even if the others are stopped. */
export function addMissing(world: World, service: Service): void {
  const present = instancesOf(world, service);
  if (service.policy === 'static') {
    const occupied = new Set(present.map(({ nodeId }) => nodeId));
    for (const name of service.nodeNames) {
      const node = world.nodesByName.get(name);
      if (node !== undefined && !occupied.has(node.id)) deploy(world, createContainer(world, service, node));
    }
    return;
  }
  for (let count = present.length; count < service.factor; count++) {
    const node = placeInstance(world, service);
    if (node === undefined) return;
    deploy(world, createContainer(world, service, node));
  }
}

function listedNodeIds(world: World, service: ServiceSpec): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const name of service.nodeNames) {
    const node = world.nodesByName.get(name);
    if (node !== undefined) ids.add(node.id);
  }
  return ids;
}
