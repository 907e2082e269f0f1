/** As many containers as the service asks for, where it asks for them: too many go, missing ones come. */
import { deploy } from './deployment.ts';
import { createContainer, dismiss, instancesOf, isInTheWay } from './instances.ts';
import type { Container, Service } from './model.ts';
import { placeInstance } from './placement.ts';
import type { World } from './world.ts';

/** Containers on nodes that are no longer listed go; then the newest, down to the factor. Static: one a node stays. */
export function dismissSurplus(world: World, service: Service): void {
  const listed = listedNodeIds(world, service);
  const staying: Container[] = [];
  const occupied = new Set<string>();
  for (const container of instancesOf(world, service)) {
    const isSecond = service.policy === 'static' && occupied.has(container.nodeId);
    // One that could not be placed may find a node of its own now.
    const isStranded = container.deployStatus === 'failure' && isInTheWay(world, service, container);
    if (!listed.has(container.nodeId) || isSecond || isStranded) dismiss(world, container);
    else staying.push(container);
    occupied.add(container.nodeId);
  }
  if (service.policy === 'static') return;
  for (const container of staying.slice(service.factor).reverse()) dismiss(world, container);
}

/** The new ones start, whatever the others do. */
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

function listedNodeIds(world: World, service: Service): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const name of service.nodeNames) {
    const node = world.nodesByName.get(name);
    if (node !== undefined) ids.add(node.id);
  }
  return ids;
}
