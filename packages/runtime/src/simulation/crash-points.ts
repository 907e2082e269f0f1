/**
 * Every place at which a program can die: before and after each effect of a run in which nothing went wrong. A program
 * that survives all of them leaves nothing half done, whatever it was doing.
 */
import type { Fault } from './faults.ts';
import { type RunResult, runScenario, type Scenario } from './scenario.ts';
import { faultsUntilMsDefault } from './simulation.ts';

export interface CrashOptions {
  /** Only of these processes. Default: all that faults can hit. */
  readonly processes?: readonly string[];
  /** How soon the process is started again. Default 1000 ms. */
  readonly restartMs?: number;
}

/** One plan for each point. The reference is a run without faults; the plans are for the same scenario and seed. */
export function crashPoints(reference: RunResult, options: CrashOptions = {}): readonly (readonly Fault[])[] {
  const { processes = reference.targets, restartMs = 1000 } = options;
  // Later crashes would fall into the time that the program is given to come to rest.
  const untilMs = reference.scenario.faultsUntilMs ?? faultsUntilMsDefault;
  return reference.journal.effects
    .filter(({ process, sentMs }) => processes.includes(process) && sentMs < untilMs)
    .flatMap(({ process, number: effect }) => [
      [{ type: 'crashBefore', process, effect, restartMs }],
      [{ type: 'crashAfter', process, effect, restartMs }],
    ]);
}

/** Runs the reference and then each point, up to the first that fails. */
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
