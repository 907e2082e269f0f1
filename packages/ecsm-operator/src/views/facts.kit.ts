/** Rows of the platform for tests of the conversions. */
import { type ContainerRow, parseTime } from '@ecsm/client';
import type { Mark } from '../resource/model.ts';
import type { NodeFacts, Observation } from './facts.ts';

export const observation: Observation = {
  timeOf: (text) => (text == null ? undefined : parseTime(text)),
  observedMs: Date.UTC(2026, 0, 2, 12, 0, 0),
  createdMsDefault: Date.UTC(2026, 0, 1),
};

export const stale: Observation = { ...observation, staleReason: 'the platform is unavailable' };

export function nodeFacts(change: Partial<NodeFacts> = {}): NodeFacts {
  return {
    row: {
      id: 'id-1',
      name: 'node-1',
      address: '10.0.0.1:1112',
      status: 'online',
      type: 'SylixOS',
      arch: 'x86-64',
      password: 'secret',
      createdTime: '2025-12-31 10:00:00',
    },
    live: {
      id: 'id-1',
      status: 'online',
      memoryTotal: 4 * 2 ** 30,
      memoryFree: 3 * 2 ** 30,
      diskTotal: 2 ** 34,
      diskFree: 2 ** 33,
      cpuUsage: { total: 25, cores: [25, 25, 25, 25] },
    },
    version: '1.3.0',
    capacity: { cores: 4, memoryBytes: 4 * 2 ** 30, diskBytes: 2 ** 34 },
    heartbeatMs: observation.observedMs,
    ...change,
  };
}

export function containerRow(change: Partial<ContainerRow> = {}): ContainerRow {
  return {
    taskId: '0f8fad5b-d9cb-469f-a165-70867728950e',
    name: 'telemetry-1a2b3c4d',
    serviceId: 'service-1',
    serviceName: 'telemetry',
    nodeName: 'node-1',
    nodeId: 'id-1',
    address: '10.0.0.1:1112',
    deployStatus: 'success',
    status: 'running',
    id: 'telemetry-1a2b3c4d',
    startedTime: '2026-01-02T03:04:05.678Z',
    createdTime: '2026-01-02T03:04:04Z',
    restartCnt: 2,
    cpuUsage: { total: 12.5, cores: [12.5, 12.5] },
    memoryLimit: 512 * 2 ** 20,
    memoryUsage: 100 * 2 ** 20 + 1,
    sizeLimit: 2 ** 30,
    imageId: 'image-1',
    imageName: 'telemetry',
    imageVersion: '1.0.0',
    imageOS: 'sylixos',
    ...change,
  };
}

/** A row of a platform that reports nothing but the required fields. */
export const bareRow: ContainerRow = {
  taskId: 'task-1',
  name: 'Käse 1',
  serviceId: 'service-9',
  nodeName: 'Ground',
  deployStatus: 'success',
  status: 'running',
};

export const mark: Mark = {
  registry: 'registry-1',
  namespace: 'space',
  name: 'telemetry',
  uid: 'uid-1',
  revision: '12ab34cd',
};
