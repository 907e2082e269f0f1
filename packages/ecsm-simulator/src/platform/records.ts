/** Deployment records: one for the creation and each update of a service. They are deleted with the service. */
import type { DeploymentRecord, Service } from './model.ts';
import { Refusal } from './refusal.ts';
import { specOf } from './spec.ts';
import type { World } from './world.ts';

/** Maximum number of records per service; the oldest are dropped. */
export const recordsMax = 100;

export function addRecord(world: World, service: Service): void {
  const record = { id: world.uuid(), serviceId: service.id, createdMs: world.nowMs, spec: specOf(service) };
  storeRecord(world, record);
  const records = world.recordsOfService.get(service.id) ?? [];
  if (records.length > recordsMax) forget(world, records.shift());
}

export function storeRecord(world: World, record: DeploymentRecord): void {
  world.records.set(record.id, record);
  const records = world.recordsOfService.get(record.serviceId);
  if (records === undefined) world.recordsOfService.set(record.serviceId, [record]);
  else records.push(record);
}

export function requireRecord(world: World, recordId: string): DeploymentRecord {
  const record = world.records.get(recordId);
  if (record === undefined) throw new Refusal('recordNotFound', recordId);
  return record;
}

export function deleteRecord(world: World, recordId: string): void {
  const record = requireRecord(world, recordId);
  forget(world, record);
  const records = world.recordsOfService.get(record.serviceId) ?? [];
  records.splice(records.indexOf(record), 1);
}

export function deleteRecordsOf(world: World, serviceId: string): void {
  for (const record of world.recordsOfService.get(serviceId) ?? []) forget(world, record);
  world.recordsOfService.delete(serviceId);
}

/** Moves the records to a new id of their service. */
export function reassignRecords(world: World, fromServiceId: string, toServiceId: string): void {
  const records = world.recordsOfService.get(fromServiceId) ?? [];
  world.recordsOfService.delete(fromServiceId);
  for (const record of records) storeRecord(world, { ...record, serviceId: toServiceId });
}

/** Renames a node in all records, so that a rollback to them stays possible. */
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
