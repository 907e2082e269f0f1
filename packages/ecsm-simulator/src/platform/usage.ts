/**
 * The resource usage of containers and nodes, as a function of the state. The totals of a node are cached until
 * something on it changes, because placement compares many nodes for every instance. Shared demand depends on other
 * nodes and on the time, so totals that contain it are not cached.
 */
import type { ContainerUsage, NodeUsage } from './contract.ts';
import { isShared, shareOf } from './demand.ts';
import type { Container, Node } from './model.ts';
import type { NodeTotals, World } from './world.ts';

const mebibyte = 1024 * 1024;
/** Usage of an idle container. */
const idle = { cpuPercent: 0.5, memoryBytes: 16 * mebibyte, diskBytes: mebibyte };
/** Usage of the operating system of a node. */
const system = { cpuPercent: 2, processes: 24, networkBytes: 1_000 };
/** Per second and running container. */
const containerNetworkBytes = 500;

export function usageOf(world: World, container: Container): ContainerUsage {
  const cores = world.nodes.get(container.nodeId)?.cores ?? 0;
  const cpuPercent = cpuOf(world, container);
  const memoryBytes = memoryOf(world, container);
  return {
    cpuPercent,
    cpuCores: Array.from({ length: cores }, () => cpuPercent),
    memoryBytes,
    memoryMaxBytes: Math.max(container.memoryMaxUsageBytes, memoryBytes),
    diskBytes: diskOf(world, container),
    uptimeSeconds: isAlive(container) ? (world.nowMs - (container.startedMs ?? world.nowMs)) / 1000 : 0,
  };
}

/** For an offline node only the number of containers is known. */
export function usageOfNode(world: World, node: Node): NodeUsage {
  const ecsmTotal = world.containers.onNode(node.id).size;
  const totals = totalsOf(world, node);
  const total = ecsmTotal + node.otherContainers;
  if (!node.online) {
    return {
      cpuPercent: 0,
      cpuCores: [],
      memoryFreeBytes: 0,
      diskFreeBytes: 0,
      processCount: 0,
      containers: { total, running: 0, ecsmTotal, ecsmRunning: 0 },
      uptimeSeconds: 0,
      network: [],
    };
  }
  const cpuPercent = Math.min(100, system.cpuPercent + totals.cpuPercent);
  const running = totals.running + node.otherContainersRunning;
  const networkBytes = system.networkBytes + containerNetworkBytes * totals.running;
  return {
    cpuPercent,
    cpuCores: Array.from({ length: node.cores }, () => cpuPercent),
    memoryFreeBytes: freeMemoryOf(world, node),
    diskFreeBytes: freeDiskOf(world, node),
    processCount: system.processes + running,
    containers: { total, running, ecsmTotal, ecsmRunning: totals.running },
    uptimeSeconds: (world.nowMs - node.bootedMs) / 1000,
    network: [{ name: 'en1', upBytes: networkBytes, downBytes: 2 * networkBytes }],
  };
}

export function freeMemoryOf(world: World, node: Node): number {
  return Math.max(0, unusedMemoryOf(world, node));
}

/** Negative if the node is overcommitted. */
export function unusedMemoryOf(world: World, node: Node): number {
  return node.memoryTotalBytes - node.memoryOtherBytes - totalsOf(world, node).memoryBytes;
}

export function freeDiskOf(world: World, node: Node): number {
  const usedBytes = node.diskOtherBytes + imageBytesOn(world, node) + totalsOf(world, node).diskBytes;
  return Math.max(0, node.diskTotalBytes - usedBytes);
}

export function imageBytesOn(world: World, node: Node): number {
  let bytes = 0;
  for (const imageId of Object.keys(node.images)) bytes += world.images.get(imageId)?.sizeBytes ?? 0;
  return bytes;
}

/** Must be called after every change of the usage of a container on the node. */
export function invalidateTotals(world: World, nodeId: string): void {
  world.totals.delete(nodeId);
}

/** Updates the peak memory of the container. */
export function updatePeakMemory(world: World, container: Container): void {
  container.memoryMaxUsageBytes = Math.max(container.memoryMaxUsageBytes, memoryOf(world, container));
}

function totalsOf(world: World, node: Node): NodeTotals {
  const cached = world.totals.get(node.id);
  if (cached !== undefined) return cached;
  let running = 0;
  let cpuPercent = 0;
  let memoryBytes = 0;
  let diskBytes = 0;
  let isCacheable = true;
  for (const container of world.containers.onNode(node.id).values()) {
    const load = world.services.get(container.serviceId)?.load;
    if (load !== undefined && isShared(load)) isCacheable = false;
    if (container.status === 'running') running++;
    cpuPercent += cpuOf(world, container);
    memoryBytes += memoryOf(world, container);
    diskBytes += diskOf(world, container);
  }
  const totals = { running, cpuPercent, memoryBytes, diskBytes };
  if (isCacheable) world.totals.set(node.id, totals);
  return totals;
}

/** Shared demand includes the usage of an idle container, so that the percentages of the instances add up to it. */
function cpuOf(world: World, container: Container): number {
  if (container.status !== 'running') return 0;
  const load = world.services.get(container.serviceId)?.load.cpuPercent ?? 0;
  return Math.min(100, Math.max(idle.cpuPercent, shareOf(world, container).cpuPercent) + load);
}

/** A paused container keeps its memory, and serves nothing. */
export function memoryOf(world: World, container: Container): number {
  if (!isAlive(container)) return 0;
  const load = world.services.get(container.serviceId)?.load.memoryBytes ?? 0;
  const bytes = Math.max(idle.memoryBytes, shareOf(world, container).memoryBytes) + load;
  return Math.min(container.memoryLimitBytes, bytes);
}

/** Disk usage stays until the container is redeployed. */
function diskOf(world: World, container: Container): number {
  if (container.deployStatus !== 'success') return 0;
  const load = world.services.get(container.serviceId)?.load.diskBytes ?? 0;
  return Math.min(container.diskLimitBytes, idle.diskBytes + load);
}

export function isAlive(container: Container): boolean {
  return container.status === 'running' || container.status === 'paused';
}
