/** Services in responses. */
import type { JsonObject, JsonValue } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';
import type { Platform } from '../platform/contract.ts';
import type { Container, ImageSpec, Service } from '../platform/model.ts';
import { imageNameOf } from './text.ts';
import { timeText } from './times.ts';

export function serviceRow(platform: Platform, service: Service): JsonObject {
  const { behaviour } = platform;
  const containers = platform.containersOfService(service.id);
  return {
    id: service.id,
    name: service.name,
    status: platform.statusOfService(service),
    createdTime: timeText(service.createdMs, 'service', behaviour),
    updatedTime: timeText(service.updatedMs, 'service', behaviour),
    factor: service.factor,
    policy: service.policy,
    imageList: [{ ...imageNameOf(service.image.ref) }],
    nodeList: nodeList(platform, service.nodeNames),
    ...instances(platform, containers),
    errorInstance: errorInstances(platform, containers),
    defaultLabels: [],
    pathLabel: service.pathLabel,
  };
}

export function serviceDetail(platform: Platform, service: Service): JsonObject {
  const { behaviour } = platform;
  return {
    id: service.id,
    name: service.name,
    status: platform.statusOfService(service),
    ...instances(platform, platform.containersOfService(service.id)),
    healthy: platform.isHealthy(service),
    factor: service.factor,
    policy: service.policy,
    createdTime: timeText(service.createdMs, 'service', behaviour),
    updatedTime: timeText(service.updatedMs, 'service', behaviour),
    image: imageObject(service.image),
    node: { names: service.nodeNames },
    nodeList: nodeList(platform, service.nodeNames),
  };
}

/** The image as the caller sent it, with additional fields; an absent `vsoa` is null. */
export function imageObject(image: ImageSpec): JsonObject {
  const entries: readonly (readonly [string, JsonValue | undefined])[] = Object.entries(image);
  return Object.fromEntries([
    ['vsoa', null],
    ...entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ]);
}

export function nodeList(platform: Platform, names: readonly string[]): readonly JsonObject[] {
  return names.flatMap((name) => {
    const node = platform.nodeNamed(name);
    return node ? [{ nodeId: node.id, nodeName: node.name, address: `${node.ip}:${node.port}` }] : [];
  });
}

function instances(platform: Platform, containers: readonly Container[]): JsonObject {
  const statuses = new Set<string>();
  let online = 0;
  for (const container of containers) {
    const status = platform.statusOf(container);
    if (status !== null) statuses.add(status);
    if (status === 'running') online++;
  }
  return {
    containerStatusGroup: [...statuses],
    instanceOnline: online,
    instanceActive: activeOf(platform.behaviour, online, containers.length),
  };
}

function activeOf({ instanceActive }: Behaviour, online: number, all: number): number {
  if (instanceActive === 'all') return all;
  return instanceActive === 'running' ? online : all - online;
}

function errorInstances(platform: Platform, containers: readonly Container[]): readonly JsonObject[] {
  const status = platform.behaviour.errorInstanceStatus === 'boolean' ? false : 'false';
  return containers
    .filter((container) => container.deployStatus === 'failure')
    .map((container) => ({
      // After a failed deployment the container can only be looked up by its task id.
      containerId: container.taskId,
      nodeId: container.nodeId,
      nodeName: platform.node(container.nodeId)?.name ?? null,
      status,
      message: container.failedMessage,
    }));
}
