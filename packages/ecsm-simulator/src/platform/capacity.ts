/**
 * Whether a node has the memory and disk for one more container. A container needs its memory limit of what is free: by
 * `capacityAccounting`, what is not used now, or what the declared limits of other containers leave. By limits, only
 * declared ones count, and disk limits too; a container without a limit takes what it uses.
 */
import { limitsOf } from './image-config.ts';
import type { Container, ImageSpec, Node } from './model.ts';
import { imageBytesOn, memoryOf, unusedMemoryOf } from './usage.ts';
import type { World } from './world.ts';

/** Memory that must be free for a container without a limit. */
const memoryBytesMin = 32 * 1024 * 1024;

interface Amounts {
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** A container that will be created. */
export interface AddedContainer extends Amounts {
  readonly nodeId: string;
}

/** The containers that a call which is not executed yet removes and adds. */
export interface PendingChange {
  readonly removed: ReadonlySet<Container>;
  readonly added: readonly AddedContainer[];
}

export const noChange: PendingChange = { removed: new Set(), added: [] };

interface Shortage {
  readonly why: 'nodeMemory' | 'nodeDisk';
  /** `需要 67108864 字节, 剩余 1048576 字节` */
  readonly detail: string;
}

export function needsOf(world: World, image: ImageSpec, node: Node): Amounts {
  const { memoryBytes, diskBytes, isMemoryLimited, isMemoryDeclared, isDiskDeclared } = limitsOf(image, node);
  const isByLimits = world.behaviour.capacityAccounting === 'limit';
  return {
    memoryBytes: (isByLimits ? isMemoryDeclared : isMemoryLimited) ? memoryBytes : memoryBytesMin,
    diskBytes: isByLimits && isDiskDeclared ? diskBytes : 0,
  };
}

/** What one more container of the image lacks on the node; undefined if there is room. */
export function shortageOn(
  world: World,
  image: ImageSpec,
  node: Node,
  change: PendingChange = noChange,
): Shortage | undefined {
  const isByLimits = world.behaviour.capacityAccounting === 'limit';
  const free = isByLimits
    ? unreserved(world, node, (other) => !change.removed.has(other))
    : unused(world, node, change);
  return shortage(world, image, node, without(free, node, change.added));
}

/**
 * What a container that is about to start lacks. Of several deployments that do not fit together the oldest succeed, so
 * later ones do not count.
 */
export function shortageOfStarting(
  world: World,
  image: ImageSpec,
  node: Node,
  starting: Container,
): Shortage | undefined {
  if (world.behaviour.capacityAccounting === 'usage')
    return shortage(world, image, node, unused(world, node, noChange));
  let isLater = false;
  const free = unreserved(world, node, (other) => {
    if (other === starting) isLater = true;
    return other !== starting && (!isLater || other.deployStatus === 'success');
  });
  return shortage(world, image, node, free);
}

/** Must be called when a node may have more room, so that containers of lost nodes can be moved there. */
export function retryMoves(world: World): void {
  if (world.offlineNodes.size > 0) world.schedule('roomFreed', '', 0);
}

function shortage(world: World, image: ImageSpec, node: Node, free: Amounts): Shortage | undefined {
  if (world.behaviour.outOfMemory === 'overcommit') return undefined;
  const needs = needsOf(world, image, node);
  if (free.memoryBytes < needs.memoryBytes) {
    return { why: 'nodeMemory', detail: detailOf(needs.memoryBytes, free.memoryBytes) };
  }
  if (free.diskBytes < needs.diskBytes) return { why: 'nodeDisk', detail: detailOf(needs.diskBytes, free.diskBytes) };
  return undefined;
}

function detailOf(neededBytes: number, freeBytes: number): string {
  return `需要 ${neededBytes} 字节, 剩余 ${Math.max(0, freeBytes)} 字节`;
}

/** By usage, only an image needs disk space. */
function unused(world: World, node: Node, { removed }: PendingChange): Amounts {
  let memoryBytes = unusedMemoryOf(world, node);
  for (const container of removed) {
    if (container.nodeId === node.id) memoryBytes += memoryOf(world, container);
  }
  return { memoryBytes, diskBytes: Number.POSITIVE_INFINITY };
}

/** A failed deployment reserves nothing; a stopped container keeps what its deployment reserved. */
function unreserved(world: World, node: Node, counts: (container: Container) => boolean): Amounts {
  let memoryBytes = node.memoryTotalBytes - node.memoryOtherBytes;
  let diskBytes = node.diskTotalBytes - node.diskOtherBytes - imageBytesOn(world, node);
  for (const container of world.containers.onNode(node.id).values()) {
    if (!counts(container) || container.deployStatus === 'failure') continue;
    const image = world.services.get(container.serviceId)?.image;
    const limits = image === undefined ? undefined : limitsOf(image, node);
    memoryBytes -= limits?.isMemoryDeclared === true ? container.memoryLimitBytes : memoryOf(world, container);
    if (limits?.isDiskDeclared === true) diskBytes -= container.diskLimitBytes;
  }
  return { memoryBytes, diskBytes };
}

function without(free: Amounts, node: Node, added: readonly AddedContainer[]): Amounts {
  let { memoryBytes, diskBytes } = free;
  for (const container of added) {
    if (container.nodeId !== node.id) continue;
    memoryBytes -= container.memoryBytes;
    diskBytes -= container.diskBytes;
  }
  return { memoryBytes, diskBytes };
}
