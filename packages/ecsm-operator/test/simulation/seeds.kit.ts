/**
 * The operator over many seeds: each tells one story, on a platform of its own, with faults of its own. `OPERATOR_SEEDS`
 * says how many (default 250, in two halves that run side by side), `SEED` replays one and shows everything that
 * happened. Seeds that failed once are repeated by every run.
 */
import { readFileSync } from 'node:fs';
import { formatTrace, readSeeds, runScenario, shrink } from '@ecsm/runtime/simulation';
import { expect, it } from 'vitest';
import { behaviourOf } from './behaviours.kit.ts';
import { scenarioOfSeed } from './fleet.kit.ts';

const seedsInAll = Number(process.env['OPERATOR_SEEDS'] ?? process.env['SEEDS'] ?? 250);
const replay = process.env['SEED'];
const file = new URL('./failed-seeds.json', import.meta.url);

export function survivesSeeds(half: 'first' | 'second'): void {
  const middle = Math.ceil(seedsInAll / 2);
  const [firstSeed, count] = half === 'first' ? [1, middle] : [middle + 1, seedsInAll - middle];

  if (replay !== undefined) {
    if (half === 'second') return;
    it(`seed ${replay}`, async () => {
      const result = await runScenario(scenarioOfSeed(Number(replay)), Number(replay));
      process.stdout.write(`${formatTrace(result.journal)}\n${aboutSeed(Number(replay))}\n`);
      expect(result.failure).toBeUndefined();
    });
    return;
  }

  it(`survives crashes, stale reads, lost responses and all the rest: ${count} seeds from ${firstSeed}`, {
    timeout: 3_600_000,
  }, async () => {
    const kept = half === 'first' ? readSeeds({ read: () => readFileSync(file, 'utf8'), write: () => {} }) : {};
    for (const seed of kept['fleet'] ?? []) await survives(seed);
    for (let seed = firstSeed; seed < firstSeed + count; seed++) await survives(seed);
  });
}

async function survives(seed: number): Promise<void> {
  const result = await runScenario(scenarioOfSeed(seed), seed);
  if (!result.failure) return;
  const { failure, faults } = await shrink(result);
  expect.fail(
    `seed ${seed} fails: ${failure?.oracle}: ${failure?.message}\n${aboutSeed(seed)}\n` +
      `with these faults only: ${JSON.stringify(faults, null, 2)}\n` +
      `replay it with make simulate SEED=${seed}, and add it to failed-seeds.json`,
  );
}

function aboutSeed(seed: number): string {
  return `the story: ${scenarioOfSeed(seed).name}; the platform: ${JSON.stringify(behaviourOf(seed))}`;
}
