/**
 * The capacity of the nodes for our services: what the platform reports, less what others use. Others are containers of
 * services without an ECSMService in this registry (their limit, else their usage), and whatever else is in use beside
 * the platform's containers: the operating system, and containers that the platform did not deploy.
 *
 * At rest a read costs the nodes, their status and the containers of foreign services. What else is in use is only known
 * from the usage of all containers of a node, so it is read once, and when the node has other foreign containers.
 */
import { type ContainerRow, collect, type Ecsm, type NodeStatus, numberOf } from '@ecsm/client';
import type { ServiceRecords } from './service-records.ts';

export interface NodeCapacity {
  readonly name: string;
  /** When the capacity was read: the poller may learn of it later. */
  readonly isOffline: boolean;
  /** In total. Absent: the platform does not report it. */
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
  /** Of them, what others use. */
  readonly foreignMemoryBytes: number;
  readonly foreignDiskBytes: number;
}

/** Number of instances by node. */
export type InstanceCounts = ReadonlyMap<string, number>;

/** As lists of the platform show them. */
export interface ListedInstances {
  readonly placed: InstanceCounts;
  /** The number that dynamic services are to have. */
  readonly requested: number;
}

interface CapacityOptions {
  readonly ecsm: Ecsm;
  readonly services: Pick<ServiceRecords, 'listed'>;
  /** The key of the ECSMService that a service on the platform belongs to, by its name. Undefined: foreign. */
  readonly ownerOf: (platformServiceName: string) => string | undefined;
}

interface Amounts {
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** What is known of a node from earlier reads. */
interface NodeMemory {
  /** The platform reports zeros for a node that is offline. */
  readonly totals: Partial<Amounts>;
  /** In use beside the platform's containers, when that was read. */
  readonly rest?: Amounts;
  /** The number of containers that the platform did not deploy, at that time. */
  readonly otherCount: number;
  readonly isOnline: boolean;
}

/** Smaller changes of what is in use do not matter. */
const roundBytes = 16 * 2 ** 20;

export class CapacityReader {
  readonly #options: CapacityOptions;
  #memories: ReadonlyMap<string, NodeMemory> = new Map();
  /** Instances by the id of their service, if the last read listed those of all nodes. */
  #counts: ReadonlyMap<string, InstanceCounts> | undefined;

  constructor(options: CapacityOptions) {
    this.#options = options;
  }

  /** Throws errors of the platform. */
  async read(signal: AbortSignal): Promise<readonly NodeCapacity[]> {
    const { ecsm } = this.#options;
    const rows = await collect(ecsm.nodes().listBasic({}, { signal }));
    const ids = rows.map(({ id }) => id);
    const statuses = new Map((await ecsm.nodes().status(ids, { signal })).map((one) => [one.id, one]));
    const nodes = rows.map(({ id, name }) => ({
      id,
      name,
      status: statuses.get(id),
      before: this.#memories.get(name),
    }));
    const changed = nodes.filter(({ status, before }) => isChanged(status, before));
    const containers =
      changed.length === 0
        ? []
        : await collect(
            ecsm.containers().ofNodes(
              changed.map(({ id }) => id),
              { signal },
            ),
          );
    this.#counts = changed.length === nodes.length ? countsByService(containers) : undefined;
    const used = sumByNode(containers, usageOf);
    const changedNames = new Set(changed.map(({ name }) => name));
    const memories = new Map(
      nodes.map(({ name, status, before }) => {
        const rest = changedNames.has(name) ? restOf(status, used.get(name)) : before?.rest;
        const totals = { ...before?.totals, ...totalsOf(status) };
        const isOnline = status?.status === 'online';
        return [name, { totals, ...(rest && { rest }), otherCount: otherCountOf(status), isOnline }];
      }),
    );
    const foreign = await this.#foreign(memories, signal);
    this.#memories = memories;
    return nodes.map(({ name, status }) => {
      const isOffline = status?.status === 'offline';
      const { totals = {}, rest } = memories.get(name) ?? {};
      const claimed = foreign.get(name);
      const sum = (of: keyof Amounts) =>
        Math.ceil(((claimed?.[of] ?? 0) + (rest?.[of] ?? 0)) / roundBytes) * roundBytes;
      const foreignMemoryBytes = sum('memoryBytes');
      return { name, isOffline, ...totals, foreignMemoryBytes, foreignDiskBytes: sum('diskBytes') };
    });
  }

  /** What the containers of foreign services claim of each node. */
  async #foreign(
    memories: ReadonlyMap<string, NodeMemory>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Amounts>> {
    const { ecsm, services, ownerOf } = this.#options;
    const ids = [...services.listed()].flatMap(({ id, name }) => (ownerOf(name) === undefined ? [id] : []));
    const rows = ids.length === 0 ? [] : await collect(ecsm.containers().ofServices(ids, { signal }));
    return sumByNode(rows, (row) => claimOf(row, memories.get(row.nodeName)?.totals));
  }

