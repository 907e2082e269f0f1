/** A scenario builds a simulation for a seed; each run has a result. */
import process from 'node:process';
import { explicitFaults, type Fault, type FaultPlan } from './faults.ts';
import type { Journal } from './journal.ts';
import type { Failure } from './oracle.ts';
import { type FaultWeights, ordinaryFaults, randomFaults } from './random-faults.ts';
import { type RunEnd, turn } from './scheduler.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

export interface Scenario extends Omit<SimulationOptions, 'seed'> {
  /** Its name on the command line and in the seed file. */
  readonly name: string;
  /** Default `ordinaryFaults`. */
  readonly weights?: FaultWeights;
  /** Fills the store, starts the processes, adds the oracles. It may await the simulation's store, and nothing else. */
  readonly build: (simulation: Simulation) => Promise<void> | void;
}

export interface RunResult {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly failure: Failure | undefined;
  /** The faults that took effect. */
  readonly faults: readonly Fault[];
  /** The processes that faults apply to. */
  readonly targets: readonly string[];
  readonly journal: Journal;
  readonly end: RunEnd;
  readonly steps: number;
  readonly nowMs: number;
}

/** Runs a scenario with the faults of its seed, or with exactly `faults`. */
export async function runScenario(scenario: Scenario, seed: number, faults?: readonly Fault[]): Promise<RunResult> {
  const simulation = new Simulation({ ...scenario, seed });
  await scenario.build(simulation);
  const end = await watchingRejections(simulation, () => simulation.run(planOf(scenario, simulation, faults)));
  const { journal, failure, nowMs, scheduler } = simulation;
  const targets = simulation.targets().map(({ name }) => name);
  return { scenario, seed, failure, faults: journal.faults, targets, journal, end, steps: scheduler.steps, nowMs };
}

function planOf(scenario: Scenario, simulation: Simulation, faults: readonly Fault[] | undefined): FaultPlan {
  if (faults) return explicitFaults(faults);
  const { seed, faultsUntilMs } = simulation;
  return randomFaults(seed, scenario.weights ?? ordinaryFaults, faultsUntilMs, simulation.targets());
}

/** An unhandled rejection ends a Node process, so it fails a run. */
async function watchingRejections(simulation: Simulation, run: () => Promise<RunEnd>): Promise<RunEnd> {
  const onRejection = (error: unknown) => {
    simulation.fail('no unhandled rejection', error instanceof Error ? (error.stack ?? error.message) : String(error));
  };
  process.on('unhandledRejection', onRejection);
  try {
    const end = await run();
    await turn();
    return end;
  } finally {
    process.off('unhandledRejection', onRejection);
  }
}
