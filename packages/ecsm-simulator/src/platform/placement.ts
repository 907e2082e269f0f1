/**
 * Placement of instances of dynamic services: as documented, nodes with fewer containers and more free memory first.
 */
import type { Node, Service } from './model.ts';
import { freeMemoryOf } from './usage.ts';
import type { World } from './world.ts';

/**
 * Returns a node for one more instance: preferably an online one; else an offline one, where the instance waits. If it
 * may not share a node and none is free, any node: the deployment fails there.
 */
export function placeInstance(world: World, service: Service): Node | undefined {
  const nodes = suitableNodes(world, service);
  const free = nodes.filter((node) => isFree(world, service, node));
  return (
    best(
      world,
      free.filter((node) => node.online),
    ) ??
    best(world, free) ??
    best(
      world,
      nodes.filter((node) => node.online),
    ) ??
    best(world, nodes)
  );
}

/** An online node to which an instance can be moved now. */
export function placeMoved(world: World, service: Service): Node | undefined {
  return best(
    world,
    suitableNodes(world, service).filter((node) => node.online && isFree(world, service, node)),
  );
}

/** Whether `shareNode` allows another instance of the service on the node. */
export function isFree(world: World, service: Service, node: Node): boolean {
  if (world.behaviour.shareNode === 'allow') return true;
  for (const container of world.containers.ofService(service.id).values()) {
    if (container.nodeId === node.id && !container.leaving) return false;
  }
  return true;
}

/** The listed nodes with the operating system of the image; all of them if the image was deleted. */
function suitableNodes(world: World, service: Service): readonly Node[] {
  const os = world.localImage(service.image.ref)?.os;
  const nodes: Node[] = [];
  for (const name of service.nodeNames) {
    const node = world.nodesByName.get(name);
    if (node !== undefined && (os === undefined || node.type === os)) nodes.push(node);
  }
  return nodes;
}

function best(world: World, nodes: readonly Node[]): Node | undefined {
  let chosen: Node | undefined;
  for (const node of nodes) {
    if (chosen === undefined || isBetter(world, node, chosen)) chosen = node;
  }
  return chosen;
}

function isBetter(world: World, node: Node, than: Node): boolean {
  const fewer = instancesOn(world, than) - instancesOn(world, node);
  if (fewer !== 0) return fewer > 0;
  const moreFree = freeMemoryOf(world, node) - freeMemoryOf(world, than);
  if (moreFree !== 0) return moreFree > 0;
  return node.name < than.name;
}

function instancesOn(world: World, node: Node): number {
  return world.containers.onNode(node.id).size + node.otherContainers;
}
