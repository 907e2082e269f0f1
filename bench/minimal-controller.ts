/**
 * The least that a controller does for a new service: it stores the finalizer, the revision and a status before it sends
 * the creation, records an event, and stores another status when a list shows the service running. No snapshot of the
 * platform, no plan, no comparison, no dependencies, no healing. What it takes is the cost of the runtime.
 */
import type { Ecsm, ServiceBody } from '@ecsm/client';
import { ECSMService, ServiceRevision } from '@ecsm/operator';
import {
  Controller,
  collectGarbage,
  type EmbeddedRegistry,
  EventRecorder,
  generationChanged,
  keyOf,
  type Registry,
  timestampAt,
  withFinalizer,
} from '@ecsm/runtime';

const hash = '0123abcd';
const conditionTypes = ['Available', 'Progressing', 'Degraded', 'PlatformReachable'];

export class MinimalController {
  readonly #registry: EmbeddedRegistry;
  readonly #ecsm: Ecsm;
  readonly #bodyOf: (name: string) => ServiceBody;
  readonly #recorder: EventRecorder;
  readonly #controller: Controller<ECSMService['spec'], NonNullable<ECSMService['status']>>;
  readonly #created: string[] = [];
  #isRunning = false;
  /** Services whose status says that they are ready. */
  ready = 0;

  constructor(registry: EmbeddedRegistry, ecsm: Ecsm, workers: number, bodyOf: (name: string) => ServiceBody) {
    this.#registry = registry;
    this.#ecsm = ecsm;
    this.#bodyOf = bodyOf;
    this.#recorder = new EventRecorder({ registry, source: 'minimal' });
    this.#controller = new Controller({
      name: 'minimal',
      kind: ECSMService,
      predicates: [generationChanged],
      workers,
      reconcile: async (_, { get, registry }) => {
        const service = await get();
        if (service === undefined) return;
        if (service.status === undefined) await this.#create(registry, service);
        else if (this.#isRunning && service.status.readyReplicas === 0) await this.#finish(registry, service);
      },
    });
  }

  get isWatching(): boolean {
    return this.#controller.ready() === undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    const registry = this.#registry;
    await Promise.all([this.#controller.run({ registry, signal }), collectGarbage(registry, { signal })]);
    await this.#recorder.flush();
  }

  /** Resolves when this many services are ready. */
  async until(count: number): Promise<void> {
    while (this.#created.length < count) await turn();
    for (;;) {
      const { list } = await this.#ecsm.services().page(1, count);
      if (list.filter(({ instanceOnline }) => Number(instanceOnline) === 1).length === count) break;
    }
    this.#isRunning = true;
    for (const name of this.#created) {
      this.#controller.queue?.add(keyOf(ECSMService, 'default', name), { reason: 'listed' });
    }
    while (this.ready < count) await turn();
  }

  async #create(registry: Registry, service: ECSMService): Promise<void> {
    const { name, namespace, uid } = service.metadata;
    const owner = { apiVersion: ECSMService.apiVersion, kind: ECSMService.kind, name, uid, controller: true };
    const recorded = registry.resource(ServiceRevision).create({
      metadata: { name: `${name}-${hash}`, namespace, ownerReferences: [owner] },
      spec: { service: name, number: 1, hash, template: service.spec.template },
    });
    const apply = async (object: ECSMService) => {
      await recorded;
      await Promise.all([this.#write(registry, object, 0), this.#ecsm.services().create(this.#bodyOf(name))]);
      this.#recorder.record(object, 'Normal', 'Created', 'created on the platform');
      this.#created.push(name);
      return undefined;
    };
    await withFinalizer(registry.resource(ECSMService), service, 'ecsm.sh/minimal', {
      apply,
      cleanup: async () => undefined,
    });
  }

  async #finish(registry: Registry, service: ECSMService): Promise<void> {
    await this.#write(registry, service, 1);
    this.#recorder.record(service, 'Normal', 'Available', 'all replicas are ready');
    this.ready++;
  }

  async #write(registry: Registry, known: ECSMService, ready: number): Promise<void> {
    const { metadata } = known;
    const now = timestampAt(this.#registry.clock.now());
    const conditions = conditionTypes.map((type) => ({
      type,
      status: ready === 1 ? ('True' as const) : ('False' as const),
      reason: 'Minimal',
      message: 'as far as it is known',
      lastTransitionTime: now,
      observedGeneration: metadata.generation,
    }));
    const replicas = { replicas: 1, readyReplicas: ready, updatedReplicas: 1, unavailableReplicas: 1 - ready };
    const status = { ...replicas, observedGeneration: 1, updateRevision: hash, currentRevision: hash, conditions };
    await registry.resource(ECSMService).updateStatus({ metadata, status }, { known });
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
