/**
 * The room on nodes, in typed arrays: a calculation for 1,000 services on 100 nodes takes a few milliseconds.
 *
 * `free` is the room after everything that was decided so far has happened; `now` is the room at this moment, in which
 * instances count until they are deleted. An instance may be created where both suffice.
 */
import type { InstanceLimits } from '../../fleet/fleet-service.ts';
import type { PlacementNode } from './model.ts';

export class Room {
  readonly names: readonly string[];
  readonly #indexes = new Map<string, number>();
  readonly #freeMemory: Float64Array;
  readonly #freeDisk: Float64Array;
  readonly #nowMemory: Float64Array;
  readonly #nowDisk: Float64Array;

  constructor(nodes: readonly PlacementNode[]) {
    this.names = nodes.map(({ name }) => name);
    this.#freeMemory = Float64Array.from(nodes, ({ memoryBytes = Number.POSITIVE_INFINITY }) => memoryBytes);
    this.#freeDisk = Float64Array.from(nodes, ({ diskBytes = Number.POSITIVE_INFINITY }) => diskBytes);
    this.#nowMemory = this.#freeMemory.slice();
    this.#nowDisk = this.#freeDisk.slice();
    for (const [index, { name }] of nodes.entries()) this.#indexes.set(name, index);
  }

  /** Returns undefined for a node that is not online. */
  indexOf(name: string): number | undefined {
    return this.#indexes.get(name);
  }

  indexesOf(names: readonly string[]): readonly number[] {
    const found: number[] = [];
    for (const name of names) {
      const index = this.#indexes.get(name);
      if (index !== undefined) found.push(index);
    }
    return found;
  }

  freeMemory(node: number): number {
    return this.#freeMemory[node] ?? 0;
  }

  freeDisk(node: number): number {
    return this.#freeDisk[node] ?? 0;
  }

  /** Whether an instance fits after everything that was decided has happened, and `more` was given up in addition. */
  fits(node: number, limits: InstanceLimits, more: Required<InstanceLimits> = none): boolean {
    const { memoryBytes, diskBytes } = limits;
    return (
      isEnough(this.freeMemory(node) + more.memoryBytes, memoryBytes) &&
      isEnough(this.freeDisk(node) + more.diskBytes, diskBytes)
    );
  }

  /** Whether it fits at this moment too. */
  fitsNow(node: number, limits: InstanceLimits): boolean {
    const { memoryBytes, diskBytes } = limits;
    const isMemory = isEnough(this.#nowMemory[node] ?? 0, memoryBytes);
    return isMemory && isEnough(this.#nowDisk[node] ?? 0, diskBytes) && this.fits(node, limits);
  }

  /** The node with the most room of those where it fits now, or with the least. Returns undefined if there is none. */
  choose(nodes: readonly number[], limits: InstanceLimits, preferred: 'emptiest' | 'fullest'): number | undefined {
    let best: number | undefined;
    for (const node of nodes) {
      if (!this.fitsNow(node, limits)) continue;
      if (best === undefined || this.#isEmptier(node, best) === (preferred === 'emptiest')) best = node;
    }
    return best;
  }

  emptiest(nodes: readonly number[], limits: InstanceLimits): number | undefined {
    return this.choose(nodes, limits, 'emptiest');
  }

  /** It exists, or may be created now. A negative count undoes it. */
  take(node: number, limits: InstanceLimits, count = 1): void {
    this.reserve(node, limits, count);
    this.#nowMemory[node] = (this.#nowMemory[node] ?? 0) - (limits.memoryBytes ?? 0) * count;
    this.#nowDisk[node] = (this.#nowDisk[node] ?? 0) - (limits.diskBytes ?? 0) * count;
  }

  /** It will be created after others were deleted. A negative count: it will be deleted. */
  reserve(node: number, { memoryBytes = 0, diskBytes = 0 }: InstanceLimits, count = 1): void {
    this.#freeMemory[node] = this.freeMemory(node) - memoryBytes * count;
    this.#freeDisk[node] = this.freeDisk(node) - diskBytes * count;
  }

  #isEmptier(node: number, other: number): boolean {
    const difference = this.freeMemory(node) - this.freeMemory(other);
    return difference > 0 || (difference === 0 && this.freeDisk(node) > this.freeDisk(other));
  }
}

const none = { memoryBytes: 0, diskBytes: 0 };

/** A node may have less than nothing of a resource that others use. What an instance does not limit is not asked for. */
function isEnough(free: number, needed: number | undefined): boolean {
  return needed === undefined || free >= needed;
}
