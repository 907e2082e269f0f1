/**
 * Goal: a controller that is right stays right whatever happens, and the simulator notices one that is not.
 * Method: a sample program (workshop.kit.ts) on a virtual clock, with faults from a seed; then the same with defects
 * planted one at a time, each of which has to be found.
 */
import { describe, expect, it } from 'vitest';
import { runCrashPoints } from '../../src/simulation/crash-points.ts';
import { runScenario, type Scenario } from '../../src/simulation/scenario.ts';
import { electionScenario } from './election.kit.ts';
import { expiredScenario, laggingScenario, pagesScenario } from './follower.kit.ts';
import { garbageScenario } from './garbage.kit.ts';
import { leadersScenario } from './leaders.kit.ts';
import { mutants } from './mutants.kit.ts';
import { calmScenario, leftoversOfFormerOwners, workshopScenario } from './workshop.kit.ts';

/** The planted defects of the small scenarios are found within 10 seeds. `make test THOROUGH=1` runs more. */
const isThorough = Boolean(process.env['THOROUGH']);
const smallSeeds = isThorough ? 500 : 50;
const fencedSeeds = isThorough ? 2_000 : 100;

/** The first seed that fails, with what was wrong. */
async function firstFailure(scenario: Scenario, seeds: number): Promise<string | undefined> {
  for (let seed = 1; seed <= seeds; seed++) {
    const { failure } = await runScenario(scenario, seed);
    if (failure) return `seed ${seed}: ${failure.oracle}: ${failure.message}`;
  }
  return undefined;
}

describe('planted defects', () => {
  it.each(mutants)('$name: found', { timeout: 600_000 }, async ({ plant, scenario }) => {
    const takeOut = plant();
    try {
      expect(await firstFailure(scenario, 4000)).toBeDefined();
    } finally {
      takeOut();
    }
  });
});

describe('a correct program', () => {
  it('survives a crash before and after every effect', { timeout: 600_000 }, async () => {
    for (const seed of [1, 2, 3]) {
      const { failed, runs } = await runCrashPoints(workshopScenario(), seed);
      expect(failed?.failure).toBeUndefined();
      expect(runs).toBeGreaterThan(50);
    }
  });

  it('needs no resync without faults, over 500 seeds', { timeout: 600_000 }, async () => {
    expect(await firstFailure(calmScenario(), 500)).toBeUndefined();
  });

  it('removes a leftover of a former owner before it makes its own, over 200 seeds', { timeout: 600_000 }, async () => {
    expect(await firstFailure(calmScenario({}, leftoversOfFormerOwners), 200)).toBeUndefined();
  });

  it.each([pagesScenario, laggingScenario, expiredScenario, electionScenario, garbageScenario])(
    `survives the scenario $name, over ${smallSeeds} seeds`,
    { timeout: 600_000 },
    async (scenario) => {
      expect(await firstFailure(scenario, smallSeeds)).toBeUndefined();
    },
  );

  it(`rejects writes of fenced processes, over ${fencedSeeds} seeds`, { timeout: 600_000 }, async () => {
    expect(await firstFailure(leadersScenario, fencedSeeds)).toBeUndefined();
  });
});
