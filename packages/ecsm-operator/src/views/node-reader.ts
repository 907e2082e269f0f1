/**
 * Reads the nodes of the platform with their measurements and versions. It remembers for each node what one read does not
 * tell: the capacity before it went offline, since when it is in its state, and the version of its agent.
 */
import {
  collect,
  type Ecsm,
  isLinkFailure,
  type NodeStatus as LiveNode,
  type NodeBasicRow,
  numberOf,
} from '@ecsm/client';
import { type Clock, isApiError } from '@ecsm/runtime';
import { eachOf } from './concurrently.ts';
import type { Capacity, NodeFacts } from './facts.ts';
import { coresOf } from './metrics.ts';
import { stateOf } from './node.ts';
import type { Source } from './source.ts';

interface NodeMemory {
  readonly state: string | undefined;
  readonly capacity: Capacity;
  readonly heartbeatMs: number;
  readonly sinceMs?: number;
}

interface KnownVersion {
  readonly version: string | undefined;
  readonly readMs: number;
}

/** The age of a list of nodes that is used again. */
const rowsMs = 1_000;
/** The heartbeat of a node in its object. A shorter interval would change every node with every read. */
export const heartbeatMs = 300_000;
/** The version of an agent is read again after this time, or when the node comes online. */
const versionMs = 600_000;

export class NodeReader {
  readonly #ecsm: Ecsm;
  readonly #clock: Clock;
  readonly #rows: Source<readonly NodeBasicRow[]>;
  #memories = new Map<string, NodeMemory>();
  #versions = new Map<string, KnownVersion>();

  constructor(ecsm: Ecsm, clock: Clock, rows: Source<readonly NodeBasicRow[]>) {
    this.#ecsm = ecsm;
    this.#clock = clock;
    this.#rows = rows;
  }

  /** Throws an error of the platform if it cannot be reached, or does not list its nodes. */
  async read(): Promise<readonly NodeFacts[]> {
    const rows = await this.#rows.fresh(rowsMs);
    const nowMs = this.#clock.now();
    const live = await this.#live(rows);
    await this.#readVersions(rows, live);
    const facts = rows.map((row) => this.#factsOf(row, live.get(row.id), nowMs));
    this.#memories = new Map(facts.map((one) => [one.row.id, memoryOf(one)]));
    return facts;
  }

  /** Measurements are not essential: a platform that refuses the call has none. */
  async #live(rows: readonly NodeBasicRow[]): Promise<ReadonlyMap<string, LiveNode>> {
    const ids = rows.map(({ id }) => id);
    const statuses = await orElse([], () => this.#ecsm.nodes().status(ids));
    return new Map(statuses.map((one) => [one.id, one]));
  }

  async #readVersions(rows: readonly NodeBasicRow[], live: ReadonlyMap<string, LiveNode>): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const known = new Map(rows.flatMap(({ id }) => entryOf(id, this.#versions.get(id))));
    this.#versions = known;
    const due = rows.filter((row) => {
      const version = known.get(row.id);
      const isOnline = stateOf({ row, ...optionalLive(live.get(row.id)) }) === 'online';
      const wasOnline = this.#memories.get(row.id)?.state === 'online';
      return version === undefined || (isOnline && (!wasOnline || nowMs - version.readMs >= versionMs));
    });
    await eachOf(due, async ({ id }) => {
      const detail = await orElse(undefined, () => this.#ecsm.nodes().get(id));
      known.set(id, { version: detail?.ecsdVersion ?? undefined, readMs: nowMs });
    });
  }

  #factsOf(row: NodeBasicRow, live: LiveNode | undefined, nowMs: number): NodeFacts {
    const memory = this.#memories.get(row.id);
    const version = this.#versions.get(row.id)?.version;
    const state = stateOf({ row, ...optionalLive(live) });
    const isSame = memory !== undefined && memory.state === state;
    const sinceMs = isSame ? memory.sinceMs : memory === undefined ? bootedMs(live, nowMs) : nowMs;
    const isRecent = isSame && nowMs >= memory.heartbeatMs && nowMs - memory.heartbeatMs < heartbeatMs;
    return {
      row,
      ...optionalLive(live),
      ...(version !== undefined && { version }),
      capacity: { ...memory?.capacity, ...capacityOf(live) },
      heartbeatMs: isRecent ? memory.heartbeatMs : nowMs,
      ...(sinceMs !== undefined && { sinceMs }),
    };
  }
}

function memoryOf(facts: NodeFacts): NodeMemory {
  const { capacity, heartbeatMs: beatMs, sinceMs } = facts;
  return { state: stateOf(facts), capacity, heartbeatMs: beatMs, ...(sinceMs !== undefined && { sinceMs }) };
}

function capacityOf(live: LiveNode | undefined): Capacity {
  const cores = coresOf(live?.cpuUsage);
  const memoryBytes = numberOf(live?.memoryTotal);
  const diskBytes = live?.diskTotalBytes;
  return { ...(cores && { cores }), ...(memoryBytes && { memoryBytes }), ...(diskBytes && { diskBytes }) };
}

/** A node that is online at the first read is so since it started, at most. */
function bootedMs(live: LiveNode | undefined, nowMs: number): number | undefined {
  const uptimeSeconds = live?.status === 'online' ? numberOf(live.uptime) : undefined;
  return uptimeSeconds === undefined ? undefined : Math.max(0, nowMs - Math.max(0, uptimeSeconds) * 1_000);
}

function optionalLive(live: LiveNode | undefined): { readonly live?: LiveNode } {
  return live === undefined ? {} : { live };
}

function entryOf(id: string, version: KnownVersion | undefined): (readonly [string, KnownVersion])[] {
  return version === undefined ? [] : [[id, version]];
}

export function basicRows(ecsm: Ecsm): () => Promise<readonly NodeBasicRow[]> {
  return () => collect(ecsm.nodes().listBasic());
}

/** Throws only if the platform cannot be reached. */
async function orElse<T>(fallback: T, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isApiError(error) || isLinkFailure(error)) throw error;
    return fallback;
  }
}
