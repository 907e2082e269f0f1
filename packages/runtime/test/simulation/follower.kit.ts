/**
 * An informer alone, on a store whose lists come in pages of one key, or lag behind. What it reports has to have happened,
 * and in the end it has to know what is stored.
 */
import { Widget } from '@ecsm/runtime/testing';
import { isApiError } from '../../src/api/errors.ts';
import { Informer } from '../../src/informer/informer.ts';
import { sleep } from '../../src/ports/clock.ts';
import { EmbeddedRegistry } from '../../src/registry/embedded.ts';
import type { ProcessDependencies } from '../../src/simulation/incarnation.ts';
import type { FaultWeights } from '../../src/simulation/random-faults.ts';
import type { Scenario } from '../../src/simulation/scenario.ts';
import type { Store } from '../../src/store/contract.ts';

const names = ['a', 'b', 'c'];
const prefix = 'example.io/v1/widgets/';
const keyOf = (name: string) => `${prefix}default/${name}`;

interface Follower {
  readonly name: string;
  readonly weights: FaultWeights;
  readonly resyncMs: number;
  readonly pageKeys: number;
  readonly latencyMsMax: number;
  /** How long the informer may know something else than what is stored. Default: until the end. */
  readonly wrongMsMax?: number;
}

/** The store with smaller pages: a page may have fewer entries than were asked for. */
function paged(store: Store, pageKeys: number): Store {
  return new Proxy(store, {
    get(target, property) {
      const value = Reflect.get(target, property);
      if (property === 'versions') {
        return (...[under, options]: Parameters<Store['versions']>) =>
          target.versions(under, { ...options, limit: pageKeys });
      }
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Creates and deletes widgets at random. A deletion is counted when it begins. */
async function people({ store, clock, random }: ProcessDependencies, deletions: Map<string, number>): Promise<void> {
  const widgets = new EmbeddedRegistry({ store, kinds: [Widget], clock, random }).resource(Widget);
  for (let step = 0; step < 30; step++) {
    const name = names[Math.floor(random.next() * names.length)] ?? 'a';
    try {
      if (random.next() < 0.6) await widgets.apply({ metadata: { name }, spec: { size: step } });
      else {
        deletions.set(keyOf(name), (deletions.get(keyOf(name)) ?? 0) + 1);
        await widgets.delete(name);
      }
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
    await sleep(clock, random.next() < 0.5 ? random.next() * 10 : random.next() * 1_000);
  }
}

function followerScenario(follower: Follower): Scenario {
  const { name, weights, resyncMs, pageKeys, latencyMsMax, wrongMsMax = Number.POSITIVE_INFINITY } = follower;
  return {
    name,
    weights,
    latencyMsMax,
    faultsUntilMs: 20_000,
    endMs: 90_000,
    build(simulation) {
      const deletions = new Map<string, number>();
      const reported = new Map<string, number>();
      const view = new Set<string>();
      simulation.process('people', { faults: false }).start((dependencies) => people(dependencies, deletions));
      simulation.process('follower').start((dependencies) => {
        const { store, clock, random, signal, log } = dependencies;
        const registry = new EmbeddedRegistry({ store: paged(store, pageKeys), kinds: [Widget], clock, random });
        const informer = new Informer({ registry, kind: Widget, resyncMs, log });
        informer.addHandler(({ type, key }) => {
          if (type === 'deleted') reported.set(key, (reported.get(key) ?? 0) + 1);
          if (type === 'deleted') view.delete(key);
          else view.add(key);
        });
        return informer.run(signal);
      });
      simulation.always('every deletion that is reported has happened', () => {
        const wrong = [...reported].find(([key, count]) => count > (deletions.get(key) ?? 0));
        return wrong && `${wrong[0]} was reported deleted ${wrong[1]} times`;
      });
      const wrongSinceMs = new Map<string, number>();
      simulation.always('the informer is not wrong for long', ({ store, nowMs }) => {
        for (const key of names.map(keyOf)) {
          if (view.has(key) === store.contents.has(key)) wrongSinceMs.delete(key);
          else if (!wrongSinceMs.has(key)) wrongSinceMs.set(key, nowMs);
          const sinceMs = wrongSinceMs.get(key) ?? nowMs;
          if (nowMs - sinceMs > wrongMsMax) return `it is wrong about ${key} since ${sinceMs} ms`;
        }
        return undefined;
      });
      simulation.eventually('the informer knows what is stored', () => {
        const stored = [...simulation.store.contents.keys()].filter((key) => key.startsWith(prefix)).sort();
        return [...view].sort().join() === stored.join()
          ? undefined
          : `it knows ${[...view].join(', ')}, not ${stored.join(', ')}`;
      });
    },
  };
}

/** Nothing fails, but a list takes long beside the time between two writes. */
export const pagesScenario = followerScenario({
  name: 'pages',
  weights: { perEffect: {}, perMinute: {} },
  resyncMs: 10_000,
  pageKeys: 1,
  latencyMsMax: 200,
  wrongMsMax: 5_000,
});

/** The history is lost again and again, and no resync makes up for what is missed then. */
export const expiredScenario = followerScenario({
  name: 'expired',
  weights: { perEffect: { breakWatch: 0.2, delay: 0.1 }, perMinute: { compact: 60 } },
  resyncMs: 1e9,
  pageKeys: 1,
  latencyMsMax: 200,
});

/** Lists are often older than what the watch has delivered. */
export const laggingScenario = followerScenario({
  name: 'lagging',
  weights: { perEffect: { staleRead: 0.4, delay: 0.05 }, perMinute: {} },
  resyncMs: 2_000,
  pageKeys: 1_000,
  latencyMsMax: 4,
});
