/**
 * Goal: a seed is a run, and other seeds are other runs. Method: traces are compared line by line, and a race that only
 * some orders of events bring about has to be found by some seed, with nothing to help but the order.
 */
import { describe, expect, it } from 'vitest';
import {
  counterKey,
  counterScenario,
  incrementBlindly,
  incrementByComparing,
  mirror,
  put,
  scenarioOf,
} from './counter.kit.ts';
import { unreliableStoreFaults } from './random-faults.ts';
import { runScenario, type Scenario } from './scenario.ts';
import { runSeeds } from './seeds.ts';
import { formatTrace } from './trace.ts';

const busy: Scenario = scenarioOf(mirror, {
  weights: unreliableStoreFaults,
  endMs: 60_000,
  build(simulation) {
    simulation.process('person', { faults: false }).start(async ({ store, clock, random, log }) => {
      for (let number = 0; number < 5; number++) {
        await store.commit([put(`wanted/${number % 2}`, { number, id: random.uuid() })]);
        await new Promise<void>((resolve) => clock.after(1000 + 4000 * random.next(), resolve));
        log.write('info', 'edited', { number });
      }
    });
  },
});

describe('a run', () => {
  it('is the same for the same seed, including every line of the trace', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const [one, two] = [await runScenario(busy, seed), await runScenario(busy, seed)];
      expect(formatTrace(two.journal)).toBe(formatTrace(one.journal));
      expect(two.steps).toBe(one.steps);
    }
  });

  it('is the same when its faults are replayed as a list', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const one = await runScenario(busy, seed);
      const faults = JSON.parse(JSON.stringify(one.faults));
      expect(formatTrace((await runScenario(busy, seed, faults)).journal)).toBe(formatTrace(one.journal));
    }
  });

  it('differs for another seed', async () => {
    const traces = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const { journal } = await runScenario(counterScenario(incrementByComparing), seed);
      traces.add(journal.events.map(({ process, what }) => `${process} ${what}`).join('\n'));
    }
    expect(traces.size).toBeGreaterThan(190);
  });
});

describe('the order of events alone', () => {
  it('reveals a lost update without a comparison', async () => {
    const { failed } = await runSeeds({ scenario: counterScenario(incrementBlindly), seeds: 100 });
    expect(failed?.result.failure?.message).toMatch(/^the counter is \d after 10 increments$/);
  });

  it('does not affect an update with a comparison', async () => {
    const { runs, failed } = await runSeeds({ scenario: counterScenario(incrementByComparing), seeds: 500 });
    expect(failed).toBeUndefined();
    expect(runs).toBe(500);
  });

  it('reaches every possible outcome', async () => {
    const outcomes = new Set<unknown>();
    const scenario = counterScenario(incrementBlindly, { build: undefined as never });
    for (let seed = 1; seed <= 300; seed++) {
      await runScenario(
        {
          ...scenario,
          build(simulation) {
            for (const name of ['one', 'two', 'three'])
              simulation.process(name).start(({ store }) => incrementBlindly(store));
            simulation.eventually('note', ({ store }) => void outcomes.add(store.json(counterKey)));
          },
        },
        seed,
      );
    }
    expect([...outcomes].sort()).toEqual([1, 2, 3]);
  });
});
