/**
 * Two candidates of one election. The store answers a leader's writes late, and partitions are longer than a lease. The
 * work of two leaders must never overlap, though it takes nearly all of the time that it has to stop.
 */
import { LeaderElection } from '../../src/manager/election.ts';
import { Lease } from '../../src/manager/lease.ts';
import { aborted } from '../../src/manager/within.ts';
import { sleep } from '../../src/ports/clock.ts';
import { EmbeddedRegistry } from '../../src/registry/embedded.ts';
import type { ProcessDependencies } from '../../src/simulation/incarnation.ts';
import type { Scenario } from '../../src/simulation/scenario.ts';
import type { Store } from '../../src/store/contract.ts';

/** Less than the lease (15 s) minus the renew deadline (10 s). */
const drainMs = 4_800;
/** Less than the 5 s for which a renewal is waited for. */
const answerMsMax = 4_500;
const faultsUntilMs = 120_000;

/** `isLate` says whether answers come late now. */
async function candidate(
  dependencies: ProcessDependencies,
  name: string,
  working: Set<string>,
  isLate: () => boolean,
): Promise<void> {
  const { store, clock, random, signal, log } = dependencies;
  const late: Store = new Proxy(store, {
    get(target, property) {
      const value = Reflect.get(target, property);
      if (property !== 'commit') return typeof value === 'function' ? value.bind(target) : value;
      return async (...args: Parameters<Store['commit']>) => {
        const outcome = await target.commit(...args);
        if (isLate() && working.has(name)) await sleep(clock, random.next() * answerMsMax);
        return outcome;
      };
    },
  });
  const registry = new EmbeddedRegistry({ store: late, kinds: [Lease], clock, random });
  const election = new LeaderElection({ registry, name: 'main', identity: name, log });
  await election.run({
    signal,
    async lead(_, stop) {
      working.add(name);
      await aborted(stop).promise;
      await sleep(clock, drainMs);
      working.delete(name);
    },
  });
}

export const electionScenario: Scenario = {
  name: 'election',
  weights: { perEffect: { delay: 0.02, lostRequest: 0.02, lostResponse: 0.02 }, perMinute: { partition: 4 } },
  faultsUntilMs,
  endMs: 180_000,
  build(simulation) {
    const working = new Set<string>();
    const isLate = () => simulation.nowMs < faultsUntilMs;
    for (const name of ['one', 'two']) {
      simulation.process(name).start((dependencies) => candidate(dependencies, name, working, isLate));
    }
    simulation.always('the work of two leaders does not overlap', () =>
      working.size > 1 ? `${[...working].join(' and ')} both work` : undefined,
    );
    simulation.eventually('there is a leader', () => (working.size === 1 ? undefined : 'there is none'));
  },
};
