/** What users do in stories of orchestration, beside what they do in all stories. */

import { type Clock, EmbeddedRegistry, PriorityClass } from '@ecsm/runtime';
import type { ProcessDependencies } from '@ecsm/runtime/simulation';
import { ECSMHpa, type ECSMHpaInput } from '../../../src/apis/hpa.ts';
import { operatorKinds } from '../../../src/apis/kinds.ts';
import { Users, type World } from '../world.kit.ts';

/** Time of one request of a command that deletes several services. */
const requestMs = 300;
/** Faults may set the operator's clock in the meantime. */
const clockMs = 10_000;

export class OrchestrationUsers extends Users {
  readonly #world: World;
  readonly #doors: ProcessDependencies;
  readonly #operatorClock: Pick<Clock, 'now'>;

  constructor(world: World, doors: ProcessDependencies, operatorClock: Pick<Clock, 'now'>) {
    super(world, doors);
    this.#world = world;
    this.#doors = doors;
    this.#operatorClock = operatorClock;
  }

  async classes(values: Readonly<Record<string, number>>): Promise<void> {
    const resource = this.#registry.resource(PriorityClass);
    for (const [name, value] of Object.entries(values)) {
      await resource.create(PriorityClass.input({ name }, { value }));
    }
  }

  /** At 70 percent of a processor, and with further metrics. */
  async autoscale(
    name: string,
    limits: { readonly minReplicas: number; readonly maxReplicas: number },
    ...more: NonNullable<ECSMHpaInput['spec']['metrics']>
  ): Promise<void> {
    const target = { type: 'Utilization' as const, averageUtilization: 70 };
    await this.#registry.resource(ECSMHpa).create({
      metadata: { name },
      spec: {
        scaleTargetRef: { kind: 'ECSMService', name },
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }, ...more],
        ...limits,
      },
    });
  }

  async deleteAll(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.services.delete(name);
      await this.wait(requestMs);
    }
  }

  /** Percent of a processor that all instances together need, as a wave or constant. Waits until the service exists. */
  async load(name: string, cpuPercentTotal: number, wave = { wavePeriodMs: 0, wavePercent: 0 }): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      const service = this.platform.serviceNamed(name);
      if (service) return this.platform.setLoad(service.id, { cpuPercentTotal, ...wave });
      await this.wait(1_000);
    }
  }

  /** Fails the run if the platform does not run so many instances now. */
  expect(name: string, count: number): void {
    const service = this.platform.serviceNamed(name);
    const found = service ? this.platform.containersOfService(service.id).length : 0;
    if (found !== count)
      this.#world.simulation.fail('as many instances as scheduled', `${name} has ${found}, not ${count}`);
  }

  /** Waits until the operator's clock shows this time after the start of the simulation. */
  async untilOperatorTime(timeMs: number): Promise<void> {
    const { clock, nowMs } = this.#world.simulation;
    const startMs = clock.now() - nowMs;
    while (this.#operatorClock.now() < startMs + timeMs) await this.wait(clockMs);
  }

  hideMeasurements(isHidden: boolean): void {
    this.#world.unmeasuredSinceMs = isHidden ? this.#world.simulation.nowMs : undefined;
  }

  get #registry(): EmbeddedRegistry {
    const { store, clock, random } = this.#doors;
    return new EmbeddedRegistry({ store, kinds: operatorKinds, clock, random });
  }
}
