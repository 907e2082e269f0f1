/**
 * The operator, composed of its parts. It provides the runnables and health checks of a manager, the plan for a service,
 * and whether all services are settled.
 */
import { CircuitBreaker, Ecsm, type Headers, Recorder, RestClient, type Transport } from '@ecsm/client';
import {
  type Checks,
  type Clock,
  Controller,
  EventRecorder,
  findCondition,
  garbageCollector,
  keyOf,
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
import { Observer } from '../observe/observer.ts';
import { digestOf } from '../observe/owner-records.ts';
import { ServiceManager } from '../resource/manager.ts';
import { platformName } from '../resource/naming.ts';
import type { Plan } from '../service/model.ts';
import { type PlatformViews, platformViews } from '../views/platform-views.ts';
import { planFor } from './dry-plan.ts';
import { measureLink } from './metrics.ts';
import { Outage } from './outage.ts';
import { Reconciler } from './reconciler.ts';
import { readRegistryId } from './registry-id.ts';
import { type OperatorSettings, type OperatorSettingsInput, operatorSettings, stopGraceMs } from './settings.ts';

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
  /** Controllers of further kinds, which the registry has to be opened with. They start after that of ECSMService. Default: none. */
  readonly controllers?: readonly ((operator: Operator) => OperatorController)[];
}

export type OperatorController = Runnable & Pick<Controller, 'ready' | 'queue'>;

/** A service that is not settled yet. */
export interface Unsettled {
  readonly namespace: string;
  readonly name: string;
  readonly why: string;
}

const controllerName = 'ecsmservice';
/** Reads are repeated once within a call; a key that fails is requeued anyway. */
const attemptsMax = 2;
/** Services in progress go first. The priority of a waiting key increases, so no key starves. */
const observedPriority = 50;
/** Most lists are complete, so their pages are few and large. */
const pageSize = 1_000;
/** The deadline of a list is this many times the timeout of one page. */
const pagesInTime = 60;

export class Operator {
  readonly settings: OperatorSettings;
  readonly breaker: CircuitBreaker;
  readonly observer: Observer;
  /** Calls and bytes, by endpoint. The breaker's probes are not among them. */
  readonly recorder: Recorder;
  /** The platform's nodes and containers as objects of Kubernetes, read-only: Node, Pod, NodeMetrics, PodMetrics. */
  readonly views: PlatformViews;
  readonly #metrics: { readonly metrics?: StandardMetrics };
  readonly #options: OperatorOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #manager: ServiceManager;
  readonly #outage: Outage;
  readonly #reconciler: Reconciler;
  readonly #controller: Controller<ECSMService['spec'], NonNullable<ECSMService['status']>>;
  readonly #otherControllers: readonly OperatorController[];

