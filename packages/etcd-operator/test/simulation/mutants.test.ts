/**
 * Goal: show that the simulation detects a defective operator.
 * Method: plant one defect at a time and run the story that it affects, first without faults and then with those of a few
 * seeds, until an oracle fails: it has to be one of those that are expected.
 */
import { runScenario } from '@ecsm/runtime/simulation';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { backupMutants } from './backup-mutants.kit.ts';
import { type Mutant, mutants } from './mutants.kit.ts';
import { etcdScenario } from './scenario.kit.ts';
import { prepareSettled } from './settled.kit.ts';
import { stories } from './stories.kit.ts';

const { planting } = vi.hoisted(() => ({
  planting: async (original: () => Promise<object>) =>
    (await import('@ecsm/runtime/simulation')).breakable(await original()),
}));

vi.mock('../../src/resource/tls-material.ts', planting);
vi.mock('../../src/service/next-action.ts', planting);
vi.mock('../../src/service/cluster/observation.ts', planting);
vi.mock('../../src/service/health/quorum.ts', planting);
vi.mock('../../src/service/cluster/range.ts', planting);
vi.mock('../../src/service/cluster/slot-config.ts', planting);
vi.mock('../../src/service/monitoring/status.ts', planting);
vi.mock('../../src/service/cluster/wanted.ts', planting);
vi.mock('../../src/service/backup/attempt.ts', planting);
vi.mock('../../src/service/backup/decision.ts', planting);
vi.mock('../../src/service/restore/decision.ts', planting);

/** More than any defect needs. */
const seedsMax = 60;

function storyNamed(name: string) {
  const story = stories.find((one) => one.name === name);
  if (story === undefined) throw new RangeError(`there is no story called ${name}`);
  return story;
}

/** The first failure: without faults of calls, or with those of the first seeds. */
async function firstFailure({ story, firstSeed = 1 }: Mutant) {
  const scenario = etcdScenario(storyNamed(story), { isDuel: false });
  const { failure } = await runScenario(scenario, 0, []);
  if (failure) return failure;
  for (let seed = firstSeed; seed < firstSeed + seedsMax; seed++) {
    const result = await runScenario(scenario, seed);
    if (result.failure) return result.failure;
  }
  return undefined;
}

/** What stories start with was made by an operator without defects. */
beforeAll(prepareSettled, 300_000);

describe('planted defects', () => {
  it.each([...mutants, ...backupMutants])('$name: found', { timeout: 900_000 }, async (mutant) => {
    const restore = mutant.plant();
    try {
      const failure = await firstFailure(mutant);
      expect(mutant.caughtBy, failure?.message).toContain(failure?.oracle);
    } finally {
      restore();
    }
  });

  it('are removed completely', async () => {
    expect((await runScenario(etcdScenario(storyNamed('create')), 1, [])).failure).toBeUndefined();
  });
});
