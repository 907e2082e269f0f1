/** Past deployments of a service: one for its creation and for each update. They go with the service. */
import type { DeploymentRecord, Service } from './model.ts';
import { Refusal } from './refusal.ts';
import { specOf } from './spec.ts';
import type { World } from './world.ts';

/** Of one service; beyond it the oldest goes. */
export const recordsMax = 100;

export function addRecord(world: World, service: Service): void {
  const record = { id: world.uuid(), serviceId: service.id, createdMs: world.nowMs, spec: specOf(service) };
  keepRecord(world, record);
  const records = world.recordsOfService.get(service.id) ?? [];
  if (records.length > recordsMax) forget(world, records.shift());
}

export function keepRecord(world: World, record: DeploymentRecord): void {
  world.records.set(record.id, record);
  const records = world.recordsOfService.get(record.serviceId);
  if (records === undefined) world.recordsOfService.set(record.serviceId, [record]);
  else records.push(record);
}

export function mustHaveRecord(world: World, recordId: string): DeploymentRecord {
  const record = world.records.get(recordId);
  if (record === undefined) throw new Refusal('recordNotFound', recordId);
  return record;
}

export function deleteRecord(world: World, recordId: string): void {
  const record = mustHaveRecord(world, recordId);
  forget(world, record);
  const records = world.recordsOfService.get(record.serviceId) ?? [];
  records.splice(records.indexOf(record), 1);
}

export function forgetRecordsOf(world: World, serviceId: string): void {
  for (const record of world.recordsOfService.get(serviceId) ?? []) forget(world, record);
  world.recordsOfService.delete(serviceId);
}

/** An update may give the service a new id: its past goes along. */
export function handOverRecords(world: World, fromServiceId: string, toServiceId: string): void {
  const records = world.recordsOfService.get(fromServiceId) ?? [];
  world.recordsOfService.delete(fromServiceId);
  for (const record of records) keepRecord(world, { ...record, serviceId: toServiceId });
}

/** A renamed node is followed, else no record from before could be rolled back to. */
export function renameNodeInRecords(world: World, rename: (nodeNames: readonly string[]) => readonly string[]): void {
  for (const records of world.recordsOfService.values()) {
    for (const [place, record] of records.entries()) {
      const nodeNames = rename(record.spec.nodeNames);
      if (nodeNames === record.spec.nodeNames) continue;
      const renamed = { ...record, spec: { ...record.spec, nodeNames } };
      records[place] = renamed;
      world.records.set(record.id, renamed);
    }
  }
}

function forget(world: World, record: DeploymentRecord | undefined): void {
  if (record !== undefined) world.records.delete(record.id);
}
