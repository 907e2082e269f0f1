/** What people do with services. Each call is checked as a whole before anything changes. */
import { act, obstacleTo } from './containers.ts';
import { prepull } from './deployment.ts';
import { instancesOf, removeContainer } from './instances.ts';
import { rescue } from './migration.ts';
import type { Appointment, ContainerAction, Load, Service, ServiceSpec, Transaction } from './model.ts';
import { addRecord, forgetRecordsOf, handOverRecords, mustHaveRecord } from './records.ts';
import { Refusal } from './refusal.ts';
import { redeploy, redeployAtOnce, redeployInTurn } from './rollout.ts';
import { addMissing, dismissSurplus } from './scale.ts';
import { changesContainers, checkSpec } from './spec.ts';
import { beginTransaction } from './transactions.ts';
import { forgetTotals, noteMemory } from './usage.ts';
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
  const old = mustBeFree(world, id);
  const spec = checkSpec(world, wanted, old);
  const service = world.behaviour.updateServiceId === 'new' ? withNewId(world, old) : old;
  applySpec(world, service, spec, force);
  return deployed(world, service);
}

/**
 * Turns a service into what the spec says. Containers for which nothing changes stay as they are, even stopped, unless
 * `force` or the switch says otherwise; those that could not be deployed are tried again by any update.
 */
export function applySpec(world: World, service: Service, spec: ServiceSpec, force = false): void {
  const isChanged =
    force || world.behaviour.updateUnchanged === 'redeploy' || changesContainers(service.image, spec.image);
  world.servicesByName.delete(service.name);
  Object.assign(service, spec);
  world.servicesByName.set(service.name, service);
  service.updatedMs = world.nowMs;
  addRecord(world, service);
  dismissSurplus(world, service);
  const staying = instancesOf(world, service);
  if (isChanged && world.behaviour.update === 'roll') redeployInTurn(world, service, staying);
  else if (isChanged) redeployAtOnce(world, service, staying);
  else retryFailed(world, service);
  prepull(world, service);
  addMissing(world, service);
  rescue(world, service);
}

export function deleteService(world: World, id: string): Transaction {
  const service = mustBeFree(world, id);
  service.deletingMs = world.nowMs;
  service.updatedMs = world.nowMs;
  const goneMs = world.schedule('deleted', service.id, world.behaviour.deleteMs);
  return beginTransaction(world, goneMs);
}

/** Containers for which the action makes no sense (stopped ones to stop, those on a lost node) are passed over. */
export function controlService(world: World, id: string, action: ContainerAction): Transaction {
  const service = mustBeFree(world, id);
  let doneMs = world.nowMs;
  for (const container of instancesOf(world, service)) {
    if (obstacleTo(world, container, action) === undefined) doneMs = Math.max(doneMs, act(world, container, action));
  }
  return beginTransaction(world, doneMs);
}

/** The service itself does not change: no record, and `updatedMs` stays. */
export function redeployService(world: World, id: string): void {
  const service = mustBeFree(world, id);
  redeployAtOnce(world, service, instancesOf(world, service));
  prepull(world, service);
}

/** As an update to what the record says, except that the service keeps its name and its id: this is about deployments. */
export function rollbackService(world: World, id: string, recordId: string): Transaction {
  const service = mustBeFree(world, id);
  const record = mustHaveRecord(world, recordId);
  if (record.serviceId !== id) throw new Refusal('recordNotFound', recordId);
  const spec = checkSpec(world, { ...record.spec, name: service.name }, service);
  applySpec(world, service, spec);
  return beginTransaction(world, world.nowMs + world.behaviour.startMs);
}

export function setLoad(world: World, id: string, load: Partial<Load>): void {
  const service = world.mustHaveService(id);
  for (const [name, value] of Object.entries(load)) {
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
      throw new Refusal('badRequest', name, { [name]: 'has to be a number, 0 or more' });
    }
  }
  service.load = { ...service.load, ...load };
  for (const container of world.containers.ofService(id).values()) {
    forgetTotals(world, container.nodeId);
    noteMemory(world, container);
  }
}

/** `deploying`, `complete` or, by a switch, `stopped`. */
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

function mustBeFree(world: World, id: string): Service {
  const service = world.mustHaveService(id);
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
  world.containers.handOver(old.id, service.id);
  handOverRecords(world, old.id, service.id);
  const balance = world.loadBalance.get(old.id);
  world.loadBalance.delete(old.id);
  if (balance !== undefined) world.loadBalance.set(service.id, balance);
  return service;
}

export const serviceEvents = {
  deleted(world: World, { subject }: Appointment): void {
    const service = world.services.get(subject);
    if (service === undefined) return;
    for (const container of [...world.containers.ofService(service.id).values()]) removeContainer(world, container);
    world.services.delete(service.id);
    world.servicesByName.delete(service.name);
    world.loadBalance.delete(service.id);
    forgetRecordsOf(world, service.id);
    world.log.write('info', 'service deleted', { service: service.name });
  },
} as const;
