/** Nodes: registration, changes, and going offline and online. */
import { retryMoves } from './capacity.ts';
import type { NewNode } from './contract.ts';
import { handleNodeOffline, handleNodeOnline } from './migration.ts';
import type { Node, OperatingSystem, Service } from './model.ts';
import { renameNodeInRecords } from './records.ts';
import { checkAmount, Refusal } from './refusal.ts';
import type { World } from './world.ts';

const gibibyte = 1024 ** 3;
/** Default size of a node. */
const defaults = { cores: 4, memoryTotalBytes: 8 * gibibyte, diskTotalBytes: 64 * gibibyte };
/** Used by the operating system. */
const system = { memoryBytes: gibibyte / 2, diskBytes: 4 * gibibyte };

export function addNode(world: World, wanted: NewNode): Node {
  checkUnique(world, wanted);
  const type = wanted.type ?? 'sylixos';
  const memoryTotalBytes = checkAmount(wanted.memoryTotalBytes ?? defaults.memoryTotalBytes, 'memoryTotalBytes');
  const diskTotalBytes = checkAmount(wanted.diskTotalBytes ?? defaults.diskTotalBytes, 'diskTotalBytes');
  const node: Node = {
    id: world.uuid(),
    name: wanted.name,
    ip: wanted.ip,
    port: wanted.port,
    password: wanted.password,
    tls: wanted.tls ?? false,
    type,
    trueType: type,
    arch: wanted.arch ?? (type === 'linux' ? 'x86-64' : 'arm64'),
    ecsdVersion: '1.3.0',
    createdMs: world.nowMs,
    online: true,
    onlineSinceMs: world.nowMs,
    bootedMs: world.nowMs,
    step: 0,
    cores: Math.min(coresMax, Math.floor(checkAmount(wanted.cores ?? defaults.cores, 'cores'))),
    memoryTotalBytes,
    diskTotalBytes,
    memoryOtherBytes: Math.min(system.memoryBytes, memoryTotalBytes / 4),
    diskOtherBytes: Math.min(system.diskBytes, diskTotalBytes / 4),
    otherContainers: 0,
    otherContainersRunning: 0,
    images: {},
  };
  world.nodes.set(node.id, node);
  world.nodesByName.set(node.name, node);
  return node;
}

/** Limited because the usage contains every core. */
const coresMax = 1_024;

/** Renaming a node also updates the services, records and templates that refer to it by name. */
export function updateNode(
  world: World,
  id: string,
  change: Pick<Node, 'name' | 'ip' | 'port' | 'password' | 'tls'>,
): void {
  const node = world.requireNode(id);
  checkUnique(world, change, node);
  if (change.name !== node.name) rename(world, node, change.name);
  node.ip = change.ip;
  node.port = change.port;
  node.password = change.password;
  node.tls = change.tls;
}

function rename(world: World, node: Node, name: string): void {
  const oldName = node.name;
  world.nodesByName.delete(oldName);
  world.nodesByName.set(name, node);
  node.name = name;
  const renamed = (names: readonly string[]) =>
    names.includes(oldName) ? names.map((one) => (one === oldName ? name : one)) : names;
  for (const service of world.services.values()) service.nodeNames = renamed(service.nodeNames);
  for (const template of world.templates.values()) {
    if (template.service === null) continue;
    template.service = { ...template.service, nodeNames: renamed(template.service.nodeNames) };
  }
  renameNodeInRecords(world, renamed);
}

/** Deletes all nodes or none. Returns the nodes that are in use with their services; empty if all were deleted. */
export function deleteNodes(
  world: World,
  ids: readonly string[],
): readonly { readonly node: Node; readonly services: readonly Service[] }[] {
  const nodes = [...new Set(ids)].map((id) => world.requireNode(id));
  const conflicts = nodes
    .map((node) => ({ node, services: servicesUsing(world, node) }))
    .filter(({ services }) => services.length > 0);
  if (conflicts.length > 0) return conflicts;
  for (const node of nodes) {
    world.nodes.delete(node.id);
    world.nodesByName.delete(node.name);
    world.offlineNodes.delete(node.id);
    world.totals.delete(node.id);
    for (const container of world.containers.values()) {
      if (container.movedFromNodeId === node.id) container.movedFromNodeId = null;
    }
  }
  return [];
}

/** The services that use a node. One that no longer lists it may still have a container there that is being removed. */
function servicesUsing(world: World, node: Node): readonly Service[] {
  const present = new Set<string>();
  for (const { serviceId } of world.containers.onNode(node.id).values()) present.add(serviceId);
  return [...world.services.values()].filter(({ id, nodeNames }) => present.has(id) || nodeNames.includes(node.name));
}

/** Offline nodes are not updated. */
export function refreshNodeTypes(world: World): void {
  for (const node of world.nodes.values()) {
    if (node.online) node.type = node.trueType;
  }
}

/** Does nothing if the node already has this state. */
export function setNodeOnline(world: World, id: string, online: boolean): void {
  const node = world.requireNode(id);
  if (node.online === online) return;
  node.online = online;
  node.onlineSinceMs = world.nowMs;
  node.step++;
  if (online) world.offlineNodes.delete(node.id);
  else world.offlineNodes.add(node.id);
  world.log.write('info', online ? 'node online' : 'node offline', { node: node.name });
  if (online) handleNodeOnline(world, node);
  else handleNodeOffline(world, node);
}

/** What is on a node besides the containers of the platform. Absent fields do not change. */
export interface Fill {
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
  /** Number of foreign containers, all of them running. */
  readonly containers?: number;
}

/** Memory and disk are limited to the size of the node. */
export function fillNode(world: World, id: string, fill: Fill): void {
  const node = world.requireNode(id);
  const memoryBytes = checkAmount(fill.memoryBytes ?? node.memoryOtherBytes, 'memoryBytes');
  const diskBytes = checkAmount(fill.diskBytes ?? node.diskOtherBytes, 'diskBytes');
  const containers = fill.containers === undefined ? undefined : checkAmount(fill.containers, 'containers');
  node.memoryOtherBytes = Math.min(memoryBytes, node.memoryTotalBytes);
  node.diskOtherBytes = Math.min(diskBytes, node.diskTotalBytes);
  if (containers !== undefined) {
    node.otherContainers = Math.floor(containers);
    node.otherContainersRunning = node.otherContainers;
  }
  retryMoves(world);
}

export function setNodeTrueType(world: World, id: string, type: OperatingSystem): void {
  world.requireNode(id).trueType = type;
}

function checkUnique(world: World, wanted: Pick<Node, 'name' | 'ip' | 'port'>, itself?: Node): void {
  if (wanted.name.trim() === '') throw new Refusal('badRequest', 'name', { name: 'is required' });
  const namesake = world.nodesByName.get(wanted.name);
  if (namesake !== undefined && namesake !== itself) throw new Refusal('nodeNameTaken', wanted.name);
  for (const other of world.nodes.values()) {
    if (other !== itself && other.ip === wanted.ip && other.port === wanted.port) {
      throw new Refusal('nodeAddressTaken', `${wanted.ip}:${wanted.port}`);
    }
  }
}
