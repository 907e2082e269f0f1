/**
 * Goal: show that the simulation detects a defective operator.
 * Method: plant one defect at a time and run the story that it affects, first without faults and then with those of a few
 * seeds, until an oracle fails: it has to be the expected one.
 */
import { runScenario } from '@ecsm/runtime/simulation';
import { describe, expect, it, vi } from 'vitest';
import { fleetScenario } from './fleet.kit.ts';
import { type Mutant, mutants } from './mutants.kit.ts';
import { slowStories, stories } from './stories.kit.ts';

const { planting } = vi.hoisted(() => ({
  planting: async (original: () => Promise<object>) =>
    (await import('@ecsm/runtime/simulation')).breakable(await original()),
}));

vi.mock('../../src/controller/link.ts', planting);
vi.mock('../../src/controller/send-step.ts', planting);
vi.mock('../../src/controller/revisions.ts', planting);
vi.mock('../../src/controller/settings.ts', planting);
vi.mock('../../src/resource/differences.ts', planting);
vi.mock('../../src/resource/mark.ts', planting);
vi.mock('../../src/resource/naming.ts', planting);
vi.mock('../../src/service/cleanup.ts', planting);
vi.mock('../../src/service/conditions.ts', planting);
vi.mock('../../src/service/decide.ts', planting);
vi.mock('../../src/service/healing.ts', planting);
vi.mock('../../src/service/ownership.ts', planting);
vi.mock('../../src/service/plan.ts', planting);
vi.mock('../../src/service/removals.ts', planting);
vi.mock('../../src/service/rollout.ts', planting);
vi.mock('../../src/service/rollout-name.ts', planting);
vi.mock('../../src/service/capacity.ts', planting);
vi.mock('../../src/service/plan-context.ts', planting);
vi.mock('../../src/service/problems.ts', planting);

/** More than any defect needs. */
const seedsMax = 300;

/** The first failure: without faults, with those that the defect needs, or with those of the first seeds. */
async function firstFailure({ story: name, behaviour, isRestarted, isFocused, firstSeed = 1, faults }: Mutant) {
  const story = [...stories, ...slowStories].find((one) => one.name === name);
  if (story === undefined) throw new RangeError(`there is no story called ${name}`);
  const scenario = fleetScenario(story, {
    ...(behaviour && { behaviour }),
    ...(isRestarted && { isRestarted }),
    ...(isFocused && { isFocused }),
  });
  const reference = await runScenario(scenario, 0, []);
  if (reference.failure) return reference.failure;
  for (const plan of faults?.(reference) ?? []) {
    const { failure } = await runScenario(scenario, 0, plan);
    if (failure) return failure;
  }
  for (let seed = firstSeed; seed < firstSeed + seedsMax; seed++) {
    const { failure } = await runScenario(scenario, seed);
    if (failure) return failure;
  }
  return undefined;
}

describe('planted defects', () => {
  it.each(mutants)('$name: found', { timeout: 900_000 }, async (mutant) => {
    const restore = mutant.plant();
    try {
      const failure = await firstFailure(mutant);
      expect([mutant.caughtBy].flat(), failure?.message).toContain(failure?.oracle);
    } finally {
      restore();
    }
  });

  it('are removed completely', async () => {
    const [first] = stories;
    if (first === undefined) throw new RangeError('there are no stories');
    expect((await runScenario(fleetScenario(first), 1, [])).failure).toBeUndefined();
  });
});
