/** Goal: a crash at every point leaves what it must leave. Method: a writer of two steps, and all the states there are. */
import { describe, expect, it } from 'vitest';
import { mirror, put, scenarioOf } from './counter.kit.ts';
import { crashPoints, runCrashPoints } from './crash-points.ts';
import { unreliableStoreFaults } from './random-faults.ts';
import { runScenario, type Scenario } from './scenario.ts';
import { runSeeds } from './seeds.ts';

const leftBehind: string[][] = [];

const twoSteps: Scenario = scenarioOf(
  async ({ store }) => {
    await store.commit([put('steps/first', 1)]);
    await store.commit([put('steps/second', 2)]);
  },
  {
    build: (simulation) =>
      simulation.eventually(
        'note',
        ({ store }) => void leftBehind.push([...store.contents.keys()].map((key) => key.slice(6))),
      ),
  },
);

describe('a crash at every point of a writer of two steps', () => {
  it('leaves exactly what was applied by then, without a restart', async () => {
    const reference = await runScenario(twoSteps, 1, []);
    const points = crashPoints(reference, { restartMs: Number.POSITIVE_INFINITY });
    leftBehind.length = 0;
    for (const faults of points) await runScenario(twoSteps, 1, faults);
    expect(points.map(([fault]) => fault?.type)).toEqual(['crashBefore', 'crashAfter', 'crashBefore', 'crashAfter']);
    expect(leftBehind).toEqual([[], ['first'], ['first'], ['first', 'second']]);
  });

  it('completes everything after a restart', async () => {
    leftBehind.length = 0;
    expect(await runCrashPoints(twoSteps, 1)).toEqual({ runs: 5, failed: undefined });
    expect(leftBehind).toEqual(Array(5).fill(['first', 'second']));
  });

  it('does not crash other processes', async () => {
    const reference = await runScenario(twoSteps, 1, []);
    expect(crashPoints(reference, { processes: ['another'] })).toEqual([]);
  });

  it('shows the point at which a writer that cannot start again fails', async () => {
    const scenario = scenarioOf(
      async ({ store }) => {
        if (!(await store.get('steps/first'))) {
          await store.commit([put('steps/first', 1)]);
          await store.commit([put('steps/second', 2)]);
        }
      },
      {
        build: (simulation) =>
          simulation.eventually('both steps are done', ({ store }) =>
            store.contents.size === 2 ? undefined : 'only one is',
          ),
      },
    );
    const { failed } = await runCrashPoints(scenario, 1);
    expect(failed?.faults).toEqual([{ type: 'crashAfter', process: 'sample', effect: 2, restartMs: 1000 }]);
  });

  it('reports a reference run that fails by itself', async () => {
    const broken = scenarioOf(() => {
      throw new TypeError('no');
    });
    expect((await runCrashPoints(broken, 1)).failed?.faults).toEqual([]);
  });
});

describe('a small controller', () => {
  const options: Partial<Scenario> = {
    name: 'mirror',
    weights: unreliableStoreFaults,
    faultsUntilMs: 20_000,
    endMs: 90_000,
    build(simulation) {
      simulation.process('person', { faults: false }).start(async ({ store, clock }) => {
        for (const [number, name] of ['a', 'b', 'a', 'c'].entries()) {
          await store.commit([put(`wanted/${name}`, number)]);
          await new Promise<void>((resolve) => clock.after(3000, resolve));
        }
        await store.commit([{ type: 'delete', key: 'wanted/b' }]);
      });
      simulation.eventually('what is wanted is there, and nothing else', ({ store }) => {
        const [wanted, actual] = ['wanted/', 'actual/'].map((prefix) =>
          JSON.stringify([...store.jsonBelow(prefix)].map(([key, value]) => [key.slice(7), value]).sort()),
        );
        return wanted === actual ? undefined : `wanted ${wanted}, actual ${actual}`;
      });
    },
  };
  const scenario = scenarioOf(mirror, options);

  it('that is correct survives every crash point', async () => {
    const { runs, failed } = await runCrashPoints(scenario, 3);
    expect(failed?.failure).toBeUndefined();
    expect(runs).toBeGreaterThan(50);
  });

  it('that is correct survives all faults', async () => {
    const { failed, faults } = await runSeeds({ scenario, seeds: 200 });
    expect(failed?.shrunk.failure).toBeUndefined();
    expect(faults).toBeGreaterThan(500);
  });

  it('that relies on the watch fails, with the one event that was lost', async () => {
    const trusting = scenarioOf((dependencies) => mirror(dependencies, 3_600_000), {
      ...options,
      weights: { perEffect: { delay: 0.1, lostResponse: 0.1, dropEvent: 0.1 }, perMinute: {} },
    });
    const { failed } = await runSeeds({ scenario: trusting, seeds: 200 });
    expect(failed?.shrunk.failure?.oracle).toBe('what is wanted is there, and nothing else');
    expect(failed?.shrunk.faults).toEqual([{ type: 'dropEvent', process: 'sample', effect: expect.any(Number) }]);
  });
});
