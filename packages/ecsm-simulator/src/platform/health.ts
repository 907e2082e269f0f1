/** Health of containers and services, and restarts by the liveness probe. */
import { healthCheckOf } from './image-config.ts';
import type { Container, Service } from './model.ts';
import type { World } from './world.ts';

/**
 * The minimum interval of repeating events, such as a crash loop. It limits the events that have to be processed after
 * a long time without calls.
 */
export const cycleMsMin = 10;

/** A failing check counts only after the start period. Containers of an offline node are not healthy. */
export function isContainerHealthy(world: World, container: Container): boolean {
  const service = world.services.get(container.serviceId);
  const node = world.nodes.get(container.nodeId);
  if (service === undefined || node === undefined || !node.online || container.status !== 'running') return false;
  if (container.healthy) return true;
  const check = healthCheckOf(service.image);
  if (check === undefined) return true;
  return world.nowMs < (container.startedMs ?? 0) + check.startPeriodMs;
}

/** Whether all required instances exist and are healthy. A stopped or loaded instance is not healthy. */
export function isServiceHealthy(world: World, service: Service): boolean {
  let healthy = 0;
  for (const container of world.containers.ofService(service.id).values()) {
    if (container.leaving) continue;
    if (!isContainerHealthy(world, container)) return false;
    healthy++;
  }
  return healthy >= (service.policy === 'static' ? service.nodeNames.length : service.factor);
}

/** Schedules the restart by the liveness probe. Must be called when the container starts or its health changes. */
export function scheduleLivenessRestart(world: World, container: Container): void {
  container.condemnedAtMs = null;
  if (container.healthy || container.status !== 'running') return;
  const service = world.services.get(container.serviceId);
  const check = service === undefined ? undefined : healthCheckOf(service.image);
  if (check === undefined || !check.livenessProbe) return;
  const graceMs = Math.max(0, (container.startedMs ?? world.nowMs) + check.startPeriodMs - world.nowMs);
  const delayMs = graceMs + Math.max(cycleMsMin, check.patienceMs);
  container.condemnedAtMs = world.schedule('condemned', container.taskId, delayMs);
}
