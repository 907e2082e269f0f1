/** A complete system in one process on virtual time: a simulated platform, a registry in memory, and an operator. */

import type { Headers, Transport } from '@ecsm/client';
import type { Log, MetricRegistry } from '@ecsm/runtime';
import { EmbeddedRegistry, Event, findCondition, isApiError, MemoryStore } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { VirtualClock } from '@ecsm/runtime/testing';
import { type Behaviour, type ProfileName, Simulator } from '@ecsm/simulator';
import { ECSMService, type ECSMServiceInput } from '../apis/ecsm-service.ts';
import { operatorKinds } from '../apis/kinds.ts';
import { Operator } from './operator.ts';
import type { OperatorSettingsInput } from './settings.ts';

export interface SiteOptions {
  readonly behaviour?: Partial<Behaviour> | ProfileName;
  readonly nodes?: number;
  readonly settings?: OperatorSettingsInput;
  readonly log?: Log;
  readonly metrics?: MetricRegistry;
  readonly seed?: number;
  /** Added to every request to the platform. */
  readonly headers?: Headers;
  /** Something in the way to the platform. */
  readonly through?: (transport: Transport) => Transport;
}

export class Site {
  readonly clock = new VirtualClock();
  readonly simulator: Simulator;
  readonly registry: EmbeddedRegistry;
  readonly #options: SiteOptions;
  #operator: Operator | undefined;
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: SiteOptions = {}) {
    this.#options = options;
    const { seed = 1, behaviour, nodes = 8 } = options;
    this.simulator = new Simulator({
      clock: this.clock,
      random: new SeededRandom(seed),
      nodes,
      ...(behaviour && { behaviour }),
    });
    this.registry = new EmbeddedRegistry({
      store: new MemoryStore(),
      kinds: operatorKinds,
      clock: this.clock,
      random: new SeededRandom(seed + 1),
    });
  }

  get operator(): Operator {
    if (!this.#operator) throw new Error('no operator was started');
    return this.#operator;
  }

  get platform() {
    return this.simulator.platform;
  }

  get services() {
    return this.registry.resource(ECSMService);
  }

  start(registry = this.registry): this {
    const { settings, log, metrics, seed = 1, headers, through = (transport: Transport) => transport } = this.#options;
    this.#stop = new AbortController();
    const operator = new Operator({
      registry,
      transport: through(this.simulator.transport()),
      clock: this.clock,
      random: new SeededRandom(seed + 2),
      settings: { observeMs: 15_000, ...settings },
      ...(log && { log }),
      ...(metrics && { metrics }),
      ...(headers && { headers: () => headers }),
    });
    this.#operator = operator;
    this.#running = operator.run({ signal: this.#stop.signal });
    // If it ends before, `stop` rejects.
    this.#running.catch(() => {});
    return this;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    const running = this.#running;
    this.#running = undefined;
    let ended = running === undefined;
    const end = () => {
      ended = true;
    };
    void running?.then(end, end);
    await this.clock.until(() => ended);
    await running;
  }

  async apply(input: ECSMServiceInput): Promise<void> {
    await this.services.apply(input, { force: true });
  }

  async edit(name: string, change: Parameters<typeof this.services.patch>[1], namespace = 'default'): Promise<void> {
    await this.services.patch(name, change, { namespace });
  }

  async get(name: string, namespace = 'default'): Promise<ECSMService | undefined> {
    try {
      return await this.services.get(name, { namespace });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async condition(name: string, type: string): Promise<string> {
    const found = findCondition((await this.get(name))?.status?.conditions, type);
    return found === undefined ? 'none' : `${found.status} ${found.reason}`;
  }

  /** Goes on until the service is available, complete and at rest; tells how long it took. */
  ready(name: string, limitMs = 180_000): Promise<number> {
    return this.clock.until(async () => {
      const service = await this.get(name);
      const progressing = findCondition(service?.status?.conditions, 'Progressing');
      return (
        service?.status?.observedGeneration === service?.metadata.generation &&
        (await this.condition(name, 'Available')).startsWith('True') &&
        progressing?.reason === 'Complete' &&
        (await this.operator.unsettled()).every((one) => one.name !== name)
      );
    }, limitMs);
  }

  /** A manual change of the platform: `sim('services/web/edit', { factor: 1 })`. */
  async sim(path: string, body: object = {}, method: 'POST' | 'DELETE' = 'POST'): Promise<void> {
    const answer = this.simulator.handler({
      method,
      target: `/sim/${path}`,
      headers: { 'content-type': 'application/json' },
      body: method === 'DELETE' ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(body)),
    });
    if (answer.status !== 200) throw new Error(new TextDecoder().decode(answer.body));
  }

  /** One service on the platform, as returned to an observer. */
  statuses(name: string): (string | null)[] {
    const service = this.platform.serviceNamed(name);
    if (!service) return [];
    return this.platform.containersOfService(service.id).map((one) => this.platform.statusOf(one));
  }

  /** Calls that change something, by endpoint, since a number of the journal. */
  writesSince(number: number): string[] {
    return this.simulator.journal
      .entries(number)
      .filter(({ method }) => method !== 'GET')
      .map(({ endpoint }) => endpoint);
  }

  async events(): Promise<string[]> {
    const { items } = await this.registry.resource(Event).list();
    return items.map(Event.fieldsOf).map(({ reason, message }) => `${reason}: ${message}`);
  }

  /** Names and factors of what is on the platform. */
  shown(): string[] {
    return this.platform.services().map(({ name, factor }) => `${name} x${factor}`);
  }
}

export function dynamic(name: string, change: Partial<ECSMServiceInput['spec']> = {}, replicas = 3): ECSMServiceInput {
  return {
    metadata: { name },
    spec: {
      deploymentStrategy: { type: 'Dynamic', replicas, nodePool: ['node-1', 'node-2', 'node-3'] },
      template: { image: 'telemetry@1.0.0#sylixos', env: [{ name: 'RATE', value: '10' }] },
      ...change,
    },
  };
}

export function fixed(name: string, change: Partial<ECSMServiceInput['spec']> = {}): ECSMServiceInput {
  return {
    metadata: { name },
    spec: {
      deploymentStrategy: { type: 'Static', nodes: ['node-1', 'node-2', 'node-3'] },
      template: { image: 'telemetry@1.0.0#sylixos' },
      ...change,
    },
  };
}