  /** The instances of our services, by key, for those that `isWanted`. One list for all of them. */
  async instances(
    isWanted: (key: string) => boolean,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ListedInstances>> {
    const { ecsm, services, ownerOf } = this.#options;
    const wanted = [...services.listed()].flatMap(({ id, name, factor }) => {
      const key = ownerOf(name);
      return key !== undefined && isWanted(key) ? [{ id, key, factor }] : [];
    });
    if (wanted.length === 0) return new Map();
    const ids = wanted.map(({ id }) => id);
    const counts = this.#counts ?? countsByService(await collect(ecsm.containers().ofServices(ids, { signal })));
    this.#counts = undefined;
    const found = new Map<string, ListedInstances>();
    for (const { id, key, factor } of wanted) {
      const { placed = new Map<string, number>(), requested = 0 } = found.get(key) ?? {};
      const sum = new Map(placed);
      for (const [name, count] of counts.get(id) ?? []) sum.set(name, (sum.get(name) ?? 0) + count);
      found.set(key, { placed: sum, requested: requested + factor });
    }
    return found;
  }
}

/** Whether what else is in use has to be read again. */
function isChanged(status: NodeStatus | undefined, before: NodeMemory | undefined): boolean {
  if (status?.status !== 'online') return before === undefined;
  return before?.rest === undefined || !before.isOnline || before.otherCount !== otherCountOf(status);
}

function countsByService(rows: readonly ContainerRow[]): ReadonlyMap<string, InstanceCounts> {
  const counts = new Map<string, Map<string, number>>();
  for (const { serviceId, nodeName } of rows) {
    const byNode = counts.get(serviceId) ?? new Map<string, number>();
    counts.set(serviceId, byNode.set(nodeName, (byNode.get(nodeName) ?? 0) + 1));
  }
  return counts;
}

function sumByNode(rows: readonly ContainerRow[], of: (row: ContainerRow) => Amounts): ReadonlyMap<string, Amounts> {
  const sums = new Map<string, Amounts>();
  for (const row of rows) {
    const { memoryBytes, diskBytes } = of(row);
    const sum = sums.get(row.nodeName) ?? { memoryBytes: 0, diskBytes: 0 };
    sums.set(row.nodeName, { memoryBytes: sum.memoryBytes + memoryBytes, diskBytes: sum.diskBytes + diskBytes });
  }
  return sums;
}

function totalsOf(status: NodeStatus | undefined): Partial<Amounts> {
  const memoryBytes = numberOf(status?.memoryTotal);
  const diskBytes = status?.diskTotalBytes;
  return { ...(memoryBytes && { memoryBytes }), ...(diskBytes && { diskBytes }) };
}

/** The number of containers that the platform did not deploy. */
function otherCountOf(status: NodeStatus | undefined): number {
  return Math.max((numberOf(status?.containerTotal) ?? 0) - (numberOf(status?.containerEcsmTotal) ?? 0), 0);
}

/** The limit, else what it uses. For a container without a limit the platform reports the total of the node. */
function claimOf(row: ContainerRow, total: Partial<Amounts> = {}): Amounts {
  const usage = usageOf(row);
  const limit = (value: number | undefined, totalBytes: number | undefined, usedBytes: number) =>
    value !== undefined && value > 0 && value < (totalBytes ?? Number.POSITIVE_INFINITY) ? value : usedBytes;
  return {
    memoryBytes: limit(numberOf(row.memoryLimit), total.memoryBytes, usage.memoryBytes),
    diskBytes: limit(numberOf(row.sizeLimit), total.diskBytes, usage.diskBytes),
  };
}

function usageOf({ memoryUsage, sizeUsage }: ContainerRow): Amounts {
  return { memoryBytes: numberOf(memoryUsage) ?? 0, diskBytes: numberOf(sizeUsage) ?? 0 };
}

/** What is in use beside the containers that the platform deployed. Undefined for a node that is offline. */
function restOf(status: NodeStatus | undefined, used: Amounts | undefined): Amounts | undefined {
  if (status?.status !== 'online') return undefined;
  const rest = (total: NodeStatus['memoryTotal'], free: NodeStatus['memoryFree'], usedBytes = 0) => {
    const [totalBytes, freeBytes] = [numberOf(total), numberOf(free)];
    return totalBytes === undefined || freeBytes === undefined ? 0 : Math.max(totalBytes - freeBytes - usedBytes, 0);
  };
  return {
    memoryBytes: rest(status?.memoryTotal, status?.memoryFree, used?.memoryBytes),
    diskBytes: rest(status?.diskTotalBytes, status?.diskFreeBytes, used?.diskBytes),
  };
}
