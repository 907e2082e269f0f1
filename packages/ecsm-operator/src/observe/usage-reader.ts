/**
 * The instances of autoscaled services with their usage. One read serves all services that are due in the same round: the
 * first caller reads for the others too, and concurrent callers share the read. Nothing is read without a caller.
 */
import { type ContainerRow, collect, type Ecsm } from '@ecsm/client';
import { ApiError, type Clock } from '@ecsm/runtime';

export interface UsageReaderOptions {
  readonly ecsm: Ecsm;
  readonly clock: Clock;
  /** Ids of the platform's services of a base name that are ours; undefined if they are not known now. */
  readonly idsOf: (base: string) => readonly string[] | undefined;
}

export interface UsageRequest {
  readonly base: string;
  /** The bases that others ask for in this round, this one or not. */
  readonly others: readonly string[];
  readonly ageMsMax: number;
  readonly signal: AbortSignal;
}

interface Reading {
  readonly atMs: number;
  readonly rows: readonly ContainerRow[];
}

export class UsageReader {
  readonly #options: UsageReaderOptions;
  #readings = new Map<string, Reading>();
  #inFlight: { readonly bases: ReadonlySet<string>; readonly done: Promise<void> } | undefined;

  constructor(options: UsageReaderOptions) {
    this.#options = options;
  }

  /** As of at most `ageMsMax` ago. Throws the error of the platform, and `Unavailable` if its services are not known. */
  async read({ base, others, ageMsMax, signal }: UsageRequest): Promise<readonly ContainerRow[]> {
    // A read that was started for other services may be in flight: the next one waits for it.
    while (this.#inFlight !== undefined && !this.#isFresh(base, ageMsMax)) {
      const { bases, done } = this.#inFlight;
      if (bases.has(base)) {
        await done;
        break;
      }
      await done.catch(() => {});
    }
    if (!this.#isFresh(base, ageMsMax)) {
      const due = [base, ...others].filter((one) => !this.#isFresh(one, ageMsMax));
      const bases = new Set(due);
      const done = this.#readNow([...bases], ageMsMax, signal).finally(() => {
        this.#inFlight = undefined;
      });
      this.#inFlight = { bases, done };
      await done;
    }
    const reading = this.#readings.get(base);
    if (reading === undefined) throw unknownServices;
    return reading.rows;
  }

  /** At the start of a term: another process may have created other services. */
  clear(): void {
    this.#readings.clear();
  }

  async #readNow(bases: readonly string[], ageMsMax: number, signal: AbortSignal): Promise<void> {
    const { ecsm, clock, idsOf } = this.#options;
    const atMs = clock.monotonicMs();
    const known = bases.flatMap((base) => {
      const ids = idsOf(base);
      return ids === undefined ? [] : [{ base, ids }];
    });
    const ids = known.flatMap((one) => one.ids);
    const rows = ids.length === 0 ? [] : await collect(ecsm.containers().ofServices(ids, { signal }));
    const byService = new Map<string, ContainerRow[]>(ids.map((id) => [id, []]));
    for (const row of rows) byService.get(row.serviceId)?.push(row);
    // Readings of services that are not autoscaled any more are dropped here.
    this.#readings = new Map([...this.#readings].filter(([base]) => this.#isFresh(base, ageMsMax)));
    for (const one of known) {
      this.#readings.set(one.base, { atMs, rows: one.ids.flatMap((id) => byService.get(id) ?? []) });
    }
  }

  #isFresh(base: string, ageMsMax: number): boolean {
    const reading = this.#readings.get(base);
    return reading !== undefined && this.#options.clock.monotonicMs() - reading.atMs < ageMsMax;
  }
}

const unknownServices = new ApiError('Unavailable', {
  what: 'usage',
  reason: 'the services on the platform have not been listed yet',
});
