/**
 * The life of one container, once it is deployed: it runs, ends, is restarted, and does what it is told.
 *
 *     created ──start──▶ running ──stop──▶ exited ──start──▶ running
 *                          │ ▲ ╰──by itself──▶ exited ──restart delay──▶ running, restartCnt + 1
 *                    pause ▼ │ unpause
 *                         paused
 */
import { cycleMsMin, watchHealth } from './health.ts';
import { addHistory } from './history.ts';
import { forbidsRestart } from './image-config.ts';
import type { Appointment, Container, ContainerAction, ContainerStatus, Transaction } from './model.ts';
import { Refusal } from './refusal.ts';
import { beginTransaction } from './transactions.ts';
import { forgetTotals, noteMemory } from './usage.ts';
import type { World } from './world.ts';

export function setStatus(world: World, container: Container, status: ContainerStatus): void {
  container.status = status;
  forgetTotals(world, container.nodeId);
}

export function run(world: World, container: Container): void {
  setStatus(world, container, 'running');
  container.startedMs = world.nowMs;
  noteMemory(world, container);
  planCrash(world, container);
  watchHealth(world, container);
}

/** How long a start takes this time. */
export function startDelayMs(world: World): number {
  return Math.round(world.behaviour.startMs * (1 + world.chance() / 2));
}

/** Why the container cannot do this now; undefined if it can. */
export function obstacleTo(world: World, container: Container, action: ContainerAction): Refusal | undefined {
  if (world.nodes.get(container.nodeId)?.online !== true) return new Refusal('nodeOffline', container.name);
  const { status, wanted, deployStatus, leaving } = container;
  const isFit = {
    start: status === 'created' || status === 'exited',
    // One that has just ended by itself and is about to be restarted can be stopped, else nobody could end a crash loop.
    stop: status === 'running' || (status === 'exited' && wanted === 'running'),
    restart: true,
    pause: status === 'running',
    unpause: status === 'paused',
  }[action];
  if (isFit && deployStatus === 'success' && !leaving) return undefined;
  const state = leaving ? 'leaving' : deployStatus === 'success' ? status : deployStatus;
  return new Refusal('containerState', `${container.name} (${state}), ${action}`);
}

/** Does what `obstacleTo` has nothing against; returns when it will be done. */
export function act(world: World, container: Container, action: ContainerAction): number {
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
      watchHealth(world, container);
      return world.nowMs;
  }
}

function restart(world: World, container: Container): number {
  const isAlive = container.status === 'running' || container.status === 'paused';
  const stopMs = isAlive ? world.behaviour.stopMs : 0;
  if (isAlive) world.schedule('recycled', container.taskId, stopMs, container.step);
  return world.schedule('up', container.taskId, stopMs + startDelayMs(world), container.step);
}

export function controlContainer(world: World, name: string, action: ContainerAction): Transaction {
  const container = world.containers.named(name);
  if (container === undefined) throw new Refusal('containerNotFound', name);
  const obstacle = obstacleTo(world, container, action);
  if (obstacle !== undefined) throw obstacle;
  return beginTransaction(world, act(world, container, action));
}

/** A container ends by itself. */
export function killContainer(world: World, taskId: string): void {
  const container = world.mustHaveContainer(taskId);
  const isAlive = container.status === 'running' || container.status === 'paused';
  if (!isAlive) throw new Refusal('containerState', `${container.name} (${container.status}), kill`);
  crash(world, container);
}

function crash(world: World, container: Container): void {
  end(world, container);
  world.log.write('info', 'container ended by itself', { container: container.name });
  const service = world.services.get(container.serviceId);
  if (service === undefined || container.wanted !== 'running' || container.leaving) return;
  if (world.behaviour.selfRestart === 'never' || forbidsRestart(service.image)) return;
  world.schedule('revived', container.taskId, world.behaviour.restartDelayMs, container.step);
}

/** It ends this long after every start, from now on; null: it stays up again. */
export function setCrashLoop(world: World, taskId: string, crashAfterMs: number | null): void {
  const container = world.mustHaveContainer(taskId);
  if (crashAfterMs !== null && !(crashAfterMs >= 0 && crashAfterMs <= Number.MAX_SAFE_INTEGER)) {
    throw new Refusal('badRequest', 'crashAfterMs', { crashAfterMs: 'has to be a time in milliseconds, or null' });
  }
  container.crashAfterMs = crashAfterMs;
  planCrash(world, container);
}

export function setContainerHealth(world: World, taskId: string, healthy: boolean): void {
  const container = world.mustHaveContainer(taskId);
  container.healthy = healthy;
  watchHealth(world, container);
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

/** What comes of it when the time of a container's appointment has come. */
export const containerEvents = {
  up(world: World, { subject, step }: Appointment): void {
    const container = world.containers.get(subject);
    // It may have been restarted by itself while it was being started.
    if (container?.step === step && container.status !== 'running') run(world, container);
  },
  down(world: World, { subject, step }: Appointment): void {
    const container = world.containers.get(subject);
    if (container?.step === step) end(world, container);
  },
  recycled(world: World, { subject, step }: Appointment): void {
    const container = world.containers.get(subject);
    if (container?.step === step) end(world, container);
  },
  revived(world: World, { subject, step }: Appointment): void {
    const container = world.containers.get(subject);
    if (container?.step !== step || container.status !== 'exited' || container.wanted !== 'running') return;
    container.restartCnt++;
    run(world, container);
  },
  crashed(world: World, { subject, atMs }: Appointment): void {
    const container = world.containers.get(subject);
    if (container?.crashAtMs === atMs && container.status === 'running') crash(world, container);
  },
  /** The probe's restart: it comes even where a container that ends by itself is not restarted. */
  condemned(world: World, { subject, atMs }: Appointment): void {
    const container = world.containers.get(subject);
    if (container?.condemnedAtMs !== atMs || world.behaviour.livenessProbe === 'ignore') return;
    end(world, container);
    world.log.write('info', 'container restarted: its health check fails', { container: container.name });
    world.schedule('revived', container.taskId, world.behaviour.restartDelayMs, container.step);
  },
} as const;
