/** Nodes in responses: in lists, details, by name (a database row), and live status. */
import { type JsonObject, timestampAt } from '@ecsm/runtime';
import type { Behaviour } from '../platform/behaviour.ts';
import type { NodeUsage, Platform } from '../platform/contract.ts';
import type { Node } from '../platform/model.ts';
import { timeText } from './times.ts';

/** `isBasic` omits live data of the node. The real platform also returns the password in plain text. */
export function nodeRow(platform: Platform, node: Node, isBasic: boolean): JsonObject {
  const usage = isBasic ? undefined : platform.usageOfNode(node);
  return {
    id: node.id,
    address: `${node.ip}:${node.port}`,
    name: node.name,
    password: node.password,
    status: onlineStatus(node),
    type: node.type,
    tls: node.tls,
    ...(usage ? { ...containerCounts(node, usage), upTime: node.online ? usage.uptimeSeconds : 0 } : {}),
    createdTime: timeText(node.createdMs, 'service', platform.behaviour),
    arch: node.arch,
  };
}

export function nodeDetail(node: Node, behaviour: Behaviour): JsonObject {
  return {
    id: node.id,
    address: `${node.ip}:${node.port}`,
    name: node.name,
    password: node.password,
    tls: node.tls,
    type: node.type,
    createdTime: timeText(node.createdMs, 'service', behaviour),
    arch: node.arch,
    ecsdVersion: node.ecsdVersion,
  };
}

export function nodeDatabaseRow(node: Node, behaviour: Behaviour): JsonObject {
  const { id, ip, port, name, password, tls, type, createdMs, arch } = node;
  const createdTime = timeText(createdMs, 'service', behaviour);
  return { id, ip, port, name, password, tls: tls ? 1 : 0, type, createdTime, arch };
}

export function nodeStatus(platform: Platform, node: Node): JsonObject {
  const usage = platform.usageOfNode(node);
  const counts = containerCounts(node, usage);
  if (!node.online) return offlineStatus(node, counts, platform.behaviour);
  return {
    id: node.id,
    status: onlineStatus(node),
    memoryTotal: node.memoryTotalBytes,
    memoryFree: usage.memoryFreeBytes,
    diskTotal: diskSize(node.diskTotalBytes, platform.behaviour),
    diskFree: diskSize(usage.diskFreeBytes, platform.behaviour),
    cpuUsage: { total: usage.cpuPercent, cores: usage.cpuCores, measureTime: 1000 },
    uptime: usage.uptimeSeconds,
    processCount: usage.processCount,
    ...counts,
    net: usage.network.map(({ name, upBytes, downBytes }) => ({
      networkName: name,
      upNet: upBytes,
      downNet: downBytes,
    })),
    time: nodeTime(platform.now(), usage.uptimeSeconds),
  };
}

export function onlineStatus({ online }: Node): 'online' | 'offline' {
  return online ? 'online' : 'offline';
}

function diskSize(bytes: number, { diskUnit }: Behaviour): number {
  return diskUnit === 'megabytes' ? bytes / 2 ** 20 : bytes;
}

/** A plain number as `cpuUsage` was observed; the other values are assumed to be 0. */
function offlineStatus(node: Node, counts: JsonObject, { offlineCpuUsage }: Behaviour): JsonObject {
  return {
    id: node.id,
    status: onlineStatus(node),
    memoryTotal: 0,
    memoryFree: 0,
    diskTotal: 0,
    diskFree: 0,
    cpuUsage: offlineCpuUsage === 'number' ? 0 : { total: 0, cores: [], measureTime: 0 },
    uptime: 0,
    processCount: 0,
    ...counts,
    net: [],
    time: { current: 0, uptime: 0, timezone: '', timezoneName: '', date: '' },
  };
}

/** The total is known even if the node is offline; the number of running containers is not. */
function containerCounts({ online }: Node, { containers }: NodeUsage): JsonObject {
  return {
    containerTotal: containers.total,
    containerRunning: online ? containers.running : 0,
    containerEcsmTotal: containers.ecsmTotal,
    containerEcsmRunning: online ? containers.ecsmRunning : 0,
  };
}

function nodeTime(nowMs: number, uptimeSeconds: number): JsonObject {
  return {
    current: nowMs,
    uptime: uptimeSeconds,
    timezone: '+0000',
    timezoneName: 'UTC',
    date: timestampAt(nowMs).slice(0, 19).replace('T', ' '),
  };
}
