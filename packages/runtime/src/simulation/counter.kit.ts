/** Small programs to try the kit on: some right, some wrong in ways that it has to find. */
import { isApiError } from '../api/errors.ts';
import { sleep } from '../ports/clock.ts';
import type { Store, Write } from '../store/contract.ts';
import type { Main, ProcessDependencies } from './incarnation.ts';
import type { Scenario } from './scenario.ts';
import type { Simulation } from './simulation.ts';

export const noFaults = { perEffect: {}, perMinute: {} };

export const put = (key: string, value: unknown, expected?: number): Write => ({
  type: 'put',
  key,
  value: new TextEncoder().encode(JSON.stringify(value)),
  ...(expected === undefined ? {} : { expected }),
});

export const decoded = (value: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(value));

export const counterKey = 'counters/one';

async function read(store: Store): Promise<{ count: number; revision: number }> {
  const entry = await store.get(counterKey);
  return entry ? { count: Number(decoded(entry.value)), revision: entry.revision } : { count: 0, revision: 0 };
}

/** Loses updates: it overwrites concurrent writes. */
export async function incrementBlindly(store: Store): Promise<void> {
  const { count } = await read(store);
  await store.commit([put(counterKey, count + 1)]);
}

export async function incrementByComparing(store: Store): Promise<void> {
  for (;;) {
    const { count, revision } = await read(store);
    const outcome = await store.commit([put(counterKey, count + 1, revision)]);
    if (outcome.committed) return;
  }
}

/** Two processes that count to ten together. */
export function counterScenario(increment: (store: Store) => Promise<void>, options: Partial<Scenario> = {}): Scenario {
  return {
    name: 'counter',
    weights: noFaults,
    ...options,
    build(simulation) {
      for (const name of ['one', 'two']) {
        simulation.process(name).start(async ({ store }) => {
          for (let times = 0; times < 5; times++) await increment(store);
        });
      }
      simulation.eventually('no update is lost', ({ store }) =>
        store.json(counterKey) === 10 ? undefined : `the counter is ${store.json(counterKey)} after 10 increments`,
      );
    },
  };
}

/** One process, one scenario; `build` may add more to the world. */
export function scenarioOf(main: Main, options: Partial<Scenario> = {}): Scenario {
  const { build, ...rest } = options;
  return {
    name: 'sample',
    weights: noFaults,
    ...rest,
    async build(simulation: Simulation) {
      await build?.(simulation);
      simulation.process('sample').start(main);
    },
  };
}

/**
 * A controller in miniature: copies `wanted/…` to `actual/…`, by watch and by resync, and never uses the content of an event. If it
 * seldom resyncs, it relies on the watch instead.
 */
export async function mirror({ store, clock, signal }: ProcessDependencies, resyncMs = 10_000): Promise<void> {
  const reconcile = async (name: string) => {
    const [wanted, actual] = await Promise.all([store.get(`wanted/${name}`), store.get(`actual/${name}`)]);
    const expected = actual?.revision ?? 0;
    if (wanted && String(wanted.value) !== String(actual?.value)) {
      await store.commit([{ type: 'put', key: `actual/${name}`, value: wanted.value, expected }]);
    }
    if (!wanted && actual) await store.commit([{ type: 'delete', key: `actual/${name}`, expected }]);
  };
  const names = (keys: readonly string[]) => keys.map((key) => key.slice(key.indexOf('/') + 1));
  const resync = async (): Promise<number> => {
    const [wanted, actual] = await Promise.all([store.versions('wanted/'), store.versions('actual/')]);
    for (const name of new Set([...names(wanted.keys), ...names(actual.keys)])) await reconcile(name);
    return wanted.revision;
  };
  const follow = async (after: number, until: AbortSignal) => {
    for await (const { changes } of store.watch('wanted/', { after, signal: until, detail: 'keys' })) {
      for (const name of names(changes.map(({ key }) => key))) await reconcile(name);
    }
  };
  while (!signal.aborted) {
    const round = new AbortController();
    const cancel = clock.after(resyncMs, () => round.abort());
    try {
      await follow(await resync(), round.signal);
    } catch (error) {
      if (!isApiError(error) || error.retry === 'bug') throw error;
      await sleep(clock, 500, signal);
    }
    cancel();
  }
}
