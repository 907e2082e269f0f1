/**
 * What is known of the platform, for reconciles. A snapshot may rely on the last poll and reads only the services
 * themselves; before a change everything is read again. A service that was just created, and of which the poll lists no
 * other version, is not even read: it is assumed to match its payload, and verified later.
 */
import {
  type CircuitBreaker,
  collect,
  type Ecsm,
  type Recorder,
  type ServiceBody,
  type ServiceDetail,
  type ServiceRow,
} from '@ecsm/client';
import { type Clock, isApiError, type Log, type Random } from '@ecsm/runtime';
import type { ServiceManager } from '../resource/manager.ts';
import type { Mark, PlatformService } from '../resource/model.ts';
import type { OwnerKey } from '../resource/naming.ts';
import { NodeCache } from './node-cache.ts';
import { OwnerRecords } from './owner-records.ts';
import { platformError } from './platform-error.ts';
import { Poller } from './poller.ts';
import { Prefetch, type Prefetched } from './prefetch.ts';
import { ServiceRecords } from './service-records.ts';
import { Staleness } from './staleness.ts';

export interface PlatformSnapshot {
  readonly services: readonly PlatformService[];
  readonly offlineNodes: ReadonlySet<string>;
  /**
   * - `fresh`: all of it was read for this snapshot.
   * - `polled`: which services exist comes from the last poll; they themselves were read.
   * - `assumed`: nothing was read. The services were just created, and are assumed to match their payloads.
   */
  readonly source: 'fresh' | 'polled' | 'assumed';
}

interface ObserverOptions {
  readonly ecsm: Ecsm;
  readonly manager: Pick<ServiceManager, 'find' | 'read' | 'offlineNodes'>;
  readonly breaker: Pick<CircuitBreaker, 'state' | 'onChange' | 'isBusy' | 'inFlight'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Bytes by endpoint. */
  readonly recorder: Pick<Recorder, 'bytesOf'>;
  readonly observeMs: number;
  readonly linkBudgetBytesPerSecond: number;
  readonly pollMs: number;
  readonly enqueue: (owners: readonly OwnerKey[], reason: string) => void;
  /** Called when nodes went offline or online. */
  readonly nodesChanged?: () => void;
}

/** A step of a plan, as far as it matters here. */
interface SentStep {
  readonly do: string;
  readonly id?: string;
  readonly body?: ServiceBody;
}

interface StepOutcome {
  readonly is: 'done' | 'overtaken' | 'unanswered' | 'refused';
  /** Of the service that was created or updated. */
  readonly writtenId?: string;
}

/** One list of nodes is used for many services, so one of this age counts as fresh. */
const freshNodesMs = 1_000;

export class Observer {
  readonly poller: Poller;
  readonly services: ServiceRecords;
  readonly owners: OwnerRecords;
  readonly staleness: Staleness;
  readonly #options: ObserverOptions;
  readonly #nodes: NodeCache;
  readonly #prefetch: Prefetch;

