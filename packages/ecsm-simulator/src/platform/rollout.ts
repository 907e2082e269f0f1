/** Redeploys the containers of a service: all at the same time, or one after the other. */
import { deploy } from './deployment.ts';
import { createContainer, isNodeOnline, removeContainer } from './instances.ts';
import { transferLoadBalance } from './load-balance.ts';
import type { Container, ScheduledEvent, Service } from './model.ts';
import type { World } from './world.ts';

export function redeployAll(world: World, service: Service, containers: readonly Container[]): void {
  service.rollQueue = [];
  service.rolling = null;
  for (const container of containers) redeploy(world, service, container);
}

/** A container is redeployed when the deployment of the previous one succeeded or failed. */
export function redeployRolling(world: World, service: Service, containers: readonly Container[]): void {
  service.rollQueue = containers.map(({ taskId }) => taskId);
  service.rolling = null;
  redeployNext(world, service);
}

/** In place, or as a new task with a new name, depending on `updateTaskId`. */
export function redeploy(world: World, service: Service, container: Container): Container {
  if (world.behaviour.updateTaskId === 'keep') {
    deploy(world, container);
    return container;
  }
  const node = world.nodes.get(container.nodeId);
  if (node === undefined) return container;
  const replacement = createContainer(world, service, node);
  replacement.movedFromNodeId = container.movedFromNodeId;
  transferLoadBalance(world, container, replacement);
  removeContainer(world, container);
  deploy(world, replacement);
  return replacement;
}

/**
 * Continues a rolling update; may be called at any time. A container on an offline node does not block the others: it
 * is deployed when the node returns.
 */
function redeployNext(world: World, service: Service): void {
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
  rolled(world: World, { subject }: ScheduledEvent): void {
    const service = world.services.get(subject);
    if (service !== undefined && service.deletingMs === null) redeployNext(world, service);
  },
} as const;
