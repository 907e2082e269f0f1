/**
 * Short prints of what the platform shows, to notice that something changed without keeping what it was. 32 bits each:
 * a change goes unnoticed once in four thousand million times, and then until the next one.
 */
import { type ContainerRow, numberOf, type ServiceRow } from '@ecsm/client';
import type { Instance } from '../resource/model.ts';

/** Everything in a row of the list of services that could be a reason to look closer. */
export function printOfRow(row: ServiceRow): number {
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

/** Of the instances of one service, in whatever order. Measurements are left out: they never stand still. */
export function printOfInstances(
  instances: readonly Pick<Instance, 'taskId' | 'nodeName' | 'status' | 'deployment' | 'restarts'>[],
): number {
  let sum = instances.length;
  for (const { taskId, nodeName, status, deployment, restarts } of instances) {
    sum = (sum + hash32(JSON.stringify([taskId, nodeName, status, deployment, restarts]))) >>> 0;
  }
  return sum;
}

export function instanceOf(row: ContainerRow): Parameters<typeof printOfInstances>[0][number] {
  const { taskId, nodeName, status, deployStatus: deployment } = row;
  return { taskId, nodeName, status, deployment, restarts: numberOf(row.restartCnt) ?? 0 };
}

/** FNV-1a. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
