/**
 * Goal: in any history a service is created only while its dependencies are met, nothing waits for no reason, and everything can
 * be deleted. Method: random edits, deletions, failures and restarts, with an oracle at every creation and at rest.
 */
import type { Transport } from '@ecsm/client';
import { findCondition } from '@ecsm/runtime';
import { SeededRandom } from '@ecsm/runtime/simulation';
import { afterEach, describe, expect, it } from 'vitest';
import type { ECSMService } from '../apis/ecsm-service.ts';
import { fleetServiceOf } from '../fleet/fleet-service.ts';
import { cycleOf } from '../service/dependencies/cycles.ts';
import { nameIn, problemOf } from '../service/dependencies/dependency-state.ts';
import { dynamic, fixed, Site } from './operator.kit.ts';

const seeds = 10;
const stepsPerSeed = 25;
const names = ['a', 'b', 'c', 'd', 'e'] as const;

let site: Site;
afterEach(() => site.stop());

const all = async () => new Map((await site.services.list()).items.map((one) => [one.metadata.name, one]));

/** Names of dependencies that are not met by the registry. */
function unmet(service: ECSMService, services: ReadonlyMap<string, ECSMService>): readonly string[] {
  return fleetServiceOf(service).dependsOn.flatMap((edge) => {
    const found = services.get(nameIn(edge.key).replace('default/', ''));
    return problemOf(edge, found && fleetServiceOf(found)) === undefined ? [] : [nameIn(edge.key)];
  });
}

function isInCycle(service: ECSMService, services: ReadonlyMap<string, ECSMService>): boolean {
  const facts = new Map([...services.values()].map((one) => [fleetServiceOf(one).key, fleetServiceOf(one)]));
  return cycleOf(fleetServiceOf(service).key, (key) => facts.get(key)) !== undefined;
}

class History {
  readonly violations: string[] = [];
  readonly #random: SeededRandom;
  /** The objects before the last edit: the operator may not have observed it yet. */
  #before: ReadonlyMap<string, ECSMService> = new Map();

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  /** Checks every creation on its way to the platform. */
  through(transport: Transport): Transport {
    return {
      ...transport,
      send: async (request, options) => {
        if (request.method === 'POST' && /\/service$/.test(request.target) && request.body !== undefined) {
          const { name } = JSON.parse(new TextDecoder().decode(request.body));
          await this.#created(String(name));
        }
        return transport.send(request, options);
      },
    };
  }

  async #created(name: string): Promise<void> {
    const now = await all();
    const service = now.get(name);
    if (service === undefined) return;
    const readings = [now, this.#before].map((services) => [
      ...unmet(services.get(name) ?? service, services),
      ...(isInCycle(services.get(name) ?? service, services) ? ['cycle'] : []),
    ]);
    if (readings.every((found) => found.length > 0)) this.violations.push(`${name} before ${readings.join(' and ')}`);
  }

  async step(): Promise<void> {
    this.#before = await all();
    const name = this.#pick(names);
    const exists = this.#before.has(name);
    const draw = this.#random.next();
    if (!exists || draw < 0.35) await this.#apply(name);
    else if (draw < 0.5) await site.services.delete(name);
    else if (draw < 0.65) await this.#scale(name, this.#random.next() < 0.5 ? 0 : 2);
    // Refused if it does not exist, or is being deleted.
    else if (draw < 0.8) await site.sim(`services/${name}`, {}, 'DELETE').catch(() => {});
    else if (draw < 0.88) {
      await site.stop();
      site.start();
    }
    await site.clock.advance(this.#pick([50, 1_000, 20_000]));
  }

  async #apply(name: string): Promise<void> {
    const others = names.filter((one) => one !== name && this.#random.next() < 0.3);
    const dependsOn = others.map((one) => ({
      name: one,
      condition: this.#pick(['Available', 'Exists'] as const),
      onLost: this.#pick(['Ignore', 'Stop'] as const),
    }));
    const current = await site.get(name);
    if (current?.metadata.deletionTimestamp !== undefined) return;
    const input = this.#random.next() < 0.3 ? fixed(name, { dependsOn }) : dynamic(name, { dependsOn }, 2);
    if (current === undefined) await site.apply(input);
    else await site.edit(name, { spec: { dependsOn } });
  }

  async #scale(name: string, replicas: number): Promise<void> {
    const current = await site.get(name);
    if (current?.spec.deploymentStrategy.type !== 'Dynamic') return;
    await site.edit(name, { spec: { deploymentStrategy: { replicas } } });
  }

  #pick<T>(choices: readonly [T, ...T[]] | readonly T[]): T {
    const chosen = choices[Math.floor(this.#random.next() * choices.length)];
    if (chosen === undefined) throw new Error('there is nothing to pick');
    return chosen;
  }
}

/** What is wrong at rest. */
async function wrongAtRest(): Promise<readonly string[]> {
  const services = await all();
  return [...services.values()].flatMap((service) => {
    const { name, deletionTimestamp } = service.metadata;
    if (deletionTimestamp !== undefined) return [`${name} is not deleted`];
    const isAvailable = findCondition(service.status?.conditions, 'Available')?.status === 'True';
    const mayWait = unmet(service, services).length > 0 || isInCycle(service, services);
    const isReady = findCondition(service.status?.conditions, 'DependenciesReady')?.status;
    const hasDependencies = (service.spec.dependsOn ?? []).length > 0;
    return [
      ...(isAvailable || mayWait ? [] : [`${name} is not available for no reason`]),
      ...(hasDependencies && !mayWait && isReady !== 'True'
        ? [`${name} does not report that it waits for nothing`]
        : []),
    ];
  });
}

describe('any history of services that depend on each other', () => {
  it.each(Array.from({ length: seeds }, (_, seed) => seed))(
    'starts them in order, ends at rest, and can be deleted: seed %i',
    async (seed) => {
      const history = new History(seed);
      site = new Site({ seed, through: (transport) => history.through(transport) }).start();
      for (let step = 0; step < stepsPerSeed; step++) await history.step();
      await site.clock.advance(300_000);
      expect(history.violations).toEqual([]);
      expect(await wrongAtRest()).toEqual([]);
      const { last } = site.simulator.journal;
      const versions = async () => [...(await all()).values()].map(({ metadata }) => metadata.resourceVersion);
      const before = await versions();
      await site.clock.advance(300_000);
      expect(site.writesSince(last)).toEqual([]);
      expect(await versions()).toEqual(before);
      for (const name of (await all()).keys()) await site.services.delete(name);
      await site.clock.until(async () => (await all()).size === 0, 120_000);
      expect(site.shown()).toEqual([]);
    },
  );
});
