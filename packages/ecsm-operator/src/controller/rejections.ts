/**
 * Deployments that failed because of insufficient capacity. The node has less than the platform reports, so
 * it counts as full for a while: as one byte too small for what was refused, beside what is declared on it.
 */
import type { Clock } from '@ecsm/runtime';
import type { InstanceLimits } from '../fleet/fleet-service.ts';
import type { NodeCapacity } from '../observe/capacity.ts';
import type { PlatformService } from '../resource/model.ts';
import { lackOf } from '../service/placement/lack-of-room.ts';

interface Bound {
  readonly bytes: number;
  readonly sinceMs: number;
}

/** After this time the reported capacity counts again. */
const boundMs = 600_000;

export class Rejections {
  readonly #clock: Clock;
  /** By node and resource. */
  readonly #bounds = new Map<string, Bound>();
  /** Task id → when its failure was first observed. One failure counts once, however often it is observed. */
  readonly #failures = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns whether a failure is new. `declaredOn`: the limits of all instances on a node, without those that failed. */
  observe(
    services: readonly PlatformService[],
    limits: InstanceLimits,
    declaredOn: (nodeName: string) => Required<InstanceLimits>,
  ): boolean {
    const nowMs = this.#clock.monotonicMs();
    let isNew = false;
    for (const instance of services.flatMap(({ instances }) => instances)) {
      const { taskId, nodeName } = instance;
      const resource = lackOf(instance);
      if (resource === undefined) {
        this.#failures.delete(taskId);
        continue;
      }
      const sinceMs = this.#failures.get(taskId);
      const limit = limits[resource];
      if (limit === undefined || (sinceMs !== undefined && nowMs - sinceMs < boundMs)) continue;
      // Tasks that were deleted are not observed again.
      for (const [id, atMs] of this.#failures) if (nowMs - atMs >= boundMs) this.#failures.delete(id);
      this.#failures.set(taskId, nowMs);
      this.#bounds.set(`${resource} ${nodeName}`, {
        bytes: declaredOn(nodeName)[resource] + limit - 1,
        sinceMs: nowMs,
      });
      isNew = true;
    }
    return isNew;
  }

  /** The capacity of a node, not larger than what the platform accepted. */
  bounded(node: NodeCapacity): NodeCapacity {
    const memory = this.#boundOf(`memoryBytes ${node.name}`);
    const disk = this.#boundOf(`diskBytes ${node.name}`);
    const { memoryBytes, diskBytes, foreignMemoryBytes, foreignDiskBytes } = node;
    return {
      ...node,
      ...(memory !== undefined && { memoryBytes: Math.min(memoryBytes ?? memory, memory + foreignMemoryBytes) }),
      ...(disk !== undefined && { diskBytes: Math.min(diskBytes ?? disk, disk + foreignDiskBytes) }),
    };
  }

  clear(): void {
    this.#bounds.clear();
    this.#failures.clear();
  }

  #boundOf(key: string): number | undefined {
    const bound = this.#bounds.get(key);
    if (bound === undefined) return undefined;
    if (this.#clock.monotonicMs() - bound.sinceMs < boundMs) return bound.bytes;
    this.#bounds.delete(key);
    return undefined;
  }
}
