/**
 * What each service may have, from the placement of all of them. It is active only while a service names a priority class,
 * or a class is the default: without that nothing is read, written or limited.
 *
 * The answers are computed again, once for several changes, when services, classes, nodes, their capacity or the observed
 * instances change, or when a wait ends. Only services with another answer are enqueued. What is held back is in the
 * status of its service, so that a restarted operator continues with it.
 */
import { isLinkFailure } from '@ecsm/client';
import { type Clock, isApiError, type Log, PriorityClass, type Registry, type RunContext } from '@ecsm/runtime';
import type { ECSMService } from '../apis/ecsm-service.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { type FleetService, keyOfService } from '../fleet/fleet-service.ts';
import type { CapacityReader, NodeCapacity } from '../observe/capacity.ts';
import { PollTimer } from '../observe/poll-timer.ts';
import type { PlatformService } from '../resource/model.ts';
import { type Allocation, allocationOfStatus } from '../service/allocation.ts';
import type { Hold, Placement, PlacementService } from '../service/placement/model.ts';
import { isLimited, place } from '../service/placement/placement.ts';
import {
  decisionOf,
  declaredOn,
  demandOf,
  holdOf,
  isFull,
  noteOf,
  placementServiceOf,
  roomOf,
} from './allocation-input.ts';
import type { CapacityView } from './capacity-report.ts';
import { InstanceTable } from './instance-table.ts';
import { Latch } from './latch.ts';
import { PriorityClasses } from './priority-classes.ts';
import { Rejections } from './rejections.ts';

interface AllocationsOptions {
  readonly fleet: Fleet;
  readonly capacity: Pick<CapacityReader, 'read' | 'instances'>;
  readonly offlineNodes: () => ReadonlySet<string>;
  /** Resolves when the services on the platform have been listed. */
  readonly firstPoll: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long there has to be room before instances are restored. */
  readonly restoreMs: number;
  /** Enqueues a service whose answer changed. */
  readonly enqueue: (key: string) => void;
  /** Called after each calculation, and with undefined when priorities are no longer in use. */
  readonly computed: (view: CapacityView | undefined) => void;
}

/** Interval between reads of the capacity. */
const capacityMs = 60_000;
/** After a change of nodes it is read sooner, but not more often than this. */
const capacityMsMin = 10_000;
/** Until the capacity was read, services with limits wait for it. */
const retryMs = 2_000;
/** Changes within this time cause one calculation. */
const coalesceMs = 10;
const noInstances = { placed: new Map<string, number>(), requested: 0 };

export class Allocations {
  readonly #options: AllocationsOptions;
  readonly #classes = new PriorityClasses();
  readonly #table = new InstanceTable();
  readonly #rejections: Rejections;
  readonly #timer: PollTimer;
  readonly #answers = new Map<string, Placement>();
  /** Newer than those of the answers, which stay the same while nothing else changes. */
  readonly #holds = new Map<string, Hold | undefined>();
  readonly #rolling = new Set<string>();
  readonly #awaiting = new Set<string>();
  /** Number of services that name a class. */
  #namedCount = 0;
  #nodes: readonly NodeCapacity[] | undefined;
  #readMs: number | undefined;
  /** Open after the first attempt to read the capacity. */
  readonly #attempted = new Latch();
  #isRunning = false;
  #isLoading = false;
  #computing: Promise<void> | undefined;
  #cancelDue = () => {};
  #wake = () => {};

