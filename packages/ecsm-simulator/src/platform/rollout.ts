/** The containers of a service deployed again: all at once, or one after the other. */
import { deploy } from './deployment.ts';
import { createContainer, isNodeOnline, removeContainer } from './instances.ts';
import { inheritLoadBalance } from './load-balance.ts';
import type { Appointment, Container, Service } from './model.ts';
import type { World } from './world.ts';

export function redeployAtOnce(world: World, service: Service, containers: readonly Container[]): void {
  service.rollQueue = [];
  service.rolling = null;
  for (const container of containers) redeploy(world, service, container);
}

/** The next one begins when the one before runs, or failed. */
export function redeployInTurn(world: World, service: Service, containers: readonly Container[]): void {
  service.rollQueue = containers.map(({ taskId }) => taskId);
  service.rolling = null;
  rollOn(world, service);
}

/** In place, or as a new task under a new name; by a switch. */
export function redeploy(world: World, service: Service, container: Container): Container {
  if (world.behaviour.updateTaskId === 'keep') {
    deploy(world, container);
    return container;
  }
  const node = world.nodes.get(container.nodeId);
  if (node === undefined) return container;
  const replacement = createContainer(world, service, node);
  replacement.movedFromNodeId = container.movedFromNodeId;
  inheritLoadBalance(world, container, replacement);
  removeContainer(world, container);
  deploy(world, replacement);
  return replacement;
}

/**
 * Looks at where the update is, so that it may be asked at any time. A container whose node is lost does not hold up the
 * others: it waits for the node by itself.
 */
function rollOn(world: World, service: Service): void {
  const current = service.rolling === null ? undefined : world.containers.get(service.rolling);
  if (isBusy(world, current)) return;
  service.rolling = null;
  for (let taskId = service.rollQueue.shift(); taskId !== undefined; taskId = service.rollQueue.shift()) {
    const container = world.containers.get(taskId);
    if (container === undefined || container.leaving) continue;
    const deployed = redeploy(world, service, container);
    if (!isBusy(world, deployed)) continue;
    service.rolling = deployed.taskId;
    return;
  }
}

function isBusy(world: World, container: Container | undefined): boolean {
  if (container === undefined || container.leaving) return false;
  return container.deployStatus === 'deploying' && isNodeOnline(world, container);
}

export const rolloutEvents = {
  rolled(world: World, { subject }: Appointment): void {
    const service = world.services.get(subject);
    if (service !== undefined && service.deletingMs === null) rollOn(world, service);
  },
} as const;
