/** Runs one scenario with many seeds, up to the first failure. */
import { type RunResult, runScenario, type Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';

export interface SeedsOptions {
  readonly scenario: Scenario;
  /** Number of seeds. */
  readonly seeds: number;
  /** The first seed; the others follow it. Allows several processes to share a search. Default 1. */
  readonly firstSeed?: number;
  /** Failed seeds, which are repeated first. Default none. */
  readonly kept?: readonly number[];
}

export interface SeedsReport {
  readonly runs: number;
  readonly effects: number;
  readonly faults: number;
  /** Undefined if all runs passed. */
  readonly failed: FailedSeed | undefined;
}

export interface FailedSeed {
  readonly result: RunResult;
  /** The same failure without unnecessary faults. */
  readonly shrunk: RunResult;
}

export async function runSeeds({ scenario, seeds, firstSeed = 1, kept = [] }: SeedsOptions): Promise<SeedsReport> {
  const totals = { runs: 0, effects: 0, faults: 0 };
  for (const seed of seedsInTurn(kept, firstSeed, seeds)) {
    const result = await runScenario(scenario, seed);
    totals.runs++;
    totals.effects += result.journal.effects.length;
    totals.faults += result.faults.length;
    if (result.failure) return { ...totals, failed: { result, shrunk: await shrink(result) } };
  }
  return { ...totals, failed: undefined };
}

function* seedsInTurn(kept: readonly number[], first: number, count: number): Generator<number> {
  yield* kept;
  const repeated = new Set(kept);
  for (let seed = first; seed < first + count; seed++) if (!repeated.has(seed)) yield seed;
}
