/** Where an instance of a dynamic service goes: as documented, to the node with fewer containers and more free memory. */
import type { Node, Service } from './model.ts';
import { freeMemoryOf } from './usage.ts';
import type { World } from './world.ts';

/**
 * A node for one more instance. Online nodes come first; if none of them may have it, an offline one, where the instance
 * waits; if it may not share a node and none is free, any node: deployment will say what is wrong there.
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

/** An online node to which an instance can move at once. */
export function placeMoved(world: World, service: Service): Node | undefined {
  return best(
    world,
    suitableNodes(world, service).filter((node) => node.online && isFree(world, service, node)),
  );
}

/** Whether the service may have (one more) instance there, as far as sharing a node goes. */
export function isFree(world: World, service: Service, node: Node): boolean {
  if (world.behaviour.shareNode === 'allow') return true;
  for (const container of world.containers.ofService(service.id).values()) {
    if (container.nodeId === node.id && !container.leaving) return false;
  }
  return true;
}

/** The listed nodes whose operating system is the image's; all of them if the image is gone, since none can be told. */
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
