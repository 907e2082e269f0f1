/**
 * The lifecycle of a deployed container.
 *
 *     created ──start──▶ running ──stop──▶ exited ──start──▶ running
 *                          │ ▲ ╰───crash─────▶ exited ──restart delay──▶ running, restartCnt + 1
 *                    pause ▼ │ unpause
 *                         paused
 */
import { cycleMsMin, scheduleLivenessRestart } from './health.ts';
import { addHistory } from './history.ts';
import { forbidsRestart } from './image-config.ts';
import type { Container, ContainerAction, ContainerStatus, ScheduledEvent, Transaction } from './model.ts';
import { Refusal } from './refusal.ts';
import { startTransaction } from './transactions.ts';
import { invalidateTotals, isAlive, updatePeakMemory } from './usage.ts';
import type { World } from './world.ts';

export function setStatus(world: World, container: Container, status: ContainerStatus): void {
  container.status = status;
  invalidateTotals(world, container.nodeId);
}

export function run(world: World, container: Container): void {
  setStatus(world, container, 'running');
  container.startedMs = world.nowMs;
  updatePeakMemory(world, container);
  planCrash(world, container);
  scheduleLivenessRestart(world, container);
}

/** The random duration of a start. */
export function startDelayMs(world: World): number {
  return Math.round(world.behaviour.startMs * (1 + world.random() / 2));
}

/** Returns why the action is not possible now, or undefined if it is. */
export function rejectionFor(world: World, container: Container, action: ContainerAction): Refusal | undefined {
  if (world.nodes.get(container.nodeId)?.online !== true) return new Refusal('nodeOffline', container.name);
  const { status, wanted, deployStatus, leaving } = container;
  const isFit = {
    start: status === 'created' || status === 'exited',
    // A crashed container that will be restarted can be stopped, so that a crash loop can be ended.
    stop: status === 'running' || (status === 'exited' && wanted === 'running'),
    restart: true,
    pause: status === 'running',
    unpause: status === 'paused',
  }[action];
  if (isFit && deployStatus === 'success' && !leaving) return undefined;
  const state = leaving ? 'leaving' : deployStatus === 'success' ? status : deployStatus;
  return new Refusal('containerState', `${container.name} (${state}), ${action}`);
}

/** Performs an action that `rejectionFor` allows. Returns the time at which it will be complete. */
export function performAction(world: World, container: Container, action: ContainerAction): number {
  addHistory(world, container.taskId, action);
  container.step++;
  switch (action) {
    case 'start':
      container.wanted = 'running';
      return world.schedule('up', container.taskId, startDelayMs(world), container.step);
    case 'stop':
      container.wanted = 'stopped';
      return world.schedule('down', container.taskId, world.behaviour.stopMs, container.step);
    case 'restart':
      container.wanted = 'running';
      return restart(world, container);
    case 'pause':
      container.wanted = 'paused';
      container.crashAtMs = null;
      container.condemnedAtMs = null;
      setStatus(world, container, 'paused');
      return world.nowMs;
    case 'unpause':
      container.wanted = 'running';
      setStatus(world, container, 'running');
      planCrash(world, container);
      scheduleLivenessRestart(world, container);
      return world.nowMs;
  }
}

function restart(world: World, container: Container): number {
  const stopMs = isAlive(container) ? world.behaviour.stopMs : 0;
  if (isAlive(container)) world.schedule('recycled', container.taskId, stopMs, container.step);
  return world.schedule('up', container.taskId, stopMs + startDelayMs(world), container.step);
}

export function controlContainer(world: World, name: string, action: ContainerAction): Transaction {
  const container = world.containers.named(name);
  if (container === undefined) throw new Refusal('containerNotFound', name);
  const rejection = rejectionFor(world, container, action);
  if (rejection !== undefined) throw rejection;
  return startTransaction(world, performAction(world, container, action));
}

/** Crashes a container. */
export function killContainer(world: World, taskId: string): void {
  const container = world.requireContainer(taskId);
  if (!isAlive(container)) throw new Refusal('containerState', `${container.name} (${container.status}), kill`);
  crash(world, container);
}

function crash(world: World, container: Container): void {
  end(world, container);
  world.log.write('info', 'container crashed', { container: container.name });
  const service = world.services.get(container.serviceId);
  if (service === undefined || container.wanted !== 'running' || container.leaving) return;
  if (world.behaviour.selfRestart === 'never' || forbidsRestart(service.image)) return;
  world.schedule('revived', container.taskId, world.behaviour.restartDelayMs, container.step);
}

/** Crashes the container this long after every start; null stops the loop. */
export function setCrashLoop(world: World, taskId: string, crashAfterMs: number | null): void {
  const container = world.requireContainer(taskId);
  if (crashAfterMs !== null && !(crashAfterMs >= 0 && crashAfterMs <= Number.MAX_SAFE_INTEGER)) {
    throw new Refusal('badRequest', 'crashAfterMs', { crashAfterMs: 'has to be a time in milliseconds, or null' });
  }
  container.crashAfterMs = crashAfterMs;
  planCrash(world, container);
}

export function setContainerHealth(world: World, taskId: string, healthy: boolean): void {
  const container = world.requireContainer(taskId);
  container.healthy = healthy;
  scheduleLivenessRestart(world, container);
}

function planCrash(world: World, container: Container): void {
  container.crashAtMs = null;
  if (container.crashAfterMs === null || container.status !== 'running') return;
  container.crashAtMs = world.schedule('crashed', container.taskId, Math.max(cycleMsMin, container.crashAfterMs));
}

function end(world: World, container: Container): void {
  container.crashAtMs = null;
  container.condemnedAtMs = null;
  setStatus(world, container, 'exited');
}

/** Handlers of the scheduled events of containers. */
export const containerEvents = {
  up(world: World, { subject, step }: ScheduledEvent): void {
    const container = world.containers.get(subject);
    // It may have been restarted automatically in the meantime.
    if (container?.step === step && container.status !== 'running') run(world, container);
  },
  down(world: World, { subject, step }: ScheduledEvent): void {
    const container = world.containers.get(subject);
    if (container?.step === step) end(world, container);
  },
  recycled(world: World, { subject, step }: ScheduledEvent): void {
    const container = world.containers.get(subject);
    if (container?.step === step) end(world, container);
  },
  revived(world: World, { subject, step }: ScheduledEvent): void {
    const container = world.containers.get(subject);
    if (container?.step !== step || container.status !== 'exited' || container.wanted !== 'running') return;
    container.restartCnt++;
    run(world, container);
  },
  crashed(world: World, { subject, atMs }: ScheduledEvent): void {
    const container = world.containers.get(subject);
    if (container?.crashAtMs === atMs && container.status === 'running') crash(world, container);
  },
  /** The restart by the liveness probe, which does not depend on `selfRestart`. */
  condemned(world: World, { subject, atMs }: ScheduledEvent): void {
    const container = world.containers.get(subject);
    if (container?.condemnedAtMs !== atMs || world.behaviour.livenessProbe === 'ignore') return;
    end(world, container);
    world.log.write('info', 'container restarted: health check failed', { container: container.name });
    world.schedule('revived', container.taskId, world.behaviour.restartDelayMs, container.step);
  },
} as const;
