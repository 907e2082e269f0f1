/**
 * Fingerprints of services and instances, to notice a change without keeping the rows. They have 32 bits: one change in
 * four thousand million is missed, until the next change.
 */
import { type ContainerRow, numberOf, type ServiceRow } from '@ecsm/client';
import type { Instance } from '../resource/model.ts';
import { restartsOf } from '../resource/read.ts';

/** Of every field in a row of the list of services that may be a reason to read the service. */
export function fingerprintOfRow(row: ServiceRow): number {
  const errors = (row.errorInstance ?? []).map(({ containerId, message }) => `${containerId} ${message}`);
  const nodes = (row.nodeList ?? []).map(({ nodeName }) => String(nodeName));
  return hash32(
    JSON.stringify([
      row.name,
      row.updatedTime,
      row.status,
      row.policy,
      numberOf(row.factor),
      numberOf(row.instanceOnline),
      (row.containerStatusGroup ?? []).map(String).sort(),
      errors.sort(),
      nodes.sort(),
    ]),
  );
}

/** Of the instances of one service, in any order. Measurements are left out: they change all the time. */
export function fingerprintOfInstances(
  instances: readonly Pick<Instance, 'taskId' | 'nodeName' | 'status' | 'deployment' | 'restarts'>[],
): number {
  let sum = instances.length;
  for (const { taskId, nodeName, status, deployment, restarts } of instances) {
    sum = (sum + hash32(JSON.stringify([taskId, nodeName, status, deployment, restarts]))) >>> 0;
  }
  return sum;
}

export function instanceOf(row: ContainerRow): Parameters<typeof fingerprintOfInstances>[0][number] {
  const { taskId, nodeName, status, deployStatus: deployment } = row;
  return { taskId, nodeName, status, deployment, restarts: restartsOf(row) };
}

/** FNV-1a. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
