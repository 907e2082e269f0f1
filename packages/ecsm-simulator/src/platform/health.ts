/** Whether containers and services are well, and when the platform loses patience with a container that is not. */
import { healthCheckOf } from './image-config.ts';
import type { Container, Service } from './model.ts';
import type { World } from './world.ts';

/**
 * The least time between two turns of something that repeats by itself: a crash loop, or restarts of a container that is
 * never well. A platform that nobody looked at for an hour has to catch up with all of them.
 */
export const cycleMsMin = 10;

/** A failing check counts only once the start period is over. Of a lost node, nothing is known to be well. */
export function isContainerHealthy(world: World, container: Container): boolean {
  const service = world.services.get(container.serviceId);
  const node = world.nodes.get(container.nodeId);
  if (service === undefined || node === undefined || !node.online || container.status !== 'running') return false;
  if (container.healthy) return true;
  const check = healthCheckOf(service.image);
  if (check === undefined) return true;
  return world.nowMs < (container.startedMs ?? 0) + check.startPeriodMs;
}

/** All instances that it should have are there and well. One that is stopped, or only loaded, is not well. */
export function isServiceHealthy(world: World, service: Service): boolean {
  let well = 0;
  for (const container of world.containers.ofService(service.id).values()) {
    if (container.leaving) continue;
    if (!isContainerHealthy(world, container)) return false;
    well++;
  }
  return well >= (service.policy === 'static' ? service.nodeNames.length : service.factor);
}

/** Has to be called whenever the container starts, or its health changes. */
export function watchHealth(world: World, container: Container): void {
  container.condemnedAtMs = null;
  if (container.healthy || container.status !== 'running') return;
  const service = world.services.get(container.serviceId);
  const check = service === undefined ? undefined : healthCheckOf(service.image);
  if (check === undefined || !check.livenessProbe) return;
  const graceMs = Math.max(0, (container.startedMs ?? world.nowMs) + check.startPeriodMs - world.nowMs);
  const delayMs = graceMs + Math.max(cycleMsMin, check.patienceMs);
  container.condemnedAtMs = world.schedule('condemned', container.taskId, delayMs);
}
