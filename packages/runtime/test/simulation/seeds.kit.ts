/**
 * The sample program over many seeds. `SEEDS` says how many (default 10,000, in two halves that run side by side),
 * `SEED` replays one and shows everything that happened. Seeds that failed once are repeated by every run.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runScenario } from '../../src/simulation/scenario.ts';
import { readSeeds } from '../../src/simulation/seed-file.ts';
import { runSeeds } from '../../src/simulation/seeds.ts';
import { formatTrace } from '../../src/simulation/trace.ts';
import { workshopScenario } from './workshop.kit.ts';

const seedsInAll = Number(process.env['SEEDS'] ?? 10_000);
const replay = process.env['SEED'];
const file = new URL('./failed-seeds.json', import.meta.url);

export function survivesSeeds(half: 'first' | 'second'): void {
  const count = half === 'first' ? Math.ceil(seedsInAll / 2) : Math.floor(seedsInAll / 2);
  const firstSeed = half === 'first' ? 1 : Math.ceil(seedsInAll / 2) + 1;
  const scenario = workshopScenario();

  if (replay !== undefined) {
    if (half === 'second') return;
    it(`seed ${replay}`, async () => {
      const result = await runScenario(scenario, Number(replay));
      process.stdout.write(`${formatTrace(result.journal)}\n`);
      expect(result.failure).toBeUndefined();
    });
    return;
  }

  it(`survives crashes, stale reads, lost responses and all the rest: ${count} seeds from ${firstSeed}`, {
    timeout: 3_600_000,
  }, async () => {
    const kept = readSeeds({ read: () => readFileSync(file, 'utf8'), write: () => {} })[scenario.name] ?? [];
    const { failed } = await runSeeds({ scenario, seeds: count, firstSeed, kept: half === 'first' ? kept : [] });
    if (failed) {
      const { seed, failure, faults } = failed.shrunk;
      expect.fail(
        `seed ${seed} fails: ${failure?.oracle}: ${failure?.message}\nwith these faults only: ${JSON.stringify(faults, null, 2)}\n` +
          `replay it with make simulate OF=runtime SEED=${seed}, and add it to failed-seeds.json`,
      );
    }
  });
}