  constructor(options: ObserverOptions) {
    const { ecsm, manager, clock } = options;
    this.#options = options;
    this.services = new ServiceRecords(clock);
    this.owners = new OwnerRecords(clock);
    this.staleness = new Staleness(this.services, clock, (text) => ecsm.timeOf(text));
    this.#nodes = new NodeCache(clock, (signal) => manager.offlineNodes({ signal }), options.nodesChanged);
    this.#prefetch = new Prefetch(ecsm, clock, this.services);
    const { services, owners } = this;
    this.poller = new Poller({ ...options, services, owners, nodes: this.#nodes, prefetch: this.#prefetch });
  }

  /** Names of offline nodes, as of the last read. */
  get offlineNodes(): ReadonlySet<string> {
    return this.#nodes.offline;
  }

  /** Everything is read now. */
  async freshSnapshot(base: string, signal: AbortSignal): Promise<PlatformSnapshot> {
    try {
      const [found, offlineNodes] = await Promise.all([
        this.#options.manager.find(base, { signal, known: this.owners.of(base).knownIds }),
        this.#nodes.read(freshNodesMs, signal),
      ]);
      this.owners.of(base).knownIds = found.map(({ id }) => id);
      return { services: this.staleness.corrected(found), offlineNodes, source: 'fresh' };
    } catch (error) {
      throw platformError(error);
    }
  }

  /** Cheaper: services that were created or deleted since the last poll may be missed. */
  async snapshot(base: string, signal: AbortSignal): Promise<PlatformSnapshot> {
    const ids = this.poller.idsOf(base);
    if (ids === undefined) return this.freshSnapshot(base, signal);
    const prefetched = this.#prefetch.take(ids);
    const payloads = ids.map((id) => this.owners.takePayload(id));
    try {
      const offlineNodes = await this.#nodes.read(this.#options.observeMs * 2, signal);
      if (ids.length === 0) return { services: [], offlineNodes, source: 'polled' };
      const assumed = prefetched && this.#assumed(prefetched, payloads);
      if (assumed) return { services: this.staleness.corrected(assumed), offlineNodes, source: 'assumed' };
      const read = await this.#read(ids, prefetched, signal);
      if (read === undefined) return this.freshSnapshot(base, signal);
      this.owners.addKnownIds(base, ids);
      return { services: this.staleness.corrected(read), offlineNodes, source: 'polled' };
    } catch (error) {
      throw platformError(error);
    }
  }

  /** A reconcile has decided about these services of ours, and waits for the lost nodes. */
  decided(base: string, ours: readonly PlatformService[], lostNodes: readonly string[]): void {
    for (const service of ours) this.services.decide(service, this.poller.newest);
    this.owners.setLostNodes(base, lostNodes);
  }

  /** The mark of a service of ours. Returns undefined if no reconcile of this process has decided about the service. */
  markOf(id: string): Mark | undefined {
    // What is left of an earlier term may be outdated: another process leads.
    return this.poller.isRunning ? this.services.get(id)?.decided?.mark : undefined;
  }

  /** A step is about to be sent. Concurrent polls may list the services as they were before. */
  stepStarts(base: string, step: SentStep, observed: readonly PlatformService[]): void {
    for (const { id } of observed) this.#prefetch.invalidate(id, this.poller.newest);
    if (step.do !== 'create') return;
    this.poller.nameUsed(base);
    this.owners.creationSent(base);
  }

  stepEnded(base: string, step: SentStep, observed: readonly PlatformService[], end: StepOutcome): void {
    // Again, because a poll may have started before the platform performed the step.
    this.stepStarts(base, step, observed);
    if (step.do === 'create' && end.is !== 'unanswered') this.owners.creationAnswered(base);
    if (end.is !== 'done') return;
    const { writtenId } = end;
    if (writtenId !== undefined) this.owners.addKnownIds(base, [writtenId]);
    if (step.do === 'create' && writtenId !== undefined && step.body) this.owners.created(writtenId, step.body);
    const before = observed.find(({ id }) => id === step.id);
    if (step.do === 'update' && before && step.body) this.staleness.updated(before, step.body);
    if (step.do === 'delete' && step.id !== undefined) this.staleness.deleted(step.id);
  }

  /** Returns the services if none of them can have changed since it was created. */
  #assumed(
    prefetched: readonly Prefetched[],
    payloads: readonly (ServiceBody | undefined)[],
  ): readonly PlatformService[] | undefined {
    const services = prefetched.map(({ row, containers }, index) => {
      const detail = assumedDetail(row, payloads[index]);
      return detail && this.#options.manager.read(detail, containers);
    });
    return services.every((service) => service !== undefined) ? services : undefined;
  }

  /** Returns undefined if one of them does not exist. */
  async #read(
    ids: readonly string[],
    prefetched: readonly Prefetched[] | undefined,
    signal: AbortSignal,
  ): Promise<readonly PlatformService[] | undefined> {
    const { ecsm, manager } = this.#options;
    try {
      const [details, containers] = await Promise.all([
        Promise.all(ids.map((id) => ecsm.services().get(id, { signal }))),
        prefetched?.flatMap((one) => one.containers) ?? collect(ecsm.containers().ofServices(ids, { signal })),
      ]);
      return details.map((detail) => manager.read(detail, containers));
    } catch (error) {
      if (isApiError(error, 'NotFound') || isApiError(error, 'Rejected')) return undefined;
      throw error;
    }
  }
}

function assumedDetail(row: ServiceRow, payload: ServiceBody | undefined): ServiceDetail | undefined {
  const { name, imageList, createdTime, updatedTime, nodeList } = row;
  const image = imageList?.[0];
  const isUntouched = createdTime === updatedTime && name === payload?.name;
  if (!isUntouched || `${image?.name}@${image?.tag}#${image?.os}` !== payload?.image.ref) return undefined;
  return { ...row, image: payload.image, node: { names: nodeList?.map(({ nodeName }) => nodeName ?? null) ?? null } };
}