  constructor(options: AllocationsOptions) {
    this.#options = options;
    this.#timer = new PollTimer(options.clock);
    this.#rejections = new Rejections(options.clock);
    options.fleet.onChange((before, after) => this.#fleetChanged(before, after));
  }

  get isActive(): boolean {
    return this.#isRunning && (this.#namedCount > 0 || this.#classes.hasDefault);
  }

  /** At the start of a term, before services are reconciled: nothing is left of an earlier term. */
  async start(registry: Registry): Promise<void> {
    for (const part of [this.#table, this.#answers, this.#holds, this.#rolling, this.#rejections]) part.clear();
    this.#nodes = undefined;
    this.#attempted.close();
    await this.#classes.load(registry);
    this.#isRunning = true;
  }

  /** Reads the capacity while active, until the signal aborts. */
  async run({ registry, informers, signal }: RunContext): Promise<void> {
    const { firstPoll } = this.#options;
    const use = informers.use(PriorityClass);
    const removeHandler = use.informer.addHandler(() => this.#classesChanged(registry));
    const stop = () => this.#wake();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await firstPoll(signal);
      while (!signal.aborted) {
        if (this.isActive) {
          // Also without a change: the last list may have been stale.
          await this.#loadClasses(registry);
          await this.#readCapacity(signal);
          const againMs = this.#attempted.isOpen ? capacityMsMin : retryMs;
          await this.#timer.wait(this.#nodes === undefined ? againMs : capacityMs, signal);
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#isRunning = false;
      this.#cancelDue();
      this.#attempted.open();
      signal.removeEventListener('abort', stop);
      removeHandler();
      await use.release();
    }
  }

  /** Nodes went offline or online. */
  nodesChanged(): void {
    this.#invalidate();
    if (this.#readMs === undefined || !this.isActive) return;
    this.#timer.shorten(Math.max(this.#readMs + capacityMsMin - this.#options.clock.monotonicMs(), 0));
  }

  /**
   * What a service may have, by the newest facts; while this does not run, by its status. Undefined if nothing limits it. `isRolling`: an update is in
   * progress, or about to start.
   */
  async of(
    service: ECSMService,
    observed: readonly PlatformService[],
    isRolling: boolean,
    signal: AbortSignal,
  ): Promise<Allocation | undefined> {
    // Without a term nothing is computed.
    if (!this.#isRunning) return allocationOfStatus(service, observed);
    if (!this.isActive) return undefined;
    const key = keyOfService(service.metadata.namespace, service.metadata.name);
    if (this.#rolling.has(key) !== isRolling) {
      if (isRolling) this.#rolling.add(key);
      else this.#rolling.delete(key);
      this.#invalidate();
    }
    const before = this.#options.fleet.get(key);
    if (before !== undefined && isLimited(before)) await this.#answered(key, signal);
    const known = this.isActive ? this.#options.fleet.get(key) : undefined;
    if (known === undefined) return undefined;
    const placement = isLimited(known) ? this.#answers.get(key) : undefined;
    return { ...(placement && { placement }), ...noteOf(known, this.#classes) };
  }

  async #answered(key: string, signal: AbortSignal): Promise<void> {
    this.#awaiting.add(key);
    try {
      await this.#attempted.wait(signal);
      await this.#computing;
    } finally {
      this.#awaiting.delete(key);
    }
  }

  /** A reconcile observed these services on the platform, and acts on this allocation. */
  observed(key: string, services: readonly PlatformService[], used: Allocation | undefined): void {
    if (!this.isActive) return;
    const { allowed = 0, surge = 0, nodeNames = [] } = used?.placement ?? {};
    const isChanged = this.#table.observe(key, services, { total: allowed + surge, nodeNames });
    const { limits = {} } = this.#options.fleet.get(key) ?? {};
    const isRejected = this.#rejections.observe(services, limits, (name) =>
      declaredOn(name, this.#options.fleet.all(), this.#table),
    );
    if (isChanged || isRejected) this.#invalidate();
  }

  async #readCapacity(signal: AbortSignal): Promise<void> {
    const { capacity, fleet, clock, log } = this.#options;
    this.#readMs = clock.monotonicMs();
    try {
      const nodes = await capacity.read(signal);
      const isUnknown = (key: string) => !this.#table.has(key);
      const unknown = new Set([...fleet.all()].map(({ key }) => key).filter(isUnknown));
      const counts = await capacity.instances((key) => unknown.has(key), signal);
      for (const key of unknown) if (isUnknown(key)) this.#table.list(key, counts.get(key) ?? noInstances);
      this.#nodes = nodes;
    } catch (error) {
      // The run ends in order: reconciles are still in flight.
      if (signal.aborted) return;
      if (!isApiError(error)) throw error;
      log.write('debug', 'reading the capacity of the nodes failed', { error: error.message });
      // A platform that cannot be reached now may have no room. One that refuses the call never limits anything.
      if (this.#nodes === undefined && isLinkFailure(error)) return;
    }
    // Before the first callers are released, so that they get an answer.
    this.#compute();
    this.#attempted.open();
  }

  /** Several changes at once cause one read. */
  #classesChanged(registry: Registry): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.#options.clock.after(coalesceMs, () => {
      this.#isLoading = false;
      if (this.#isRunning) void this.#loadClasses(registry);
    });
  }

  async #loadClasses(registry: Registry): Promise<void> {
    const { clock, log, fleet, enqueue } = this.#options;
    const wasActive = this.isActive;
    const isKnown = ({ priorityClassName = '' }: FleetService) => this.#classes.has(priorityClassName);
    const known = new Set([...fleet.all()].filter(isKnown).map(({ key }) => key));
    try {
      await this.#classes.load(registry);
      // Their conditions say whether their class exists.
      for (const one of fleet.all()) if (isKnown(one) !== known.has(one.key)) enqueue(one.key);
    } catch (error) {
      log.write('warn', 'reading the priority classes failed; retrying', { error: String(error) });
      clock.after(capacityMsMin, () => this.#classesChanged(registry));
    }
    this.#activityMayHaveChanged(wasActive);
    this.#invalidate();
  }

  #fleetChanged(before: FleetService | undefined, after: FleetService | undefined): void {
    const wasActive = this.isActive;
    this.#namedCount +=
      Number(after?.priorityClassName !== undefined) - Number(before?.priorityClassName !== undefined);
    if (after === undefined && before !== undefined) this.#forget(before.key);
    this.#activityMayHaveChanged(wasActive);
    if (this.isActive && demandOf(before) !== demandOf(after)) this.#invalidate();
  }

  #forget(key: string): void {
    this.#table.delete(key);
    this.#answers.delete(key);
    this.#holds.delete(key);
    this.#rolling.delete(key);
  }

  #activityMayHaveChanged(wasActive: boolean): void {
    if (this.isActive === wasActive) return;
    if (this.isActive) {
      this.#wake();
      return;
    }
    const limited = [...this.#answers.keys()];
    for (const part of [this.#table, this.#answers, this.#holds]) part.clear();
    this.#nodes = undefined;
    this.#attempted.open();
    this.#attempted.close();
    for (const key of limited) this.#options.enqueue(key);
    this.#options.computed(undefined);
  }

  /** The answers are computed again soon. */
  #invalidate(): void {
    if (!this.isActive || !this.#attempted.isOpen || this.#computing !== undefined) return;
    this.#computing = new Promise((resolve) => {
      this.#options.clock.after(coalesceMs, () => {
        this.#computing = undefined;
        this.#compute();
        resolve();
      });
    });
  }

  #compute(): void {
    if (!this.isActive) return;
    const { fleet, clock, restoreMs, enqueue, computed } = this.#options;
    const services = [...fleet.all()].filter(isLimited).map((one) => this.#placementService(one));
    if (this.#nodes === undefined) {
      this.#keepHolds(services);
      return;
    }
    const offlineNodes = this.#options.offlineNodes();
    const nodes = this.#nodes
      .filter(({ name }) => !offlineNodes.has(name))
      // Not known to be offline by the last poll, and never read while it was online: its room would have no limit.
      .filter(({ isOffline, memoryBytes }) => !isOffline || memoryBytes !== undefined)
      .map((one) => roomOf(this.#rejections.bounded(one)));
    const { placements, dueMs } = place({ nodes, services, nowMs: clock.monotonicMs(), restoreMs });
    for (const { key, desired } of services) {
      const placement = placements.get(key);
      if (placement === undefined) continue;
      this.#holds.set(key, placement.hold);
      this.#table.promise(key, placement.allowed + placement.surge, placement.nodeNames);
      const before = this.#answers.get(key);
      if (before !== undefined && decisionOf(before) === decisionOf(placement)) continue;
      this.#answers.set(key, placement);
      const isNew = before !== undefined || !isFull(placement, desired);
      if (isNew && !this.#awaiting.has(key)) enqueue(key);
    }
    this.#cancelDue();
    if (dueMs !== undefined) this.#cancelDue = clock.after(dueMs, () => this.#invalidate());
    computed({ nodes: this.#nodes, offlineNodes, services });
  }

  /** The capacity is not known. What was held back before stays so; nothing else is limited. */
  #keepHolds(services: readonly PlacementService[]): void {
    for (const { key, hold, desired } of services) {
      if (hold === undefined) this.#answers.delete(key);
      else this.#answers.set(key, { allowed: Math.min(desired, hold.allowed), surge: 0, hold });
    }
  }

  /** The hold without the name of a service that is gone. */
  #current(hold: Hold | undefined): Hold | undefined {
    if (hold?.by === undefined) return hold;
    const [namespace = '', name = ''] = hold.by.split('/');
    const other = this.#options.fleet.get(keyOfService(namespace, name));
    if (other !== undefined && !other.isBeingDeleted) return hold;
    const { by: _, ...rest } = hold;
    return rest;
  }

  #placementService(service: FleetService): PlacementService {
    const { key, policy, priorityClassName } = service;
    return placementServiceOf(service, {
      priority: this.#classes.of(priorityClassName),
      claim: this.#table.claimOf(key, policy),
      hold: this.#current(this.#holds.has(key) ? this.#holds.get(key) : holdOf(service)),
      isRolling: this.#rolling.has(key),
    });
  }
}
