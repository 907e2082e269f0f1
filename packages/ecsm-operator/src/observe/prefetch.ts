/**
 * A cache of services with their instances, read by the poller ahead of the reconciles that need them. One list takes
 * the ids of about thirty services, so a fleet that is created together costs a thirtieth of the calls.
 *
 * An entry is used once, for at most a minute, and never if the operator has changed the service since the poll started.
 */
import { type ContainerRow, collect, type Ecsm, type ServiceRow } from '@ecsm/client';
import type { Clock } from '@ecsm/runtime';
import type { ServiceRecords } from './service-records.ts';

export interface Prefetched {
  readonly row: ServiceRow;
  readonly containers: readonly ContainerRow[];
}

interface Entry extends Prefetched {
  readonly poll: number;
  readonly atMs: number;
}

/** Ids that fit into one request. */
const groupSize = 32;
/** Services beyond this number are not read ahead. */
const entriesMax = 2_048;
const ageMsMax = 60_000;

export class Prefetch {
  readonly #ecsm: Ecsm;
  readonly #clock: Clock;
  readonly #records: ServiceRecords;
  readonly #entries = new Map<string, Entry>();

  constructor(ecsm: Ecsm, clock: Clock, records: ServiceRecords) {
    this.#ecsm = ecsm;
    this.#clock = clock;
    this.#records = records;
  }

  /** Takes the entries of all these services out of the cache. Returns undefined if one is missing. */
  take(ids: readonly string[]): readonly Prefetched[] | undefined {
    const found = ids.flatMap((id) => {
      const entry = this.#entries.get(id);
      return entry !== undefined && this.#isValid(id, entry) ? [entry] : [];
    });
    for (const id of ids) this.#entries.delete(id);
    return found.length === ids.length ? found : undefined;
  }

  /** The operator changes the service: polls up to this one may list it as it was before. */
  invalidate(id: string, poll: number): void {
    this.#records.of(id).changedPoll = poll;
    this.#entries.delete(id);
  }

  delete(id: string): void {
    this.#entries.delete(id);
  }

  /** Reads group by group, several concurrently. `done` is called after each group, also if reading it failed. */
  async read(
    rows: readonly ServiceRow[],
    poll: number,
    done: (rows: readonly ServiceRow[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    for (const [id, entry] of this.#entries) if (!this.#isValid(id, entry)) this.#entries.delete(id);
    const groups: ServiceRow[][] = [];
    for (let start = 0; start < rows.length; start += groupSize) groups.push(rows.slice(start, start + groupSize));
    await Promise.all(
      groups.map(async (group) => {
        try {
          if (this.#entries.size + group.length <= entriesMax) await this.#readGroup(group, poll, signal);
        } finally {
          done(group);
        }
      }),
    );
  }

  /** Instances of all of these services, now. */
  async containersOf(
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly ContainerRow[]>> {
    const found = new Map<string, ContainerRow[]>(ids.map((id) => [id, []]));
    const rows = await collect(this.#ecsm.containers().ofServices(ids, { signal }));
    for (const row of rows) found.get(row.serviceId)?.push(row);
    return found;
  }

  clear(): void {
    this.#entries.clear();
  }

  async #readGroup(group: readonly ServiceRow[], poll: number, signal: AbortSignal): Promise<void> {
    const atMs = this.#clock.monotonicMs();
    const ids = group.map(({ id }) => id);
    const containers = await this.containersOf(ids, signal);
    for (const row of group) this.#entries.set(row.id, { row, containers: containers.get(row.id) ?? [], poll, atMs });
  }

  #isValid(id: string, { poll, atMs }: Entry): boolean {
    const ageMs = this.#clock.monotonicMs() - atMs;
    return poll > (this.#records.get(id)?.changedPoll ?? 0) && ageMs < ageMsMax;
  }
}
