/**
 * The instances of autoscaled services with their usage. One read serves all services that are due in the same round: the
 * first caller reads for the others too, and concurrent callers share the read. Nothing is read without a caller. A service
 * whose usage does not change is read in every second round, then in every fourth.
 */
import { type ContainerRow, collect, cpuPercentOf, type Ecsm, numberOf } from '@ecsm/client';
import { ApiError, type Clock, deepEqual } from '@ecsm/runtime';

interface UsageReaderOptions {
  readonly ecsm: Ecsm;
  readonly clock: Clock;
  /** The platform's services of a base name that are ours; undefined if they are not known now. */
  readonly servicesOf: (base: string) => readonly ObservedService[] | undefined;
  /** Time from one round to the next. */
  readonly intervalMs: number;
}

interface ObservedService {
  readonly id: string;
  /** Of the instances that a reconcile last decided about. */
  readonly fingerprint: number;
}

interface UsageRequest {
  readonly base: string;
  /** The bases that others ask for in this round, this one or not. */
  readonly others: readonly string[];
  readonly signal: AbortSignal;
}

interface Reading {
  readonly atMs: number;
  readonly rows: readonly ContainerRow[];
  readonly services: readonly ObservedService[];
  /** Reads in a row that found the usage of the read before. */
  readonly steadyReads: number;
}

/** Usage is read in one of 1, 2 or 4 rounds. */
const doublingsMax = 2;
/** A smaller relative difference of an instance's usage is not a change. It is the tolerance of autoscalers. */
const steadyDifference = 0.1;
/** An instance that started later than this is about to become ready, or to take up its work. */
const startSeconds = 60;

export class UsageReader {
  readonly #options: UsageReaderOptions;
  #readings = new Map<string, Reading>();
  #inFlight: { readonly bases: ReadonlySet<string>; readonly done: Promise<void> } | undefined;

  constructor(options: UsageReaderOptions) {
    this.#options = options;
  }

  /** Throws the error of the platform, and `Unavailable` if its services are not known. */
  async read({ base, others, signal }: UsageRequest): Promise<readonly ContainerRow[]> {
    // A read that was started for other services may be in flight: the next one waits for it.
    while (this.#inFlight !== undefined && !this.#isFresh(base)) {
      const { bases, done } = this.#inFlight;
      if (bases.has(base)) {
        await done;
        break;
      }
      await done.catch(() => {});
    }
    if (!this.#isFresh(base)) {
      const due = [base, ...others].filter((one) => !this.#isFresh(one));
      const bases = new Set(due);
      const done = this.#readNow([...bases], signal).finally(() => {
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

  async #readNow(bases: readonly string[], signal: AbortSignal): Promise<void> {
    const { ecsm, clock, servicesOf } = this.#options;
    const atMs = clock.monotonicMs();
    const known = bases.flatMap((base) => {
      const services = servicesOf(base);
      return services === undefined ? [] : [{ base, services }];
    });
    const ids = known.flatMap(({ services }) => services.map(({ id }) => id));
    const rows = ids.length === 0 ? [] : await collect(ecsm.containers().ofServices(ids, { signal }));
    const byService = new Map<string, ContainerRow[]>(ids.map((id) => [id, []]));
    for (const row of rows) byService.get(row.serviceId)?.push(row);
    const before = this.#readings;
    // Readings of services that are not autoscaled any more are dropped here.
    this.#readings = new Map([...before].filter(([base]) => this.#isFresh(base)));
    for (const { base, services } of known) {
      const rows = services.flatMap(({ id }) => byService.get(id) ?? []);
      const last = before.get(base);
      const steadyReads = last !== undefined && isSteady(last.rows, rows) ? last.steadyReads + 1 : 0;
      this.#readings.set(base, { atMs, rows, services, steadyReads });
    }
  }

  #isFresh(base: string): boolean {
    const reading = this.#readings.get(base);
    if (reading === undefined) return false;
    const { clock, intervalMs, servicesOf } = this.#options;
    const isSame = reading.steadyReads > 0 && deepEqual(reading.services, servicesOf(base));
    const rounds = isSame ? 2 ** Math.min(reading.steadyReads, doublingsMax) : 1;
    // Half a round earlier: rounds do not start to the millisecond.
    return clock.monotonicMs() - reading.atMs < (rounds - 1 / 2) * intervalMs;
  }
}

function isSteady(before: readonly ContainerRow[], after: readonly ContainerRow[]): boolean {
  const byId = new Map(before.map((row) => [row.taskId, row]));
  return before.length === after.length && after.every((row) => isSteadyRow(byId.get(row.taskId), row));
}

function isSteadyRow(before: ContainerRow | undefined, after: ContainerRow): boolean {
  return (
    before !== undefined &&
    before.status === after.status &&
    before.deployStatus === after.deployStatus &&
    before.nodeName === after.nodeName &&
    before.restartCnt === after.restartCnt &&
    (numberOf(after.uptime) ?? startSeconds) >= startSeconds &&
    isNear(cpuPercentOf(before.cpuUsage), cpuPercentOf(after.cpuUsage)) &&
    isNear(numberOf(before.memoryUsage), numberOf(after.memoryUsage)) &&
    isNear(numberOf(before.sizeUsage), numberOf(after.sizeUsage))
  );
}

function isNear(before: number | undefined, after: number | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return Math.abs(after - before) <= steadyDifference * Math.max(before, after);
}

const unknownServices = new ApiError('Unavailable', {
  what: 'usage',
  reason: 'the services on the platform have not been listed yet',
});
