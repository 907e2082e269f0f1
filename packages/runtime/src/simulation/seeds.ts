/** Many runs of one scenario, each with another seed, up to the first that fails. */
import { type RunResult, runScenario, type Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';

export interface SeedsOptions {
  readonly scenario: Scenario;
  /** How many seeds. */
  readonly seeds: number;
  /** The first of them; the others follow it. Several processes can share a search so. Default 1. */
  readonly firstSeed?: number;
  /** Seeds that failed once: repeated before all others. Default none. */
  readonly kept?: readonly number[];
}

export interface SeedsReport {
  readonly runs: number;
  readonly effects: number;
  readonly faults: number;
  /** Nothing if all went well. */
  readonly failed: FailedSeed | undefined;
}

export interface FailedSeed {
  readonly result: RunResult;
  /** The same failure with no fault that it could do without. */
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
