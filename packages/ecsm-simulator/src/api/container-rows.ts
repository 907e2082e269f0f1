/** Containers in responses; the same in lists and details. */
import type { JsonObject } from '@ecsm/runtime';
import type { Platform } from '../platform/contract.ts';
import type { Container } from '../platform/model.ts';
import { imageNameOf } from './text.ts';
import { timeText } from './times.ts';

export function containerObject(platform: Platform, container: Container): JsonObject {
  const { behaviour } = platform;
  const usage = platform.usageOf(container);
  const node = platform.node(container.nodeId);
  const image = container.imageId === null ? undefined : platform.image('local', container.imageId);
  const { name, tag, os } = image ?? imageNameOf(container.imageRef);
  return {
    id: container.runtimeId,
    taskId: container.taskId,
    name: container.name,
    status: platform.statusOf(container),
    // Clients of the platform decode whole seconds.
    uptime: Math.floor(usage.uptimeSeconds),
    startedTime: container.startedMs === null ? null : timeText(container.startedMs, 'container', behaviour),
    createdTime: timeText(container.createdMs, 'container', behaviour),
    taskCreatedTime: timeText(container.taskCreatedMs, 'container', behaviour),
    deployStatus: container.deployStatus,
    failedMessage: container.failedMessage,
    restartCnt: container.restartCnt,
    deployNum: container.deployNum,
    cpuUsage: { total: usage.cpuPercent, cores: usage.cpuCores },
    memoryLimit: container.memoryLimitBytes,
    memoryUsage: usage.memoryBytes,
    memoryMaxUsage: usage.memoryMaxBytes,
    sizeUsage: usage.diskBytes,
    sizeLimit: container.diskLimitBytes,
    serviceId: container.serviceId,
    serviceName: platform.service(container.serviceId)?.name ?? null,
    nodeId: container.nodeId,
    nodeName: node?.name ?? null,
    nodeArch: node?.arch ?? null,
    address: node ? `${node.ip}:${node.port}` : null,
    imageId: container.imageId,
    imageName: name,
    imageVersion: tag,
    imageOS: os,
    imageArch: image?.arch ?? null,
  };
}
