/**
 * The operator, composed of its parts. It provides the runnables and health checks of a manager, the plan for a service,
 * and whether all services are settled.
 */
import type { CircuitBreaker, Headers, Recorder, Transport } from '@ecsm/client';
import {
  type Checks,
  type Clock,
  type Controller,
  garbageCollector,
  type Log,
  Manager,
  type MetricRegistry,
  type Predicate,
  type Random,
  type Registry,
  type Runnable,
  type StandardMetrics,
  silentLog,
  standardMetrics,
} from '@ecsm/runtime';
import { ECSMService } from '../apis/ecsm-service.ts';
import { Fleet } from '../fleet/fleet.ts';
import { keyOfService } from '../fleet/fleet-service.ts';
import { CapacityReader } from '../observe/capacity.ts';
import { Observer } from '../observe/observer.ts';
import { digestOf } from '../observe/owner-records.ts';
import { ServiceManager } from '../resource/manager.ts';
import { ownerKeysOf, platformName } from '../resource/naming.ts';
import { planCleanup } from '../service/cleanup.ts';
import { affectedBy } from '../service/dependencies/affected.ts';
import { emptyStatus, type Plan, type PlanInput } from '../service/model.ts';
import { plan } from '../service/plan.ts';
import { type PlatformViews, platformViews } from '../views/platform-views.ts';
import { Allocations } from './allocations.ts';
import { autoscaler } from './autoscaler/autoscaler.ts';
import { metricSources } from './autoscaler/observe.ts';
import { CapacityReport } from './capacity-report.ts';
import { linkOf } from './link.ts';
import { measureObservation } from './metrics.ts';
import { Outage } from './outage.ts';
import { readRegistryId } from './registry-id.ts';
import { serviceOperation } from './service.ts';
import { measureServices } from './service-metrics.ts';
import { type OperatorSettings, type OperatorSettingsInput, operatorSettings, stopGraceMs } from './settings.ts';
import { isIdle, type Unsettled, whyUnsettled } from './settled.ts';

export interface OperatorOptions {
  readonly registry: Registry;
  /** The transport to the platform. The operator puts a circuit breaker around it. */
  readonly transport: Transport;
  /** Headers of every call, for authentication. */
  readonly headers?: () => Headers | Promise<Headers>;
  /** Default: the registry's. */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly settings?: OperatorSettingsInput;
  /** Default: no metrics. */
  readonly metrics?: MetricRegistry;
  /** False if another part of the program does, such as a server of the registry. Default true. */
  readonly collectsGarbage?: boolean;
  /** Prometheus servers that autoscalers may query: URL → transport. Default: none. */
  readonly prometheus?: ReadonlyMap<string, Transport>;
  /** Controllers of further kinds, which the registry has to be opened with. They start after those of ECSMService and ECSMHpa. Default: none. */
  readonly controllers?: readonly ((operator: Operator) => OperatorController)[];
}

export type OperatorController = Runnable & Pick<Controller, 'ready' | 'queue'>;

/** Services in progress go first. The priority of a waiting key increases, so no key starves. */
const observedPriority = 50;

const { signal: neverAborted } = new AbortController();

export class Operator {
  readonly settings: OperatorSettings;
  readonly breaker: CircuitBreaker;
  readonly observer: Observer;
  /** What all services want, for decisions that concern several of them. */
  readonly fleet = new Fleet();
  /** Calls and bytes, by endpoint. The breaker's probes are not among them. */
  readonly recorder: Recorder;
  /** The platform's nodes and containers as objects of Kubernetes, read-only: Node, Pod, NodeMetrics, PodMetrics. */
  readonly views: PlatformViews;
  readonly #metrics: { readonly metrics?: StandardMetrics };
  readonly #options: OperatorOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #outage: Outage;
  readonly #capacityReport: CapacityReport;
  readonly #allocations: Allocations;
  readonly #services: ReturnType<typeof serviceOperation>;
  readonly #otherControllers: readonly OperatorController[];
  /** Whether the fleet is kept up to date. */
  #isLeading = false;

