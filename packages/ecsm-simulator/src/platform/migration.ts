/** Migration of containers when a node goes offline or returns. Only dynamic services are moved. */
import { deploy, startDeployment } from './deployment.ts';
import { createContainer, instancesOf, removeContainer } from './instances.ts';
import { transferLoadBalance } from './load-balance.ts';
import type { Container, Node, ScheduledEvent, Service } from './model.ts';
import { accepts, placeMoved } from './placement.ts';
import type { World } from './world.ts';

/** Running containers keep running. Deployments in progress are restarted when the node returns. */
export function handleNodeOffline(world: World, node: Node): void {
  for (const container of world.containers.onNode(node.id).values()) {
    if (container.deployStatus !== 'deploying' || container.leaving) continue;
    startDeployment(world, container);
    const service = world.services.get(container.serviceId);
    if (service?.rolling === container.taskId) world.schedule('rolled', service.id, 0);
  }
  world.schedule('nodeLost', node.id, world.behaviour.migrationDelayMs, node.step);
}

export function handleNodeOnline(world: World, node: Node): void {
  for (const container of world.containers.onNode(node.id).values()) {
    if (container.deployStatus === 'deploying' && !container.leaving) startDeployment(world, container);
  }
  moveAllStranded(world);
  if (world.behaviour.failBack === 'always') moveBack(world, node);
}

/** Moves containers from lost nodes after the node list of the service changed. */
export function moveStranded(world: World, service: Service): void {
  if (service.policy === 'static') return;
  for (const container of instancesOf(world, service)) {
    const node = world.nodes.get(container.nodeId);
    if (node !== undefined && isLost(world, node)) moveOff(world, container);
  }
}

function isLost(world: World, node: Node): boolean {
  return !node.online && world.nowMs - node.onlineSinceMs >= world.behaviour.migrationDelayMs;
}

function moveAllStranded(world: World): void {
  for (const node of world.nodes.values()) {
    if (isLost(world, node)) moveAllOff(world, node);
  }
}

function moveAllOff(world: World, node: Node): void {
  for (const container of [...world.containers.onNode(node.id).values()]) moveOff(world, container);
}

/** If no listed node is suitable, the container stays; this is retried when a node returns or has room again. */
function moveOff(world: World, container: Container): void {
  const service = movable(world, container);
  const node = service === undefined ? undefined : placeMoved(world, service);
  if (service === undefined || node === undefined) return;
  move(world, service, container, node, container.movedFromNodeId ?? container.nodeId);
}

function moveBack(world: World, node: Node): void {
  for (const container of [...world.containers.values()]) {
    if (container.movedFromNodeId !== node.id) continue;
    const service = movable(world, container);
    if (service === undefined || !service.nodeNames.includes(node.name) || !accepts(world, service, node)) continue;
    move(world, service, container, node, node.id);
  }
}

/** Replaces the container with a new task. A stopped container stays stopped. */
function move(world: World, service: Service, container: Container, node: Node, fromNodeId: string): void {
  const replacement = createContainer(world, service, node);
  replacement.movedFromNodeId = fromNodeId === node.id ? null : fromNodeId;
  transferLoadBalance(world, container, replacement);
  const wasStopped = container.wanted === 'stopped';
  removeContainer(world, container);
  deploy(world, replacement, wasStopped ? 'stopped' : undefined);
  world.log.write('info', 'container moved', { container: replacement.name, node: node.name });
}

function movable(world: World, container: Container): Service | undefined {
  const service = world.services.get(container.serviceId);
  if (service === undefined || service.policy === 'static' || service.deletingMs !== null) return undefined;
  return container.leaving ? undefined : service;
}

export const migrationEvents = {
  nodeLost(world: World, { subject, step }: ScheduledEvent): void {
    const node = world.nodes.get(subject);
    if (node !== undefined && node.step === step && !node.online) moveAllOff(world, node);
  },
  roomFreed(world: World): void {
    moveAllStranded(world);
  },
} as const;
