/** Creation and removal of the containers of a service. */
import { retryMoves } from './capacity.ts';
import { removeFromLoadBalance } from './load-balance.ts';
import type { Container, Node, ScheduledEvent, Service } from './model.ts';
import { invalidateTotals } from './usage.ts';
import type { World } from './world.ts';

/** Adds the container without deploying it. */
export function createContainer(world: World, service: Service, node: Node): Container {
  const taskId = world.uuid();
  const name = freeName(world, service.name, taskId);
  const container: Container = {
    taskId,
    runtimeId: name,
    name,
    serviceId: service.id,
    nodeId: node.id,
    imageId: null,
    imageRef: service.image.ref,
    status: 'created',
    wanted: 'loaded',
    deployStatus: 'deploying',
    failedMessage: null,
    taskCreatedMs: world.nowMs,
    createdMs: world.nowMs,
    startedMs: null,
    restartCnt: 0,
    deployNum: 0,
    memoryLimitBytes: 0,
    diskLimitBytes: 0,
    memoryMaxUsageBytes: 0,
    vsoaPort: null,
    crashAfterMs: null,
    crashAtMs: null,
    healthy: true,
    condemnedAtMs: null,
    leaving: false,
    movedFromNodeId: null,
    step: 0,
  };
  world.containers.add(container);
  invalidateTotals(world, node.id);
  return container;
}

export function removeContainer(world: World, container: Container): void {
  world.containers.remove(container);
  world.history.delete(container.taskId);
  invalidateTotals(world, container.nodeId);
  removeFromLoadBalance(world, container);
  if (isNodeOnline(world, container)) retryMoves(world);
  const service = world.services.get(container.serviceId);
  if (service?.rolling === container.taskId) world.schedule('rolled', service.id, 0);
}

/** Stops the container and then removes it. A container on an offline node is removed immediately. */
export function scheduleRemoval(world: World, container: Container): void {
  if (container.leaving) return;
  if (!isNodeOnline(world, container)) {
    removeContainer(world, container);
    return;
  }
  container.leaving = true;
  container.wanted = 'stopped';
  container.step++;
  world.schedule('removed', container.taskId, world.behaviour.stopMs, container.step);
}

/** The containers that are not being removed, oldest first. */
export function instancesOf(world: World, service: Pick<Service, 'id'>): Container[] {
  return [...world.containers.ofService(service.id).values()].filter((container) => !container.leaving);
}

export function isNodeOnline(world: World, container: Container): boolean {
  return world.nodes.get(container.nodeId)?.online === true;
}

/** Whether an older instance of the dynamic service is on the same node, and `shareNode` does not allow this. */
export function isNodeOccupied(world: World, service: Pick<Service, 'id' | 'policy'>, container: Container): boolean {
  if (world.behaviour.shareNode === 'allow' || service.policy === 'static') return false;
  for (const other of world.containers.ofService(service.id).values()) {
    if (other === container) return false;
    if (other.nodeId === container.nodeId && !other.leaving) return true;
  }
  return false;
}

/** `telemetry-1a2b3c4d`: with the start of the task id, as long as needed for a unique name. */
function freeName(world: World, serviceName: string, taskId: string): string {
  const digits = taskId.replaceAll('-', '');
  let length = 8;
  while (world.containers.named(`${serviceName}-${digits.slice(0, length)}`) !== undefined) length++;
  return `${serviceName}-${digits.slice(0, length)}`;
}

export const instanceEvents = {
  removed(world: World, { subject, step }: ScheduledEvent): void {
    const container = world.containers.get(subject);
    if (container?.step === step && container.leaving) removeContainer(world, container);
  },
} as const;
