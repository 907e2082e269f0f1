/** Nodes: registered by people, lost and found by fate. */
import type { NewNode } from './contract.ts';
import { nodeCameBack, nodeWasCut } from './migration.ts';
import type { Node, OperatingSystem, Service } from './model.ts';
import { renameNodeInRecords } from './records.ts';
import { Refusal } from './refusal.ts';
import type { World } from './world.ts';

const gibibyte = 1024 ** 3;
/** What a node is that nobody described: a board that flies. */
const ordinary = { cores: 4, memoryTotalBytes: 8 * gibibyte, diskTotalBytes: 64 * gibibyte };
/** What its own programs take. */
const system = { memoryBytes: gibibyte / 2, diskBytes: 4 * gibibyte };

export function addNode(world: World, wanted: NewNode): Node {
  checkUnique(world, wanted);
  const type = wanted.type ?? 'sylixos';
  const memoryTotalBytes = amount(wanted.memoryTotalBytes ?? ordinary.memoryTotalBytes, 'memoryTotalBytes');
  const diskTotalBytes = amount(wanted.diskTotalBytes ?? ordinary.diskTotalBytes, 'diskTotalBytes');
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
    cores: Math.min(coresMax, Math.floor(amount(wanted.cores ?? ordinary.cores, 'cores'))),
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

/** Usage lists every core. */
const coresMax = 1_024;

/** Services, records and templates name nodes by name; they follow a node that is renamed. */
export function updateNode(
  world: World,
  id: string,
  change: Pick<Node, 'name' | 'ip' | 'port' | 'password' | 'tls'>,
): void {
  const node = world.mustHaveNode(id);
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

/** All of them, or none: then the services that hold a node are named. */
export function deleteNodes(
  world: World,
  ids: readonly string[],
): readonly { readonly node: Node; readonly services: readonly Service[] }[] {
  const nodes = [...new Set(ids)].map((id) => world.mustHaveNode(id));
  const conflicts = nodes
    .map((node) => ({ node, services: holdersOf(world, node) }))
    .filter(({ services }) => services.length > 0);
  if (conflicts.length > 0) return conflicts;
  for (const node of nodes) {
    world.nodes.delete(node.id);
    world.nodesByName.delete(node.name);
    world.totals.delete(node.id);
    for (const container of world.containers.values()) {
      if (container.movedFromNodeId === node.id) container.movedFromNodeId = null;
    }
  }
  return [];
}

/** A service that no longer lists the node may still have a container there that is about to go. */
function holdersOf(world: World, node: Node): readonly Service[] {
  const present = new Set<string>();
  for (const { serviceId } of world.containers.onNode(node.id).values()) present.add(serviceId);
  return [...world.services.values()].filter(({ id, nodeNames }) => present.has(id) || nodeNames.includes(node.name));
}

/** An offline node cannot be asked. */
export function refreshNodeTypes(world: World): void {
  for (const node of world.nodes.values()) {
    if (node.online) node.type = node.trueType;
  }
}

/** Cutting a node that is cut, or restoring one that is online, changes nothing. */
export function setNodeOnline(world: World, id: string, online: boolean): void {
  const node = world.mustHaveNode(id);
  if (node.online === online) return;
  node.online = online;
  node.onlineSinceMs = world.nowMs;
  node.step++;
  world.log.write('info', online ? 'node is back' : 'node is lost', { node: node.name });
  if (online) nodeCameBack(world, node);
  else nodeWasCut(world, node);
}

/** How much others take from now on; never more than there is. */
export function fillNode(
  world: World,
  id: string,
  fill: { readonly memoryBytes?: number; readonly diskBytes?: number },
): void {
  const node = world.mustHaveNode(id);
  const memoryBytes = amount(fill.memoryBytes ?? node.memoryOtherBytes, 'memoryBytes');
  const diskBytes = amount(fill.diskBytes ?? node.diskOtherBytes, 'diskBytes');
  node.memoryOtherBytes = Math.min(memoryBytes, node.memoryTotalBytes);
  node.diskOtherBytes = Math.min(diskBytes, node.diskTotalBytes);
}

export function setNodeTrueType(world: World, id: string, type: OperatingSystem): void {
  world.mustHaveNode(id).trueType = type;
}

function checkUnique(world: World, wanted: Pick<Node, 'name' | 'ip' | 'port'>, itself?: Node): void {
  if (wanted.name.trim() === '') throw new Refusal('badRequest', 'name', { name: 'has to be there' });
  const namesake = world.nodesByName.get(wanted.name);
  if (namesake !== undefined && namesake !== itself) throw new Refusal('nodeNameTaken', wanted.name);
  for (const other of world.nodes.values()) {
    if (other !== itself && other.ip === wanted.ip && other.port === wanted.port) {
      throw new Refusal('nodeAddressTaken', `${wanted.ip}:${wanted.port}`);
    }
  }
}

function amount(value: number, name: string): number {
  if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  throw new Refusal('badRequest', name, { [name]: 'has to be a number, 0 or more' });
}