  /** Throws `BadRequest` for an invalid setting. Starts nothing and calls nothing. */
  constructor(options: OperatorOptions) {
    const { registry, transport, metrics } = options;
    const clock = options.clock ?? registry.clock;
    const random = options.random ?? registry.random;
    const log = options.log ?? silentLog;
    const settings = operatorSettings(options.settings);
    const { inFlightMax, callTimeoutMs, observeMs, workers, plan: planned } = settings;
    this.#options = options;
    this.#metrics = metrics ? { metrics: standardMetrics(metrics) } : {};
    this.#clock = clock;
    this.#log = log;
    this.settings = settings;
    const headers = options.headers && { headers: options.headers };
    this.breaker = new CircuitBreaker({
      transport,
      clock,
      random,
      inFlightMax,
      probeTimeoutMs: callTimeoutMs,
      ...headers,
    });
    this.recorder = new Recorder(metrics && measureLink(metrics, this.breaker));
    const rest = new RestClient({
      transport: this.breaker.transport,
      clock,
      random,
      log,
      timeoutMs: callTimeoutMs,
      deadlineMs: callTimeoutMs * attemptsMax + 2_000,
      attemptsMax,
      recorder: this.recorder,
      ...headers,
    });
    const ecsm = new Ecsm(rest, { pageSize, listDeadlineMs: callTimeoutMs * pagesInTime });
    const manager = new ServiceManager(ecsm);
    this.#manager = manager;
    this.observer = new Observer({
      ecsm,
      manager,
      breaker: this.breaker,
      clock,
      random,
      log,
      observeMs,
      pollMs: planned.pollMs,
      enqueue: (owners, reason) => {
        const options = { reason, priority: observedPriority };
        for (const { namespace, name } of owners) {
          this.#controller.queue?.add(keyOf(ECSMService, namespace, name), options);
        }
      },
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
      enqueue: (key, queueOptions) => this.#controller.queue?.add(key, queueOptions),
    });
    this.#reconciler = new Reconciler({
      manager,
      observer: this.observer,
      breaker: this.breaker,
      clock,
      random,
      settings,
      waitForLink: (key) => this.#outage.wait(key),
    });
    this.#controller = new Controller({
      name: controllerName,
      kind: ECSMService,
      reconcile: this.#reconciler.reconcile,
      predicates: [specChanged],
      workers,
      timeoutMs: callTimeoutMs * 12,
      graceMs: stopGraceMs,
      log,
      ...this.#metrics,
    });
    this.#otherControllers = (options.controllers ?? []).map((create) => create(this));
  }

  /** For a manager, in order of start. */
  get runnables(): readonly Runnable[] {
    return [
      { name: 'link', needsLeader: false, run: ({ signal }) => this.#outage.run(signal) },
      {
        name: 'observer',
        run: ({ signal }) => this.observer.poller.run(signal),
        ready: () => this.observer.poller.ready(),
      },
      {
        name: controllerName,
        graceMs: stopGraceMs,
        run: async ({ registry, informers, signal }) => {
          this.#outage.clear();
          this.breaker.fenceWrites(() => registry.checkFence());
          const events = new EventRecorder({ registry, source: 'ecsm-operator', log: this.#log, ...this.#metrics });
          this.#reconciler.recordIn(events);
          await this.#controller.run({ registry, informers, signal });
          await events.flush();
        },
        ready: () => this.#controller.ready(),
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
  planFor(namespace: string, name: string): Promise<Plan> {
    return planFor(
      { registry: this.#options.registry, manager: this.#manager, settings: this.settings.plan },
      { namespace, name },
    );
  }

  /** Services that are not available, whose newest spec was not observed, or that are still being reconciled. */
  async unsettled(): Promise<readonly Unsettled[]> {
    const { items } = await this.#options.registry.resource(ECSMService).list();
    const found = items.flatMap((service) => {
      const why = whyUnsettled(service) ?? this.#whyBusy(service);
      const { namespace, name } = service.metadata;
      return why === undefined ? [] : [{ namespace, name, why }];
    });
    return found;
  }

  /** For `--once`. */
  async settled(): Promise<boolean> {
    const controllers = [this.#controller, ...this.#otherControllers];
    // The cheap check first: this is called repeatedly.
    if (this.observer.owners.inProgressCount > 0) return false;
    return controllers.every(isIdle) && (await this.unsettled()).length === 0;
  }

  #whyBusy(service: ECSMService): string | undefined {
    const { namespace, name } = service.metadata;
    const isAtRest = this.observer.owners.isAtRest(platformName(namespace, name), service);
    return isAtRest ? undefined : 'still in progress';
  }
}

function isIdle(controller: Pick<Controller, 'ready' | 'queue'>): boolean {
  const { queue } = controller;
  return controller.ready() === undefined && queue !== undefined && queue.depth + queue.processing === 0;
}

/** Compares what a plan depends on. The status is left out: the operator writes it. */
const specChanged: Predicate = digestOf;

function whyUnsettled({ metadata, status }: ECSMService): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (status?.observedGeneration !== metadata.generation) return 'its newest spec has not been observed yet';
  const available = findCondition(status?.conditions, 'Available');
  return available?.status === 'True' ? undefined : (available?.message ?? 'not reconciled yet');
}
