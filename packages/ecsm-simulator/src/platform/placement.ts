/**
 * Placement of instances of dynamic services: as documented, nodes with fewer containers and more free memory first. By
 * `fullNode`, a node without room is skipped.
 */
import { noChange, type PendingChange, shortageOn } from './capacity.ts';
import type { Node, Service } from './model.ts';
import { freeMemoryOf } from './usage.ts';
import type { World } from './world.ts';

type Placed = Pick<Service, 'id' | 'image' | 'nodeNames'>;

/**
 * Returns a node for one more instance: preferably an online one with room; else an offline one, where the instance
 * waits. If it may not share a node and none is free, or if none has room, any node: the deployment fails there.
 */
export function placeInstance(world: World, service: Placed, change: PendingChange = noChange): Node | undefined {
  const nodes = suitableNodes(world, service);
  const free = nodes.filter((node) => isFree(world, service, node, change));
  const online = free.filter((node) => node.online);
  return (
    bestWithRoom(world, service, online, change) ??
    best(world, online, change) ??
    best(world, free, change) ??
    best(
      world,
      nodes.filter((node) => node.online),
      change,
    ) ??
    best(world, nodes, change)
  );
}

/** An online node to which an instance can be moved now. */
export function placeMoved(world: World, service: Placed): Node | undefined {
  const nodes = suitableNodes(world, service).filter((node) => node.online && isFree(world, service, node, noChange));
  return bestWithRoom(world, service, nodes, noChange);
}

/** Whether `shareNode` and `fullNode` allow another instance of the service on the node. */
export function accepts(world: World, service: Placed, node: Node): boolean {
  return isFree(world, service, node, noChange) && isRoomy(world, service, node, noChange);
}

function isFree(world: World, service: Placed, node: Node, { removed, added }: PendingChange): boolean {
  if (world.behaviour.shareNode === 'allow') return true;
  for (const container of world.containers.ofService(service.id).values()) {
    if (container.nodeId === node.id && !container.leaving && !removed.has(container)) return false;
  }
  return added.every(({ nodeId }) => nodeId !== node.id);
}

function isRoomy(world: World, service: Placed, node: Node, change: PendingChange): boolean {
  return world.behaviour.fullNode === 'use' || shortageOn(world, service.image, node, change) === undefined;
}

/** The listed nodes with the operating system of the image; all of them if the image was deleted. */
function suitableNodes(world: World, service: Placed): readonly Node[] {
  const os = world.localImage(service.image.ref)?.os;
  const nodes: Node[] = [];
  for (const name of service.nodeNames) {
    const node = world.nodesByName.get(name);
    if (node !== undefined && (os === undefined || node.type === os)) nodes.push(node);
  }
  return nodes;
}

/** Usually the best node has room, so the others are checked only if it has not. */
function bestWithRoom(world: World, service: Placed, nodes: readonly Node[], change: PendingChange): Node | undefined {
  const hasRoom = (node: Node) => isRoomy(world, service, node, change);
  const first = best(world, nodes, change);
  return first === undefined || hasRoom(first) ? first : best(world, nodes.filter(hasRoom), change);
}

function best(world: World, nodes: readonly Node[], change: PendingChange): Node | undefined {
  let chosen: Node | undefined;
  for (const node of nodes) {
    if (chosen === undefined || isBetter(world, node, chosen, change)) chosen = node;
  }
  return chosen;
}

function isBetter(world: World, node: Node, than: Node, change: PendingChange): boolean {
  const fewer = instancesOn(world, than, change) - instancesOn(world, node, change);
  if (fewer !== 0) return fewer > 0;
  const moreFree = freeMemoryOf(world, node) - freeMemoryOf(world, than);
  if (moreFree !== 0) return moreFree > 0;
  return node.name < than.name;
}

function instancesOn(world: World, node: Node, { removed, added }: PendingChange): number {
  let count = world.containers.onNode(node.id).size + node.otherContainers;
  for (const container of removed) if (container.nodeId === node.id) count--;
  for (const container of added) if (container.nodeId === node.id) count++;
  return count;
}
