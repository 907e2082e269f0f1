/**
 * Crash points of a program: before and after each effect of a run without faults. A program that passes all of them
 * recovers from a crash at any point.
 */
import type { Fault } from './faults.ts';
import { type RunResult, runScenario, type Scenario } from './scenario.ts';
import { faultsUntilMsDefault } from './simulation.ts';

export interface CrashOptions {
  /** Only of these processes. Default: all that faults can hit. */
  readonly processes?: readonly string[];
  /** Delay until the process is restarted. Default 1000 ms. */
  readonly restartMs?: number;
}

/** One fault plan for each crash point of `reference`, a run without faults. Valid for its scenario and seed. */
export function crashPoints(reference: RunResult, options: CrashOptions = {}): readonly (readonly Fault[])[] {
  const { processes = reference.targets, restartMs = 1000 } = options;
  // Later crashes would leave the program too little time to become stable.
  const untilMs = reference.scenario.faultsUntilMs ?? faultsUntilMsDefault;
  return reference.journal.effects
    .filter(({ process, sentMs }) => processes.includes(process) && sentMs < untilMs)
    .flatMap(({ process, number: effect }) => [
      [{ type: 'crashBefore', process, effect, restartMs }],
      [{ type: 'crashAfter', process, effect, restartMs }],
    ]);
}

/** Runs the reference and then each crash point, up to the first failure. */
export async function runCrashPoints(scenario: Scenario, seed: number, options?: CrashOptions): Promise<CrashReport> {
  const reference = await runScenario(scenario, seed, []);
  if (reference.failure) return { runs: 1, failed: reference };
  let runs = 1;
  for (const faults of crashPoints(reference, options)) {
    const result = await runScenario(scenario, seed, faults);
    runs++;
    if (result.failure) return { runs, failed: result };
  }
  return { runs, failed: undefined };
}

export interface CrashReport {
  readonly runs: number;
  readonly failed: RunResult | undefined;
}
