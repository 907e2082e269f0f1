/** Operations on services. Each call is validated completely before anything changes. */
import { checkRoom } from './admission.ts';
import { retryMoves } from './capacity.ts';
import { performAction, rejectionFor } from './containers.ts';
import { prepull } from './deployment.ts';
import { instancesOf, removeContainer } from './instances.ts';
import { moveStranded } from './migration.ts';
import type { ContainerAction, Load, ScheduledEvent, Service, ServiceSpec, Transaction } from './model.ts';
import { addRecord, deleteRecordsOf, reassignRecords, requireRecord } from './records.ts';
import { checkAmount, Refusal } from './refusal.ts';
import { redeploy, redeployAll, redeployRolling } from './rollout.ts';
import { addMissing, removeSurplus } from './scale.ts';
import { changesContainers, checkSpec } from './spec.ts';
import { startTransaction } from './transactions.ts';
import { invalidateTotals, updatePeakMemory } from './usage.ts';
import type { World } from './world.ts';

export interface Deployed {
  readonly id: string;
  readonly taskIds: readonly string[];
}

export function createService(
  world: World,
  wanted: ServiceSpec,
  { pathLabel = '' }: { readonly pathLabel?: string } = {},
): Deployed {
  const spec = checkSpec(world, wanted);
  checkRoom(world, spec);
  const service: Service = {
    ...spec,
    id: world.uuid(),
    createdMs: world.nowMs,
    updatedMs: world.nowMs,
    pathLabel,
    load: { cpuPercent: 0, memoryBytes: 0, diskBytes: 0 },
    deletingMs: null,
    rollQueue: [],
    rolling: null,
  };
  world.services.set(service.id, service);
  world.servicesByName.set(service.name, service);
  addRecord(world, service);
  prepull(world, service);
  addMissing(world, service);
  return deployed(world, service);
}

export function updateService(world: World, id: string, wanted: ServiceSpec, force = false): Deployed {
  const old = requireNotDeleting(world, id);
  const spec = checkSpec(world, wanted, old);
  checkRoom(world, spec, { service: old, isRedeployed: isRedeployed(world, old, spec, force) });
  const service = world.behaviour.updateServiceId === 'new' ? withNewId(world, old) : old;
  applySpec(world, service, spec, force);
  return deployed(world, service);
}

/**
 * Applies a specification to a service. Unchanged containers stay as they are, even if stopped, unless `force` or
 * `updateUnchanged` is set; any update retries failed deployments.
 */
export function applySpec(world: World, service: Service, spec: ServiceSpec, force = false): void {
  const isChanged = isRedeployed(world, service, spec, force);
  const isKept = service.policy === 'static' && spec.policy === 'static' && world.behaviour.staticFactor === 'keep';
  world.servicesByName.delete(service.name);
  Object.assign(service, spec, isKept ? { factor: service.factor } : {});
  world.servicesByName.set(service.name, service);
  service.updatedMs = world.nowMs;
  addRecord(world, service);
  removeSurplus(world, service);
  const staying = instancesOf(world, service);
  if (isChanged && world.behaviour.update === 'roll') redeployRolling(world, service, staying);
  else if (isChanged) redeployAll(world, service, staying);
  else retryFailed(world, service);
  prepull(world, service);
  addMissing(world, service);
  moveStranded(world, service);
}

function isRedeployed(world: World, service: Service, spec: ServiceSpec, force: boolean): boolean {
  return force || world.behaviour.updateUnchanged === 'redeploy' || changesContainers(service.image, spec.image);
}

export function deleteService(world: World, id: string): Transaction {
  const service = requireNotDeleting(world, id);
  service.deletingMs = world.nowMs;
  service.updatedMs = world.nowMs;
  const deletedMs = world.schedule('deleted', service.id, world.behaviour.deleteMs);
  return startTransaction(world, deletedMs);
}

