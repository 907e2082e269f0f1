/**
 * Goal: while nothing goes wrong, a simulated store keeps every promise of the contract. Method: the suite of all
 * stores, on processes that never end, in a simulation that is kept going in the background.
 */
import { setImmediate } from 'node:timers/promises';
import { storeConformance } from '../store/conformance.suite.ts';
import type { Store } from '../store/contract.ts';
import { Simulation } from './simulation.ts';

interface Running {
  readonly simulation: Simulation;
  going: boolean;
}

const running = new Map<Store, Running>();

async function keepGoing(run: Running): Promise<void> {
  while (run.going) {
    await run.simulation.scheduler.run({ endMs: Infinity, stepsMax: Infinity }, () => {});
    await setImmediate();
  }
}

function clientOf(run: Running): Promise<Store> {
  return new Promise((resolve) => {
    run.simulation.process(`client ${run.simulation.processes.size}`).start(({ store }) => {
      running.set(store, run);
      resolve(store);
    });
  });
}

storeConformance('simulated', {
  create() {
    const run = { simulation: new Simulation({ seed: 1 }), going: true };
    const client = clientOf(run);
    void keepGoing(run);
    return client;
  },
  connect(store) {
    const run = running.get(store);
    if (!run) throw new RangeError('this store is of no simulation');
    return clientOf(run);
  },
  async cleanup() {
    for (const run of running.values()) run.going = false;
    running.clear();
  },
});
