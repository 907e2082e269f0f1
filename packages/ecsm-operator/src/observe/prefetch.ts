/**
 * Many services as a look has shown them, with their instances, read ahead of those who are about to ask for them one by
 * one. A list takes the ids of about thirty services, so a fleet that comes up together costs a thirtieth of the calls.
 *
 * A picture is taken once, does not outlive a minute, and never shows a service as it was before we last did something
 * to it.
 */
import { type ContainerRow, collect, type Ecsm, type ServiceRow } from '@ecsm/client';
import type { Clock } from '@ecsm/runtime';

export interface Picture {
  readonly row: ServiceRow;
  readonly containers: readonly ContainerRow[];
}

interface Kept extends Picture {
  /** The number of the look. */
  readonly look: number;
  readonly atMs: number;
}

/** Ids that fit into one request. */
const groupSize = 32;
/** Pictures that are kept; what is beyond is read by those who need it. */
const picturesMax = 2_048;
const ageMsMax = 60_000;

export class Pictures {
  readonly #ecsm: Ecsm;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  /** The look that was the newest when something was last done to a service. */
  readonly #touched = new Map<string, number>();

  constructor(ecsm: Ecsm, clock: Clock) {
    this.#ecsm = ecsm;
    this.#clock = clock;
  }

  /** Those of all these services, or nothing. */
  take(ids: readonly string[]): readonly Picture[] | undefined {
    const found = ids.flatMap((id) => {
      const picture = this.#kept.get(id);
      return picture !== undefined && this.#isGood(id, picture) ? [picture] : [];
    });
    for (const id of ids) this.#kept.delete(id);
    return found.length === ids.length ? found : undefined;
  }

  /** Something is done to the service: looks up to this one show it as it was before. */
  touch(id: string, look: number): void {
    this.#touched.set(id, look);
    this.#kept.delete(id);
  }

  /** Is said to have changed, or to be gone. */
  drop(id: string): void {
    this.#kept.delete(id);
  }

  /** Reads group by group, several at once, and tells when it is done with each, well or not. */
  async read(
    rows: readonly ServiceRow[],
    look: number,
    done: (rows: readonly ServiceRow[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    this.#tidy(look);
    const groups: ServiceRow[][] = [];
    for (let start = 0; start < rows.length; start += groupSize) groups.push(rows.slice(start, start + groupSize));
    await Promise.all(
      groups.map(async (group) => {
        try {
          if (this.#kept.size + group.length <= picturesMax) await this.#readGroup(group, look, signal);
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
    this.#kept.clear();
    this.#touched.clear();
  }

  async #readGroup(group: readonly ServiceRow[], look: number, signal: AbortSignal): Promise<void> {
    const atMs = this.#clock.monotonicMs();
    const containers = await this.containersOf(
      group.map(({ id }) => id),
      signal,
    );
    for (const row of group) this.#kept.set(row.id, { row, containers: containers.get(row.id) ?? [], look, atMs });
  }

  #isGood(id: string, { look, atMs }: Kept): boolean {
    return look > (this.#touched.get(id) ?? 0) && this.#clock.monotonicMs() - atMs < ageMsMax;
  }

  #tidy(look: number): void {
    for (const [id, kept] of this.#kept) if (!this.#isGood(id, kept)) this.#kept.delete(id);
    // Every picture from here on is of a later look.
    for (const [id, touched] of this.#touched) if (touched < look && !this.#kept.has(id)) this.#touched.delete(id);
  }
}