/** Containers to which the action does not apply (already stopped, on an offline node) are skipped. */
export function controlService(world: World, id: string, action: ContainerAction): Transaction {
  const service = requireNotDeleting(world, id);
  let doneMs = world.nowMs;
  for (const container of instancesOf(world, service)) {
    if (rejectionFor(world, container, action) === undefined)
      doneMs = Math.max(doneMs, performAction(world, container, action));
  }
  return startTransaction(world, doneMs);
}

/** The service itself does not change: no record, and the same `updatedMs`. */
export function redeployService(world: World, id: string): void {
  const service = requireNotDeleting(world, id);
  redeployAll(world, service, instancesOf(world, service));
  prepull(world, service);
}

/** Updates the service to the specification of the record; it keeps its name and id. */
export function rollbackService(world: World, id: string, recordId: string): Transaction {
  const service = requireNotDeleting(world, id);
  const record = requireRecord(world, recordId);
  if (record.serviceId !== id) throw new Refusal('recordNotFound', recordId);
  const spec = checkSpec(world, { ...record.spec, name: service.name }, service);
  checkRoom(world, spec, { service, isRedeployed: isRedeployed(world, service, spec, false) });
  applySpec(world, service, spec);
  return startTransaction(world, world.nowMs + world.behaviour.startMs);
}

/** Changes some fields. A wave starts when its period is set. */
export function setLoad(world: World, id: string, load: Partial<Omit<Load, 'waveStartMs'>>): void {
  const service = world.requireService(id);
  for (const [name, value] of Object.entries(load)) checkAmount(value, name);
  const start = load.wavePeriodMs === undefined ? {} : { waveStartMs: world.nowMs };
  service.load = { ...service.load, ...load, ...start };
  for (const container of world.containers.ofService(id).values()) {
    invalidateTotals(world, container.nodeId);
    updatePeakMemory(world, container);
  }
  retryMoves(world);
}

/** `deploying`, `complete` or, with `stoppedStatus`, `stopped`. */
export function statusOfService(world: World, service: Service): string {
  const instances = instancesOf(world, service);
  if (service.rolling !== null || service.rollQueue.length > 0) return 'deploying';
  if (instances.some(({ deployStatus }) => deployStatus === 'deploying')) return 'deploying';
  const hasFailed = instances.some(({ deployStatus }) => deployStatus === 'failure');
  if (hasFailed && world.behaviour.failedStatus === 'deploying') return 'deploying';
  const isStopped =
    instances.length > 0 && instances.every(({ status, wanted }) => wanted === 'stopped' && status !== 'running');
  return isStopped && world.behaviour.stoppedStatus === 'stopped' ? 'stopped' : 'complete';
}

function retryFailed(world: World, service: Service): void {
  const failed = instancesOf(world, service).filter(({ deployStatus }) => deployStatus === 'failure');
  for (const container of failed) redeploy(world, service, container);
}

function requireNotDeleting(world: World, id: string): Service {
  const service = world.requireService(id);
  if (service.deletingMs !== null) throw new Refusal('serviceBusy', service.name);
  return service;
}

function deployed(world: World, service: Service): Deployed {
  return { id: service.id, taskIds: instancesOf(world, service).map(({ taskId }) => taskId) };
}

function withNewId(world: World, old: Service): Service {
  const service: Service = { ...old, id: world.uuid() };
  world.services.delete(old.id);
  world.services.set(service.id, service);
  world.servicesByName.set(service.name, service);
  world.containers.reassign(old.id, service.id);
  reassignRecords(world, old.id, service.id);
  const balance = world.loadBalance.get(old.id);
  world.loadBalance.delete(old.id);
  if (balance !== undefined) world.loadBalance.set(service.id, balance);
  return service;
}

export const serviceEvents = {
  deleted(world: World, { subject }: ScheduledEvent): void {
    const service = world.services.get(subject);
    if (service === undefined) return;
    for (const container of [...world.containers.ofService(service.id).values()]) removeContainer(world, container);
    world.services.delete(service.id);
    world.servicesByName.delete(service.name);
    world.loadBalance.delete(service.id);
    deleteRecordsOf(world, service.id);
    world.log.write('info', 'service deleted', { service: service.name });
  },
} as const;
