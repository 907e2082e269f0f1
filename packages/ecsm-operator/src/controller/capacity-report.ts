/**
 * Writes the capacity of the nodes into the status of the OperatorIdentity, for tools that do not call the platform. One
 * object for all nodes, at most once a minute and only after a change, so that it costs one small write.
 */
import { type Clock, deepEqual, isApiError, type Log, type Registry, timestampAt } from '@ecsm/runtime';
import { type CapacityStatus, OperatorIdentity } from '../apis/operator-identity.ts';
import type { NodeCapacity } from '../observe/capacity.ts';
import type { PlacementService } from '../service/placement/model.ts';
import { identityName } from './registry-id.ts';

interface CapacityReportOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** The input of the last calculation, for users. */
export interface CapacityView {
  readonly nodes: readonly NodeCapacity[];
  readonly offlineNodes: ReadonlySet<string>;
  readonly services: readonly PlacementService[];
}

type Nodes = CapacityStatus['nodes'];

const writeMs = 60_000;

export class CapacityReport {
  readonly #options: CapacityReportOptions;
  #registry: Registry | undefined;
  #written: Nodes | undefined;
  #pending: Nodes | undefined;
  #writtenMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(options: CapacityReportOptions) {
    this.#options = options;
  }

  /** At the start of a term. What an earlier one has written is not known. */
  start(registry: Registry): void {
    this.#registry = registry;
    this.#written = undefined;
    this.#writtenMs = Number.NEGATIVE_INFINITY;
  }

  stop(): void {
    this.#registry = undefined;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Undefined: priorities are no longer in use. */
  offer(view: CapacityView | undefined): void {
    const { clock } = this.#options;
    this.#pending = view === undefined ? [] : nodesOf(view);
    if (this.#cancel !== undefined || deepEqual(this.#pending, this.#written)) return;
    const waitMs = Math.max(this.#writtenMs + writeMs - clock.monotonicMs(), 0);
    this.#cancel = clock.after(waitMs, () => {
      this.#cancel = undefined;
      void this.#write();
    });
  }

  async #write(): Promise<void> {
    const { clock, log } = this.#options;
    const nodes = this.#pending;
    if (this.#registry === undefined || nodes === undefined || deepEqual(nodes, this.#written)) return;
    this.#writtenMs = clock.monotonicMs();
    const capacity = { observedTime: timestampAt(clock.now()), nodes: [...nodes] };
    try {
      this.#written ??= await this.#stored(this.#registry);
      if (deepEqual(nodes, this.#written)) return;
      const status = nodes.length === 0 ? {} : { capacity };
      await this.#registry.resource(OperatorIdentity).updateStatus({ metadata: { name: identityName }, status });
      this.#written = nodes;
    } catch (error) {
      // Without an identity nothing was reconciled yet. The next calculation offers it again.
      if (!isApiError(error)) throw error;
      log.write('debug', 'the capacity of the nodes could not be written', { error: error.message });
    }
  }

  /** What an earlier term has written. */
  async #stored(registry: Registry): Promise<Nodes> {
    const { status } = await registry.resource(OperatorIdentity).get(identityName);
    return status?.capacity?.nodes ?? [];
  }
}

function nodesOf({ nodes, offlineNodes, services }: CapacityView): Nodes {
  return nodes.map(({ name, isOffline, memoryBytes, diskBytes, foreignMemoryBytes, foreignDiskBytes }) => {
    let [memory, disk] = [0, 0];
    for (const { placed, limits } of services) {
      const count = placed.get(name) ?? 0;
      memory += count * (limits.memoryBytes ?? 0);
      disk += count * (limits.diskBytes ?? 0);
    }
    return {
      name,
      isOnline: !isOffline && !offlineNodes.has(name),
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      memoryOthersBytes: foreignMemoryBytes,
      memoryDeclaredBytes: memory,
      ...(diskBytes === undefined ? {} : { diskBytes }),
      diskOthersBytes: foreignDiskBytes,
      diskDeclaredBytes: disk,
    };
  });
}