  /** Throws `BadRequest` for an invalid setting. Starts nothing and calls nothing. */
  constructor(options: OperatorOptions) {
    const { registry, metrics } = options;
    const clock = options.clock ?? registry.clock;
    const random = options.random ?? registry.random;
    const log = options.log ?? silentLog;
    const settings = operatorSettings(options.settings);
    const { callTimeoutMs, observeMs, linkBudgetBytesPerSecond, plan: planned } = settings;
    this.#options = options;
    this.#metrics = metrics ? { metrics: standardMetrics(metrics) } : {};
    this.#clock = clock;
    this.#log = log;
    this.settings = settings;
    const { breaker, recorder, ecsm } = linkOf({ ...options, clock, random, log, settings });
    this.breaker = breaker;
    this.recorder = recorder;
    const manager = new ServiceManager(ecsm);
    this.observer = new Observer({
      ecsm,
      manager,
      breaker: this.breaker,
      clock,
      random,
      log,
      recorder,
      observeMs,
      linkBudgetBytesPerSecond,
      pollMs: planned.pollMs,
      enqueue: (owners, reason) => {
        const options = { reason, priority: observedPriority };
        for (const { namespace, name } of owners) {
          this.#services.queue?.add(keyOfService(namespace, name), options);
        }
      },
      nodesChanged: () => this.#allocations.nodesChanged(),
    });
    if (metrics) measureObservation(metrics, this.observer, linkBudgetBytesPerSecond);
    this.#capacityReport = new CapacityReport({ clock, log });
    this.#allocations = new Allocations({
      fleet: this.fleet,
      capacity: new CapacityReader({ ecsm, services: this.observer.services, ownerOf: (name) => this.#ownerOf(name) }),
      offlineNodes: () => this.observer.offlineNodes,
      firstPoll: (signal) => this.observer.poller.firstPoll(signal),
      clock,
      log,
      restoreMs: settings.restoreMs,
      enqueue: (key) => this.#wake(key, 'the placement of all services has changed'),
      computed: (view) => this.#capacityReport.offer(view),
    });
    this.views = platformViews({
      ecsm,
      registry,
      registryId: () => readRegistryId(registry),
      markOf: (serviceId) => this.observer.markOf(serviceId),
      linkFailure: () => this.breaker.reason,
      clock,
      log,
    });
    this.#outage = new Outage({
      breaker: this.breaker,
      clock,
      log,
      outageMs: settings.outageMs,
      keys: async () => (await registry.resource(ECSMService).versions()).keys,
      enqueue: (key, queueOptions) => this.#services.queue?.add(key, queueOptions),
    });
    this.#services = serviceOperation(
      {
        manager,
        observer: this.observer,
        fleet: this.fleet,
        allocations: this.#allocations,
        breaker: this.breaker,
        clock,
        random,
        settings,
        changed: (object) => this.#observed(object),
        waitForLink: (key) => this.#outage.wait(key),
      },
      { log, ...this.#metrics },
    );
    if (metrics) measureServices(metrics, this.fleet, () => this.#isLeading);
    this.fleet.onChange((before, after) => {
      for (const key of affectedBy(before, after, this.fleet)) this.#wake(key, 'a dependency has changed');
    });
    const autoscaling = autoscaler({
      sources: metricSources({
        ecsm,
        observer: this.observer,
        clock,
        intervalMs: settings.autoscalingMs,
        callTimeoutMs,
        prometheus: options.prometheus ?? new Map(),
        linkFailure: () => (this.breaker.state === 'unreachable' ? (this.breaker.reason ?? 'unreachable') : undefined),
      }),
      clock,
      log,
      intervalMs: settings.autoscalingMs,
      callTimeoutMs,
      metrics,
      standardMetrics: this.#metrics.metrics,
    });
    this.#otherControllers = [autoscaling, ...(options.controllers ?? []).map((create) => create(this))];
  }

  /** For a manager, in order of start. */
  get runnables(): readonly Runnable[] {
    return [
      { name: 'link', needsLeader: false, run: ({ signal }) => this.#outage.run(signal) },
      {
        name: 'observer',
        run: ({ signal }) => this.observer.poller.run(signal),
        ready: () => this.observer.poller.ready(),
        detail: () => this.observer.poller.detail,
      },
      {
        name: this.#services.name,
        graceMs: stopGraceMs,
        run: async ({ registry, informers, signal }) => {
          this.#outage.clear();
          this.breaker.fenceWrites(() => registry.checkFence());
          await this.fleet.load(registry);
          this.#capacityReport.start(registry);
          await this.#allocations.start(registry);
          const { informer, release } = informers.use(ECSMService);
          // The list may be older than that of the informer: what was deleted in between causes no event.
          void informer.synced.then(() => this.fleet.retain((key) => informer.versionOf(key) !== undefined));
          const context = { registry, informers, signal };
          // Reconciles in flight still need to know what is held back.
          const allocating = new AbortController();
          this.#isLeading = true;
          await Promise.all([
            this.#services.run(context).finally(() => allocating.abort()),
            this.#allocations.run({ ...context, signal: allocating.signal }),
          ]).finally(() => {
            this.#isLeading = false;
          });
          await release();
          this.#capacityReport.stop();
        },
        ready: () => this.#services.ready(),
      },
      ...this.#otherControllers,
      ...(this.#options.collectsGarbage === false ? [] : [garbageCollector(this.#log)]),
    ];
  }

  /** For readyz, beside those of the runnables. */
  get checks(): Checks {
    return { platform: () => this.breaker.check() };
  }

  /** Runs everything until the signal aborts, with a manager of its own. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { registry } = this.#options;
    const manager = new Manager({ registry, clock: this.#clock, log: this.#log });
    for (const runnable of this.runnables) manager.add(runnable);
    await manager.run({ signal });
  }

  /** The plan for a service. It only reads. Throws `NotFound` if there is no such service. */
  async planFor(namespace: string, name: string, options: Pick<PlanInput, 'showValues'> = {}): Promise<Plan> {
    const { registry } = this.#options;
    const { spec, metadata } = await registry.resource(ECSMService).get(name, { namespace });
    // Only a leader keeps it up to date.
    const needsFleet = spec.dependsOn !== undefined || metadata.deletionTimestamp !== undefined;
    if (needsFleet && !this.#isLeading) await this.fleet.load(registry);
    const { object, facts } = await this.#services.plan(registry, { namespace, name }, neverAborted);
    const nowMs = this.#clock.now();
    if ('error' in facts) throw facts.error;
    if (facts.is === 'observed') return plan({ ...facts.input, ...options, nowMs });
    if (facts.is === 'leaving') return planCleanup({ ...facts.input, nowMs });
    const { conditions, ...status } = object.status ?? emptyStatus;
    return { steps: [], status, conditions, events: [] };
  }

  /** Services that are not available, whose newest spec was not observed, or that are still being reconciled. */
  async unsettled(): Promise<readonly Unsettled[]> {
    const { items } = await this.#options.registry.resource(ECSMService).list();
    return items.flatMap((service) => {
      const why = whyUnsettled(service) ?? this.#whyBusy(service);
      const { namespace, name } = service.metadata;
      return why === undefined ? [] : [{ namespace, name, why }];
    });
  }

  /** For `--once`. */
  async settled(): Promise<boolean> {
    const controllers = [this.#services, ...this.#otherControllers];
    // The cheap check first: this is called repeatedly.
    if (this.observer.owners.inProgressCount > 0) return false;
    return controllers.every(isIdle) && (await this.unsettled()).length === 0;
  }

  /**
   * Compares what a plan depends on. The status is left out: the operator writes it. Every observed version passes here, so
   * the fleet needs no reads of its own.
   */
  #observed(object: Parameters<Predicate>[0]): ReturnType<Predicate> {
    // The predicates of a controller are called with objects of its kind.
    this.fleet.set(object as ECSMService);
    return digestOf(object);
  }

  /** The service that a name on the platform belongs to, if there is one. */
  #ownerOf(platformServiceName: string): string | undefined {
    const keys = ownerKeysOf(platformServiceName).map(({ namespace, name }) => keyOfService(namespace, name));
    return keys.find((key) => this.fleet.get(key) !== undefined);
  }

  /** Reconciles a service again although nothing of its own has changed. */
  #wake(key: string, reason: string): void {
    const service = this.fleet.get(key);
    if (service === undefined) return;
    this.observer.owners.markChanged(platformName(service.namespace, service.name));
    this.#services.queue?.add(key, { reason, priority: observedPriority });
  }

  #whyBusy(service: ECSMService): string | undefined {
    const { namespace, name } = service.metadata;
    const isAtRest = this.observer.owners.isAtRest(platformName(namespace, name), service);
    return isAtRest ? undefined : 'still in progress';
  }
}
